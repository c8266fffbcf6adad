package inbox

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// The message that watches over a pending activity waits in the delay queue, a
// quarter of an hour at a time. A standard queue may hand it out twice, and each
// copy would go round by itself: with every message delivered twice, their
// number would double each round. So all copies of a round end it at the same
// time and in the FIFO queue, under the same deduplication id, where they become
// one again; a copy that comes hours late joins the round that is under way.

// NextRound lets the message wait until the round ends, and settles it: at the
// next quarter of an hour since the activity was scheduled, or when its limit
// passes. The round's number, the time at which it ends in milliseconds, only
// grows, so that no clock that is behind gives two rounds of a message the same.
func (d *Desk) NextRound(ctx context.Context, m *Message, item wire.Item, limit time.Time) error {
	now, began := d.Clock.Now(), time.UnixMilli(item.ScheduledAtMS)
	due := began.Add((now.Sub(began)/queue.MaxDelay + 1) * queue.MaxDelay)
	if limit.Before(due) {
		due = limit
	}
	item.NotBeforeMS = limit.UnixMilli()
	item.Number = max(due.UnixMilli(), item.Number+1)
	if err := d.SendLater(ctx, &item, due, m.hopMark()); err != nil {
		return err
	}
	d.Settle(m, "pending")
	return nil
}

package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Hold keeps the messages of a batch from others until its invocation is over. It returns
// the messages that are hidden for this process until then, and the ids of the others, which
// are reported as failed and are not touched here, because each of them may have been received
// again. Behind one of them its group is left too.
func (d *Desk) Hold(ctx context.Context, batch []platform.Delivery) (own []platform.Delivery, lost []string) {
	held := make([]lease.Held, len(batch))
	bySource := map[platform.Source][]int{}
	var sources []platform.Source
	for i, m := range batch {
		if bySource[m.Source] == nil {
			sources = append(sources, m.Source)
		}
		bySource[m.Source] = append(bySource[m.Source], i)
	}
	for _, s := range sources {
		messages := make([]queue.Message, len(bySource[s]))
		for n, i := range bySource[s] {
			messages[n] = batch[i].Message
		}
		terms := lease.Terms{Visibility: d.Settings.Messages.QueueVisibility, Margin: lease.Skew}
		for n, h := range lease.Take(ctx, d.Clock, d.Queues.Of(s), terms, messages) {
			held[bySource[s][n]] = h
		}
	}
	own = make([]platform.Delivery, 0, len(batch))
	broken := map[string]bool{}
	for i, m := range batch {
		fifo := m.Source == platform.SourceOrchestrator
		if !held[i].Lost && !(fifo && broken[m.Group]) {
			own = append(own, m)
			continue
		}
		if fifo {
			broken[m.Group] = true
		}
		lost = append(lost, m.ID)
		d.Observer.Count(host.CountHandedBack, delivery.NotHeld, 1)
		item, _ := wire.ParseWrapped(m.Body)
		d.Logger.InfoContext(delivery.About(ctx, &item), "message not taken: its visibility may end before the invocation does", "message_id", m.ID, "instance", item.Target(), "error", held[i].Err)
	}
	return own, lost
}

// ErrNotKept says that a message no longer belongs to this process, or may not.
var ErrNotKept = errors.New("host: the message is acknowledged already, or may be another's")

// Keep keeps a message from others once more, until its invocation is over. A FIFO queue refuses
// that for a message that was deleted: a twin of this process has acknowledged it.
//
// An invocation without a deadline has no twin, and calls nothing.
func (d *Desk) Keep(ctx context.Context, m *Message) error {
	left, bounded := clock.Left(ctx, d.Clock)
	if !bounded {
		return nil
	}
	if err := d.Queues.Of(m.Source).SetVisibility(ctx, min(max(left, 0)+lease.Skew, queue.MaxVisibility), m.Message); err != nil {
		return fmt.Errorf("%w: message %s: %w", ErrNotKept, m.ID, err)
	}
	return nil
}

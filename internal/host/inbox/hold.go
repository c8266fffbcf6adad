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

// Hold hides the messages of a batch from other processes until its invocation ends. It returns the
// messages that are hidden for that long, and the ids of the others. The others are reported as
// failed and not processed here, because another process may already have received them. Later
// messages of their FIFO groups are treated the same way.
func (d *Settler) Hold(ctx context.Context, batch []platform.Delivery) (own []platform.Delivery, lost []string) {
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
		d.Observer.Count(host.CountReturned, delivery.NotHeld, 1)
		item, _ := wire.ParseWrapped(m.Body)
		d.Logger.InfoContext(delivery.LogContext(ctx, &item), "message skipped: its visibility timeout may end before the invocation does", "message_id", m.ID, "instance", item.Target(), "error", held[i].Err)
	}
	return own, lost
}

// ErrNotKept means that a message no longer belongs to this process, or may no longer belong to it.
var ErrNotKept = errors.New("host: the message is already acknowledged, or another process may hold it")

// Keep hides a message from other processes once more, until its invocation ends. A FIFO queue
// refuses that for a deleted message, which means that a duplicate invocation has acknowledged it.
//
// An invocation without a deadline has no duplicate, and makes no call.
func (d *Settler) Keep(ctx context.Context, m *Message) error {
	left, bounded := clock.Left(ctx, d.Clock)
	if !bounded {
		return nil
	}
	if err := d.Queues.Of(m.Source).SetVisibility(ctx, min(max(left, 0)+lease.Skew, queue.MaxVisibility), m.Message); err != nil {
		return fmt.Errorf("%w: message %s: %w", ErrNotKept, m.ID, err)
	}
	return nil
}

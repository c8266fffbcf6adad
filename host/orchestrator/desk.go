package orchestrator

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// desk is where messages are settled: acknowledged, moved to a dead-letter queue, sent
// round, or handed back.
type desk struct {
	Queues   host.Queues
	Edge     edge.Edge
	Clock    clock.Clock
	Observer host.Observer
	Logger   *slog.Logger
	// Settings has the delays.
	Settings *host.Settings
}

// settle acknowledges a message, saying what became of it.
func (d *desk) settle(m *message, outcome string) {
	m.state = settled
	d.Observer.Count(host.CountMessages, outcome, 1)
}

// fail hands a message back.
func (d *desk) fail(m *message, reason string) {
	m.state = failed
	d.Observer.Count(host.CountHandedBack, reason, 1)
}

// failAll hands back what of some messages is not settled.
func (d *desk) failAll(messages []*message, reason string) {
	for _, m := range messages {
		if m.state == unsettled {
			d.fail(m, reason)
		}
	}
}

// deadLetter moves a message to its final dead-letter queue and settles it: it
// blocks nobody, and nothing is lost. It keeps its group and its body, which
// is the one it came with; its deduplication id is its message id.
func (d *desk) deadLetter(ctx context.Context, m *message, reason wire.Reason, text string) error {
	to := d.Queues.DeadStandard
	if m.Source == host.SourceOrchestrator {
		to = d.Queues.DeadFIFO
	}
	if err := delivery.MoveToDead(ctx, to, &m.Message, &m.item, reason, text, d.Logger); err != nil {
		return err
	}
	m.state = settled
	d.Observer.Count(host.CountDeadLettered, string(reason), 1)
	return nil
}

// sendRound sends a message round by the delay queue until it is due, as the item that
// is given, and settles it.
func (d *desk) sendRound(ctx context.Context, m *message, item wire.Item, due time.Time, reason string) error {
	item.Hops++
	if err := d.sendLater(ctx, &item, due, m.hopMark()); err != nil {
		return err
	}
	m.state = settled
	d.Observer.Count(host.CountDelayed, reason, 1)
	return nil
}

// sendLater sends an item by the delay queue.
func (d *desk) sendLater(ctx context.Context, item *wire.Item, due time.Time, attributes map[string]string) error {
	body, err := d.Edge.Again(item)
	if err == nil {
		err = d.Queues.Delay.Send(ctx, queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(d.Clock.Now())), Attributes: attributes})
	}
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	return nil
}

// leave sends a message round for another build, as long as it takes.
func (d *desk) leave(ctx context.Context, m *message, reason string) error {
	due := d.Clock.Now().Add(backoff.Grown(d.Settings.Messages.NewerFirst, d.Settings.Messages.NewerMax, m.item.Hops))
	return d.sendRound(ctx, m, m.item, due, reason)
}

// passOn has a message follow itself in the FIFO queue, as the item that is given,
// under a deduplication id, and settles it. SQS remembers those ids for five minutes.
func (d *desk) passOn(ctx context.Context, m *message, item *wire.Item, dedupID string) error {
	body, err := d.Edge.Again(item)
	if err == nil {
		err = d.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: dedupID, Attributes: m.hopMark()})
	}
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent on to the FIFO queue: %w", item.Kind, item.Target(), err)
	}
	m.state = settled
	return nil
}

// hopMark is what a message takes along over a hop: that it was redriven, or may have
// been handled before, for SQS counts the receives of each hop from 1 again. On its
// way into the FIFO queue a redrive goes along; out of it that ends, so that the round
// which it has begun comes to an end.
func (m *message) hopMark() map[string]string {
	mark := ""
	switch {
	case m.item.UpToExecution > 0: // a deletion has nothing to be sent again
	case m.Source == host.SourceOrchestrator:
		if m.returning() {
			mark = hopMark
		}
	case m.Attributes[wire.RedriveAttribute] != "":
		mark = m.Attributes[wire.RedriveAttribute]
	case m.redriven():
		mark = "1"
	}
	if mark == "" {
		return nil
	}
	return map[string]string{wire.RedriveAttribute: mark}
}

// hopMark is the value of RedriveAttribute in a message that was not redriven, and
// only went round after it had been received.
const hopMark = "hop"

// close marks what is not settled as failed, lets it come back after a growing
// backoff, and returns its ids. On the FIFO queue everything of a group behind
// a failure goes back too, or the group would be handled out of order.
func (d *desk) close(ctx context.Context, messages []*message) []string {
	broken := map[string]int{} // by FIFO group: the most receives of what goes back
	for _, m := range messages {
		if m.state == unsettled {
			d.fail(m, "not handled")
		}
		if m.Source != host.SourceOrchestrator {
			continue
		}
		receives, behind := broken[m.Group]
		if behind && m.state != failed {
			d.fail(m, "behind a failure")
		}
		if m.state == failed {
			broken[m.Group] = max(receives, m.ReceiveCount)
		}
	}
	ids := []string{}
	var back delivery.Comeback
	for _, m := range messages {
		if m.state != failed {
			continue
		}
		ids = append(ids, m.ID)
		receives := m.ReceiveCount
		if m.Source == host.SourceOrchestrator {
			receives = broken[m.Group]
		}
		back.Add(d.Queues.Of(m.Source), &m.Message, &m.item, backoff.Grown(d.Settings.Messages.BackoffFirst, d.Settings.Messages.BackoffMax, receives-1))
	}
	back.Send(ctx, d.Logger.DebugContext)
	return ids
}

// roundSince returns since when a message goes round, and whether that begins
// now: a redrive from the dead letters begins anew.
func (d *desk) roundSince(m *message) (since time.Time, begins bool) {
	redriven := m.Attributes[wire.ReasonAttribute] != "" || m.redriven() && m.Attributes[wire.RedriveAttribute] != hopMark
	if m.item.FirstSeenMS == 0 || redriven {
		return d.Clock.Now(), true
	}
	return time.UnixMilli(m.item.FirstSeenMS), false
}

package host

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/wire"
)

// early deals with an event for an instance that has not started: it goes
// round the delay queue with growing delay, so that it holds up neither its
// group, in which the start may be next, nor others. If no start comes within
// the window it is a dead letter; a redrive begins a new window.
//
// What a parent sends to end its child goes the same way, for it can overtake
// the child's start: another process may take the parent on before the one that
// scheduled the child has sent it. Behind the window there was none to end.
func (t *turn) early(ctx context.Context, m *message) error {
	endsChild := m.endsChild()
	if m.item.Kind != wire.ExternalRaised && !endsChild {
		t.settle(m, "unknown_instance")
		return nil
	}
	now := t.Clock.Now()
	item := m.item
	if item.FirstSeenMS == 0 || m.redriven() {
		item.FirstSeenMS, item.Hops = now.UnixMilli(), 0
	}
	end := time.UnixMilli(item.FirstSeenMS).Add(t.Settings.EarlyWindow)
	if !now.Before(end) && endsChild {
		t.settle(m, "unknown_instance")
		return nil
	}
	if !now.Before(end) {
		return t.deadLetter(ctx, m, wire.ReasonUnknownInstance, fmt.Sprintf(
			"event %q for instance %q, which was not started within %s; redrive it after the start", item.Name, t.group.instance, t.Settings.EarlyWindow))
	}
	due := now.Add(grown(t.Settings.EarlyFirst, t.Settings.EarlyMax, item.Hops))
	if due.After(end) {
		due = end
	}
	if err := t.sendRound(ctx, &item, due); err != nil {
		return err
	}
	t.Observer.Count(CountDelayed, "early", 1)
	m.state = settled
	return nil
}

// endsChild reports whether it is what a parent sends to end its child.
func (m *message) endsChild() bool {
	return m.item.Parent != nil && (m.item.Kind == wire.CancelInstance || m.item.Kind == wire.TerminateInstance)
}

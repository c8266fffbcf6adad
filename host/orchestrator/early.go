package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// early deals with what comes for an instance that has not started. An event goes
// round the delay queue with growing delay, so that it holds up neither its
// group, in which the start may be next, nor others. If no start comes within
// the window it is a dead letter; a redrive begins a new window.
//
// What a parent sends to end its child goes the same way, for it can overtake
// the child's start, which may come back to be sent when the parent has gone on. After the window the start is forbidden. All else is
// acknowledged, with a line in the log: a client's cancel that overtakes its start is lost.
func (t *turn) early(ctx context.Context, m *inbox.Message) error {
	endsChild := m.EndsChild()
	if m.Item.Kind != wire.ExternalRaised && !endsChild {
		t.Logger.WarnContext(ctx, "message without effect: there is no such instance", "kind", m.Item.Kind, "instance", t.Instance, "id", m.Item.ID)
		t.Settle(m, "unknown_instance")
		return nil
	}
	window := t.Settings.Messages.EarlyWindow
	switch since, _ := t.RoundSince(m); {
	case t.Clock.Now().Sub(since) < window:
		return t.SendRoundWithin(ctx, m, window, "early")
	case endsChild:
		return t.forbidStart(ctx, m)
	}
	return t.DeadLetter(ctx, m, wire.ReasonUnknownInstance, fmt.Sprintf(
		"event %q for instance %q, which was not started within %s; redrive it after the start", m.Item.Name, t.Instance, window))
}

// forbidStart has a child's start refused if it comes after all: because nothing
// was received for as long as the window, or because it is redriven from the dead
// letters days later. The parent has closed the child, and nobody would end it. A
// tombstone without FreeAt refuses this start alone; others may use the id. Where
// the id is that of a purged instance already, it is held for longer: until the
// start, which was sent before, is too old to be applied.
func (t *turn) forbidStart(ctx context.Context, m *inbox.Message) error {
	if t.Held() {
		if err := t.hide(ctx); err != nil {
			return err
		}
		t.Settle(m, "purged_instance")
		return nil
	}
	p, now := m.Item.Parent, t.Clock.Now()
	tombstone := &store.Record{Instance: t.Instance, ExecutionID: 1, Purged: true, StartID: dispatch.ChildID(p.Instance, p.ExecutionID, p.EventID)}
	change := store.RecordChange{If: store.RecordCondition{Absent: true}, Create: tombstone, UpdatedAt: now}
	if r := t.Record; r != nil {
		tombstone.ExecutionID = r.ExecutionID
		change.If.ExecutionID, change.If.At = r.ExecutionID, now
	}
	if err := t.change(ctx, change); err != nil {
		return fmt.Errorf("host: start of instance %q not forbidden: %w", t.Instance, err)
	}
	t.Settle(m, "unknown_instance")
	return nil
}

// forbids reports whether the record is a tombstone without FreeAt (forbidStart)
// that refuses this start.
func forbids(r *store.Record, m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && r != nil && r.Purged && r.FreeAt.IsZero() && r.StartID == m.Item.ID
}

package host

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// exists deals with a start for an instance that runs or has run. Its own
// repeat is a duplicate. Another is acknowledged, so that no late redelivery
// revives a finished run; a parent that wanted the id for a child is told: that
// it is taken, or, if it may use the instance that has it, how that one ended.
// While that one runs, the parent stands in its history (engine/attach.go).
func (t *turn) exists(ctx context.Context, m *message) error {
	if t.startID() == m.item.ID || ofFormer(t.record, m) {
		t.settle(m, "duplicate")
		return nil
	}
	p := m.item.Parent
	if p == nil {
		t.settle(m, "exists")
		return nil
	}
	parent := &history.Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, Token: p.Token}
	end, err := t.endFor(ctx, m)
	if err != nil {
		return err
	}
	out := t.newOutbox()
	out.parent(parent, t.group.instance, m.item.Name, end)
	if err := t.flush(ctx, out); err != nil {
		return err
	}
	t.settle(m, "exists")
	return nil
}

// endFor returns as what the child of a parent counts that found its id taken.
func (t *turn) endFor(ctx context.Context, m *message) (*history.Event, error) {
	taken := func(format string, args ...any) *history.Event {
		return &history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{
			Kind: history.FailureAlreadyExists, Message: fmt.Sprintf(format, args...)}}
	}
	id := t.group.instance
	if !m.item.UseExisting {
		return taken("instance %q exists already, running or finished; choose another id for the child, or none, or use the existing one (UseExisting)", id), nil
	}
	if m.item.Parent.Instance == id {
		return taken("instance %q would wait for itself; choose another id for the child, or none", id), nil
	}
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	switch r := t.record; {
	case r == nil || r.Purged:
		return nil, fmt.Errorf("host: instance %q was purged while a parent found it: %w", id, store.ErrConflict)
	case r.Name != m.item.Name:
		return taken("instance %q exists already and runs orchestration %q, not %q; choose another id for the child, or none", id, r.Name, m.item.Name), nil
	case !r.Status.Terminal():
		return nil, fmt.Errorf("host: instance %q ended while a parent found it: %w", id, store.ErrConflict)
	case r.Status == store.StatusCompleted && t.damaged:
		return &history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{
			Kind: history.FailureApplication, Message: fmt.Sprintf("instance %q has completed, and the output in its record is damaged", id)}}, nil
	case r.Status == store.StatusCompleted:
		return &history.Event{Kind: history.OrchestrationCompleted, Payload: r.Output}, nil
	default:
		f := history.Failure{Kind: history.FailureApplication, Message: "the record holds no failure"}
		if r.Failure != nil {
			f = *r.Failure
		}
		return &history.Event{Kind: history.OrchestrationFailed, Failure: &f}, nil
	}
}

func (t *turn) startID() string {
	if t.record != nil {
		return t.record.StartID
	}
	return t.started().Start.StartID
}

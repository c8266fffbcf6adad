package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// exists deals with a start for an instance that runs or has run. Its own
// repeat is a duplicate. Another is acknowledged, so that no late redelivery
// revives a finished run; a parent that wanted the id for a child is told: that
// it is taken, or, if it may use the instance that has it, how that one ended.
// While that one runs, the parent stands in its history (engine/attach.go).
func (t *turn) exists(ctx context.Context, m *inbox.Message) error {
	startID := t.started().Start.StartID
	if t.Record != nil {
		startID = t.Record.StartID
	}
	if startID == m.Item.ID {
		t.Settle(m, "duplicate")
		return nil
	}
	if t.Record != nil && t.Record.Purged {
		return t.refuseStart(ctx, m)
	}
	var end *history.Event
	if m.Item.Parent != nil {
		var err error
		if end, err = t.endFor(ctx, m); err != nil {
			return err
		}
	}
	return t.tellRefused(ctx, m, "exists", end)
}

// tellRefused tells the parent of a start that begins nothing, if it has one, as
// what its child counts, and settles the start.
func (t *turn) tellRefused(ctx context.Context, m *inbox.Message, outcome string, end *history.Event) error {
	if m.Item.Parent != nil {
		out := t.outbox()
		out.Chain.Depth = m.Item.Depth
		out.Parent(recordedParent(m.Item.Parent), t.Instance, m.Item.Name, end, nil)
		if err := t.sender.Send(ctx, out); err != nil {
			return err
		}
	}
	t.Settle(m, outcome)
	return nil
}

// taken is the end of a child that found its id taken.
func taken(kind, format string, args ...any) *history.Event {
	return &history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

// endFor returns as what the child of a parent counts that found its id taken.
func (t *turn) endFor(ctx context.Context, m *inbox.Message) (*history.Event, error) {
	id := t.Instance
	if m.Item.OnConflict != wire.ConflictUseExisting {
		return taken(history.FailureAlreadyExists, "instance %q exists already, running or finished; choose another id for the child, or none, or use the existing one (UseExisting)", id), nil
	}
	if m.Item.Parent.Instance == id {
		return taken(history.FailureAlreadyExists, "instance %q would wait for itself; choose another id for the child, or none", id), nil
	}
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	switch r := t.Record; {
	case r == nil || r.Purged:
		return nil, fmt.Errorf("host: instance %q was purged while a parent found it: %w", id, store.ErrConflict)
	case r.Name != m.Item.Name:
		return taken(history.FailureAlreadyExists, "instance %q exists already and runs orchestration %q, not %q; choose another id for the child, or none", id, r.Name, m.Item.Name), nil
	case !r.Status.Terminal():
		return nil, fmt.Errorf("host: instance %q ended while a parent found it: %w", id, store.ErrConflict)
	case r.Status == store.StatusCompleted && t.Damaged:
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

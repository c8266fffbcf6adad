package host

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/wire"
)

// exists deals with a start for an instance that runs or has run. Its own
// repeat is a duplicate. Another is acknowledged, so that no late redelivery
// revives a finished run; a parent that wanted the id for a child is told.
func (t *turn) exists(ctx context.Context, m *message) error {
	if t.startID() == m.item.ID {
		t.settle(m, "duplicate")
		return nil
	}
	p := m.item.Parent
	if p == nil {
		t.settle(m, "exists")
		return nil
	}
	out := t.newOutbox()
	err := out.send(&wire.Item{V: wire.Version, Kind: wire.SubOrchFailed, ParentInstance: p.Instance, ParentExecutionID: p.ExecutionID,
		SourceEventID: p.EventID, Token: p.Token,
		Details: &wire.Failure{Kind: history.FailureAlreadyExists, Instance: t.group.instance, Source: m.item.Name,
			Message: fmt.Sprintf("instance %q exists already, running or finished; choose another id for the child, or none", t.group.instance)}})
	if err != nil {
		return err
	}
	if err := out.flush(ctx); err != nil {
		return err
	}
	t.settle(m, "exists")
	return nil
}

func (t *turn) startID() string {
	if t.record != nil {
		return t.record.StartID
	}
	return t.started().Start.StartID
}

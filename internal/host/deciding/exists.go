package deciding

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// exists handles a start for an instance that runs or has run. A repeat of the start that created
// it is a duplicate. Any other start is acknowledged, so that no late redelivery revives an ended
// instance. A parent that wanted the id for a child is notified that the id is taken or, if it may
// use the existing instance, of how that instance ended. While the existing instance runs, the
// parent is recorded in that instance's history instead (engine/attach.go).
func (s starting) exists(m *inbox.Message) (Plan, error) {
	r := s.View.Record
	known := s.Running.Started().Start.StartID == m.Item.ID
	if r != nil {
		known = r.KnowsStart(m.Item.ID)
	}
	switch {
	case known:
		return settle(m, "duplicate"), nil
	case r != nil && r.Purged:
		return s.refuseStart(m), nil
	case m.Item.Parent == nil:
		return settle(m, "exists"), nil
	}
	end, err := s.endFor(m)
	if err != nil {
		return Plan{}, err
	}
	return tellRefused(m, "exists", end), nil
}

// refuseStart settles a start whose id is reserved by a purged instance, so that it can never
// start. A parent is notified.
func (s starting) refuseStart(m *inbox.Message) Plan {
	free := s.View.Record.FreeAt.UTC().Format(time.RFC3339)
	p := tellRefused(m, "purged_id", taken(history.FailurePurged,
		"instance %q was purged, and its id can be reused from %s; choose another id for the child, or none", s.View.Instance, free))
	p.Reports = []Report{warning("start refused: an instance with this id was purged, and the id is still reserved",
		"instance", s.View.Instance, "id", m.Item.ID, "name", m.Item.Name, "free_at", free)}
	return p
}

// tellRefused settles a start that has no effect. If the start has a parent, it notifies the
// parent of this end.
func tellRefused(m *inbox.Message, outcome string, end *history.Event) Plan {
	p := settle(m, outcome)
	if m.Item.Parent != nil {
		p.Send.Parents = &Parents{Of: []*history.Parent{recordedParent(m.Item.Parent)}, Name: m.Item.Name, End: end, Chained: true, Depth: m.Item.Depth}
	}
	return p
}

// taken returns the end of a child whose id was taken.
func taken(kind, format string, args ...any) *history.Event {
	return &history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

// endFor returns the end that a parent receives for a child whose id was taken.
func (s starting) endFor(m *inbox.Message) (*history.Event, error) {
	id := s.View.Instance
	if !m.Item.OnConflict.UsesExisting() {
		return taken(history.FailureAlreadyExists, "instance %q already exists, running or ended; choose another id for the child, or none, or use the existing one (UseExisting)", id), nil
	}
	if m.Item.Parent.Instance == id {
		return taken(history.FailureAlreadyExists, "instance %q would wait for itself; choose another id for the child, or none", id), nil
	}
	if s.Answered != Record {
		return nil, &Read{What: Record}
	}
	switch r := s.View.Record; {
	case forking(r):
		return taken(history.FailureAlreadyExists, "instance %q is a fork whose copy is not complete; choose another id for the child, or none", id), nil
	case r == nil:
		return nil, fmt.Errorf("host: instance %q was purged while a parent found it: %w", id, store.ErrConflict)
	case r.Name != m.Item.Name:
		return taken(history.FailureAlreadyExists, "instance %q already exists and runs orchestration %q, not %q; choose another id for the child, or none", id, r.Name, m.Item.Name), nil
	case !r.Status.Terminal():
		return nil, fmt.Errorf("host: instance %q ended while a parent found it: %w", id, store.ErrConflict)
	case r.Status == store.StatusCompleted && s.View.Damaged:
		return &history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{
			Kind: history.FailureApplication, Message: fmt.Sprintf("instance %q has completed, and the output in its record is damaged", id)}}, nil
	case r.Status == store.StatusCompleted:
		return &history.Event{Kind: history.OrchestrationCompleted, Payload: r.Output}, nil
	default:
		f := history.Failure{Kind: history.FailureApplication, Message: "the record has no failure"}
		if r.Failure != nil {
			f = *r.Failure
		}
		return &history.Event{Kind: history.OrchestrationFailed, Failure: &f}, nil
	}
}

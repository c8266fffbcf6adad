package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A fork is a start whose origin is another instance: it creates a new instance, which continues as
// a redrive of the original would, and does not change the original. The fork has its own copy of
// the events, so it does not need the original afterwards. If one commit can hold the copy, nothing
// of the fork is visible before that commit. Otherwise its record exists earlier, with the status
// forking, while the start that reserved the number writes the copy. In all other respects a fork
// is a start: if its id is taken, it is refused.
//
// A fork that has not started is not an instance yet. Its start continues it; a purge, a terminate,
// and the sweep of forks that are 15 days old turn its record into a tombstone. Other starts are
// refused, or wait if they may use an existing instance. Events, and the requests of a parent to
// end its child, wait as for an instance that has not started. Everything else has no effect.

// fork determines the first events of the execution that the start m creates as a fork, or refuses
// the start. The plan is empty if it does neither.
func (s starting) fork(m *inbox.Message) (Plan, error) {
	r := &s.Running
	if !forks(m) || m.State != inbox.Unsettled || !r.Creating() || r.Redriven != nil || r.X.LastEventID() > 0 {
		return Plan{}, nil
	}
	d, err := s.forked(m)
	var of *store.Record
	switch {
	case err == nil:
		of = r.Origin.Record
	case d == nil:
		return Plan{}, err
	case m.Item.Parent != nil:
		// Its parent waits, so the child starts from the beginning.
		start := s.startArrival(&m.Item)
		d.Event, d.With = start.Event, start.With
	default:
		return s.refuseRedrive(m, wire.ReasonRedriveRefused, err)
	}
	return Plan{Next: &Next{Again: r.Execution, By: m, Redriven: d, Of: of}}, nil
}

// forked returns the plan for the first events of a fork. An error together with an empty plan
// means that nothing can be copied; an error without a plan means that something must be read
// first.
func (s starting) forked(m *inbox.Message) (*redriving.Plan, error) {
	o, v := m.Item.Origin, &s.Running.Origin
	if v.Instance != o.Instance || !v.Described {
		return nil, &Read{What: Origin, Instance: o.Instance}
	}
	refused := func(format string, args ...any) (*redriving.Plan, error) {
		return &redriving.Plan{}, &redriving.Error{Instance: o.Instance, ExecutionID: o.ExecutionID, EventID: o.EventID, Problem: fmt.Sprintf(format, args...)}
	}
	of := v.Record
	switch {
	case of == nil || of.Purged:
		return refused("there is no such instance, or it was purged")
	case forking(of):
		return refused("it is itself a fork that has not started")
	case of.Name != m.Item.Name:
		return refused("it runs orchestration %q, not %q", of.Name, m.Item.Name)
	case o.ExecutionID != 0 && o.ExecutionID != of.ExecutionID:
		return refused("it is at execution %d", of.ExecutionID)
	}
	turns, err := v.Turns(of.ExecutionID)
	if err != nil {
		return refused("%v", err)
	}
	request := redriving.Request{Instance: s.View.Instance, From: o.EventID, Completed: m.Item.Parent != nil, ExecutionID: s.Running.Execution, StartID: m.Item.ID,
		Parent: recordedParent(m.Item.Parent), Actor: m.Item.Actor, Reason: m.Item.Reason, Cancelled: cancelledBy(turns)}
	events := reading.EventsOf(turns)
	request.LimitKey, request.Limit = s.By.limitAgain(events)
	d, err := redriving.From(o.Instance, of.ExecutionID, redriving.AsEnded(events), request)
	if err != nil {
		return &redriving.Plan{}, err
	}
	return d, nil
}

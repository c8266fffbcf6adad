package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A fork is a start whose origin is another instance: it creates a new instance, which continues as
// a redrive of the other one would, and leaves the other one as it is. Its first commit has a copy
// of the events that it takes from the other, so nothing of the fork is visible before, and the
// other is not needed afterwards. In all other respects it is a start: if its id is taken, it is
// refused.

// forks reports whether a message is a start that forks an instance.
func forks(m *inbox.Message) bool {
	o := m.Item.Origin
	return m.Item.Kind == wire.StartOrchestration && o != nil && o.Instance != "" && o.Instance != m.Item.Instance
}

// fork determines the first events of the execution that the start m is to create as a fork. It
// reports whether it has determined them or has refused the start.
func (t *Turn) fork(p *Plan, m *inbox.Message) (bool, error) {
	r := &t.Running
	if !forks(m) || m.State != inbox.Unsettled || !r.Creating || r.Redriven != nil || r.X.LastEventID() > 0 {
		return false, nil
	}
	d, err := t.forked(m)
	var of *store.Record
	switch {
	case err == nil:
		of = r.Origin.Record
	case d == nil:
		return false, err
	case m.Item.Parent != nil:
		// Its parent waits, so the child starts from the beginning.
		start := t.startArrival(&m.Item)
		d.Event, d.With = start.Event, start.With
	default:
		return true, t.refuseRedrive(p, m, wire.ReasonRedriveRefused, err)
	}
	p.Next = &Next{Again: r.Execution, By: m, Redriven: &Redriven{d, m, of}}
	return true, nil
}

// forked returns the plan for the first events of a fork. An error together with an empty plan
// means that nothing can be copied; an error without a plan means that something must be read
// first.
func (t *Turn) forked(m *inbox.Message) (*redriving.Plan, error) {
	o, v := m.Item.Origin, &t.Running.Origin
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
	case of.Name != m.Item.Name:
		return refused("it runs orchestration %q, not %q", of.Name, m.Item.Name)
	case o.ExecutionID != 0 && o.ExecutionID != of.ExecutionID:
		return refused("it is at execution %d", of.ExecutionID)
	}
	turns, err := v.Turns(of.ExecutionID)
	if err != nil {
		return refused("%v", err)
	}
	request := redriving.Request{Instance: t.View.Instance, From: o.EventID, Completed: m.Item.Parent != nil, ExecutionID: t.Running.Execution, StartID: m.Item.ID,
		Parent: recordedParent(m.Item.Parent), Actor: m.Item.Actor, Reason: m.Item.Reason, Cancelled: cancelledBy(turns)}
	events := eventsOf(turns)
	request.LimitKey, request.Limit = t.limitAgain(events)
	d, err := redriving.From(o.Instance, of.ExecutionID, redriving.AsEnded(events), request)
	if err != nil {
		return &redriving.Plan{}, err
	}
	return d, nil
}

func eventsOf(turns []store.Turn) (all []history.Event) {
	for i := range turns {
		all = append(all, turns[i].Events...)
	}
	return all
}

// cancelledBy returns the operations that the commits of an execution have cancelled.
func cancelledBy(turns []store.Turn) (all []redriving.Cancelled) {
	for i := range turns {
		if c := turns[i].Cancelled; len(c) > 0 {
			all = append(all, redriving.Cancelled{Events: c, By: turns[i].Last()})
		}
	}
	return all
}

package engine

import "github.com/turnstile-go/turnstile/history"

// A start that found its id taken, and may use the instance that has it, is an
// arrival of that instance: ParentAttached. It does nothing to the code, goes
// over into each next execution, and is known again by the id of its start.
// Whoever stands in the history when the instance ends is told.

// attaching returns an arrival as what it is to this execution.
func (x *Execution) attaching(a *Arrival) *Arrival {
	e := &a.Event
	if !a.UseExisting || e.Kind != history.OrchestrationStarted || x.events.len() == 0 {
		return a
	}
	switch own, s := x.events.at(0), e.Start; {
	case s == nil || s.Parent == nil || s.Parent.Instance == x.cfg.Instance:
		return a // Nobody would be told, or it would wait for itself.
	case own.Name != e.Name || own.Start != nil && own.Start.StartID == s.StartID:
		return a
	}
	return &Arrival{Event: history.Event{Kind: history.ParentAttached, Start: &history.Start{StartID: e.Start.StartID, Parent: e.Start.Parent}}}
}

// judge says what becomes of an arrival in this execution.
func (x *Execution) judge(a *Arrival) Verdict { return x.ledger.judge(x.attaching(a)) }

// Attached returns the parents that wait for the instance besides the one that
// started it, in the order in which they came.
func (x *Execution) Attached() []*history.Parent {
	if y := x.instead.Load(); y != nil {
		return y.Attached()
	}
	var all []*history.Parent
	for i := range x.events.len() {
		all = appendAttached(all, x.events.at(i))
	}
	return all
}

// AttachedIn returns the parents that attached themselves in these events.
func AttachedIn(events []history.Event) []*history.Parent {
	var all []*history.Parent
	for i := range events {
		all = appendAttached(all, &events[i])
	}
	return all
}

func appendAttached(all []*history.Parent, e *history.Event) []*history.Parent {
	if e.Kind == history.ParentAttached && e.Start != nil && e.Start.Parent != nil {
		all = append(all, e.Start.Parent)
	}
	return all
}

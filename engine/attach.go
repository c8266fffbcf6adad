package engine

import "github.com/turnstile-go/turnstile/history"

// A start whose instance id is in use, and that may use the existing instance, becomes an arrival
// of that instance: ParentAttached. This event has no effect on the code. Every later execution
// receives it too. A repeat is recognized by its start id. When the instance ends, every parent
// that is attached in its history is notified.

// attaching returns the arrival in the form in which this execution would record it.
func (x *Execution) attaching(a *Arrival) *Arrival {
	e := &a.Event
	if !a.UseExisting || e.Kind != history.OrchestrationStarted || x.events.len() == 0 {
		return a
	}
	switch own, s := x.events.at(0), e.Start; {
	case s == nil || s.Parent == nil || s.Parent.Instance == x.cfg.Instance:
		return a // There is no parent to notify, or the instance would wait for itself.
	case own.Name != e.Name || own.Start != nil && own.Start.StartID == s.StartID:
		return a
	}
	return &Arrival{Event: history.Event{Kind: history.ParentAttached, Start: &history.Start{StartID: e.Start.StartID, Parent: e.Start.Parent}}}
}

// judge returns the verdict on an arrival for this execution.
func (x *Execution) judge(a *Arrival) Verdict { return x.ledger.judge(x.attaching(a)) }

// Attached returns the parents that wait for the instance in addition to the one that
// started it, in the order in which they attached.
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

// AttachedIn returns the parents that these events attach.
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

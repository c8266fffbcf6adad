package engine

import "github.com/turnstile-go/turnstile/history"

// Rule 14: a suspended execution records, and does not run. From an
// OrchestrationSuspended on arrivals are recorded one by one, like those of code that
// can't go on (rule 11): nothing is replayed, and no inline activity begins. The
// OrchestrationResumed is recorded too, and then all that stands since is visited in its
// order, as one round. Each suspend and each resume is recorded, known again by its
// sender's id: the first suspend counts, up to the next resume.
//
// Both do nothing to the code, so a history says the same to it however long the
// instance was suspended, and wherever.

// takeSuspended takes an arrival of a suspended execution.
func (x *Execution) takeSuspended(a *Arrival) Verdict {
	v := x.park(a)
	if v.Kind == Recorded && x.ledger.suspendedID == 0 {
		x.replay()
	}
	return v
}

// Suspended returns the OrchestrationSuspended since which no code runs, nil if it may
// run.
func (x *Execution) Suspended() *history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Suspended()
	}
	return x.suspended()
}

func (x *Execution) suspended() *history.Event {
	if x.ledger.suspendedID == 0 {
		return nil
	}
	return x.events.at(int(x.ledger.suspendedID) - 1)
}

// suspendedIn returns the first OrchestrationSuspended among events that no
// OrchestrationResumed follows.
func suspendedIn(events []history.Event) (suspended *history.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case history.OrchestrationSuspended:
			if suspended == nil {
				suspended = e
			}
		case history.OrchestrationResumed:
			suspended = nil
		}
	}
	return suspended
}

// Runnable returns the events of a history that code has gone by, or may: those ahead of
// the OrchestrationSuspended since which none runs.
func Runnable(events []history.Event) []history.Event {
	if n := len(events); n > 0 && events[n-1].Kind.Terminal() {
		return events
	}
	if s := suspendedIn(events); s != nil {
		return events[:s.EventID-events[0].EventID]
	}
	return events
}

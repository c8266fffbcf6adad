package engine

import "github.com/turnstile-go/turnstile/history"

// Rule 14: a suspended execution records, and does not run. From an
// OrchestrationSuspended on arrivals are recorded one by one, like those of code that
// can't go on (rule 11): nothing is replayed, and no inline activity begins. The
// OrchestrationResumed is recorded too, and then all that stands since is visited in its
// order, as one round. Each suspend and each resume is recorded, known again by its
// sender's id: since the first suspend the execution is suspended, up to the next resume,
// the last one says until when, if it says so, and the last one with a reason says why. The resume that the host sends at that
// time names it, and is late where another suspend or a resume has followed.
//
// A start can bring a suspend: then the code begins when that is over. If a limit holds for it, the
// resume is followed at once by a suspend with the key of the limit (Arrival.Queue).
//
// A suspend with the key of a limit waits for its turn under it. A cancel ends that wait: it
// is recorded with a resume behind it, and the code ends itself.
//
// Both do nothing to the code, so a history says the same to it however long the
// instance was suspended, and wherever.

// takeSuspended takes an arrival of a suspended execution.
func (x *Execution) takeSuspended(a *Arrival) Verdict {
	v := x.parkSuspended(a)
	if v.Kind == Recorded && x.ledger.suspendedID == 0 {
		x.replay()
	}
	return v
}

// parkSuspended records an arrival of an execution that is suspended, or that no code runs for.
func (x *Execution) parkSuspended(a *Arrival) Verdict {
	switch {
	case a.Event.Kind == history.OrchestrationCancelRequested && x.queued():
		over := *a
		over.With = []history.Event{{Kind: history.OrchestrationResumed, Reason: "cancelled while it waited for its turn", Actor: a.Event.Actor}}
		a = &over
	case a.Queue != nil && x.scheduled():
		queued := *a
		queued.With = []history.Event{*a.Queue}
		a = &queued
	}
	return x.park(a)
}

// scheduled reports whether the execution waits for the time that its start has given. One that was
// cancelled meanwhile needs no turn under a limit: its code ends itself.
func (x *Execution) scheduled() bool {
	e, start := x.suspended(), x.ledger.start
	return e != nil && e.EventID == 2 && e.FireAtMS > 0 && e.LimitKey == "" && start != nil && e.SenderID == start.StartID && x.ledger.cancelID == 0
}

// Suspended returns the OrchestrationSuspended since which no code runs, nil if it may
// run.
func (x *Execution) Suspended() *history.Event {
	if y := x.instead.Load(); y != nil {
		return y.Suspended()
	}
	return x.suspended()
}

// queued reports whether no code runs because the execution waits for its turn under a limit,
// and for nothing else.
func (x *Execution) queued() bool {
	return x.ledger.suspendedID != 0 && x.events.at(int(x.ledger.heldID)-1).LimitKey != ""
}

func (x *Execution) suspended() *history.Event {
	if x.ledger.suspendedID == 0 {
		return nil
	}
	return x.events.at(int(x.ledger.suspendedID) - 1)
}

// suspendedUntil is when it goes on by itself; 0 where it waits for a resume.
func (x *Execution) suspendedUntil() int64 {
	if x.ledger.heldID == 0 {
		return 0
	}
	return x.events.at(int(x.ledger.heldID) - 1).FireAtMS
}

// suspendedFor returns the suspend whose reason and actor count; nil while the code may run.
func (x *Execution) suspendedFor() *history.Event {
	if x.ledger.saidID == 0 {
		return nil
	}
	return x.events.at(int(x.ledger.saidID) - 1)
}

// suspendOf is the suspend that an arrival is about which names one: a resume the last,
// whose time has come; a suspend that moves that time the first.
func (l *ledger) suspendOf(arrival history.Kind) int64 {
	if arrival == history.OrchestrationSuspended {
		return l.suspendedID
	}
	return l.heldID
}

// untilIn is when an execution with these events goes on by itself.
func untilIn(events []history.Event) (ms int64) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case history.OrchestrationSuspended:
			ms = e.FireAtMS
		case history.OrchestrationResumed:
			ms = 0
		}
	}
	return ms
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

// saidIn is suspendedFor of an execution with these events.
func saidIn(events []history.Event) (said *history.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case history.OrchestrationSuspended:
			if said == nil || e.Reason != "" || said.Reason == "" {
				said = e
			}
		case history.OrchestrationResumed:
			said = nil
		}
	}
	return said
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

package engine

import "github.com/turnstile-go/turnstile/history"

// Rule 14: a suspended execution records arrivals and does not run. After an
// OrchestrationSuspended, arrivals are recorded one by one, as for code that cannot
// continue (rule 11): nothing is replayed, and no inline activity starts. When the
// OrchestrationResumed is recorded too, all arrivals since the suspend are visited in
// order, as one round.
//
// Every suspend and resume is recorded; a repeat is recognized by its sender's id. The execution is
// suspended from the first suspend until the next resume. If several suspends were recorded, the
// last one determines when the execution resumes, if it gives a time, and the last one with a
// reason determines the reason. The resume that the host sends at that time names the suspend, and
// is late if a further suspend or a resume has followed that suspend.
//
// A start can include a suspend; the code then starts when the suspend ends. If a
// limit applies to the instance, the resume is immediately followed by a suspend with the
// key of the limit (Arrival.Queue).
//
// A suspend with the key of a limit waits for a permit of the limit. A cancel ends that wait: it is
// recorded together with a resume, and the code then ends.
//
// Suspends and resumes have no effect on the code, so a replay does not depend on whether
// or how long the instance was suspended.

// takeSuspended records an arrival of a suspended execution, and runs the code if the
// arrival resumes it.
func (x *Execution) takeSuspended(a *Arrival) Verdict {
	v := x.parkSuspended(a)
	if v.Kind == Recorded && x.ledger.suspendedID == 0 {
		x.replay()
	}
	return v
}

// parkSuspended records an arrival of an execution that is suspended or cannot run.
func (x *Execution) parkSuspended(a *Arrival) Verdict {
	switch {
	case a.Event.Kind == history.OrchestrationCancelRequested && x.queued():
		over := *a
		over.With = []history.Event{{Kind: history.OrchestrationResumed, Reason: "cancelled while it waited for a permit", Actor: a.Event.Actor}}
		a = &over
	case a.Queue != nil && x.scheduled():
		queued := *a
		queued.With = []history.Event{*a.Queue}
		a = &queued
	}
	return x.park(a)
}

// scheduled reports whether the execution waits for the time that its start requested. It
// is false if the execution was cancelled in the meantime, because its code then ends
// without needing a permit.
func (x *Execution) scheduled() bool {
	e, start := x.suspended(), x.ledger.start
	return e != nil && e.EventID == 2 && e.FireAtMS > 0 && e.LimitKey == "" && start != nil && e.SenderID == start.StartID && x.ledger.cancelID == 0
}

// queued reports whether the execution is suspended only because it waits for a permit of
// a limit.
func (x *Execution) queued() bool {
	return x.ledger.suspendedID != 0 && x.events.at(int(x.ledger.heldID)-1).LimitKey != ""
}

// suspended returns the OrchestrationSuspended since which no code runs, or nil if code
// may run.
func (x *Execution) suspended() *history.Event {
	if x.ledger.suspendedID == 0 {
		return nil
	}
	return x.events.at(int(x.ledger.suspendedID) - 1)
}

// suspendedUntil returns the time at which the execution resumes by itself; 0 if it waits
// for a resume.
func (x *Execution) suspendedUntil() int64 {
	if x.ledger.heldID == 0 {
		return 0
	}
	return x.events.at(int(x.ledger.heldID) - 1).FireAtMS
}

// suspendedFor returns the suspend whose reason and actor apply, or nil if code may run.
func (x *Execution) suspendedFor() *history.Event {
	if x.ledger.saidID == 0 {
		return nil
	}
	return x.events.at(int(x.ledger.saidID) - 1)
}

// suspendOf returns the suspend that an arrival must name. A resume must name the last suspend,
// whose time is due; a suspend that changes the time must name the first.
func (l *ledger) suspendOf(arrival history.Kind) int64 {
	if arrival == history.OrchestrationSuspended {
		return l.suspendedID
	}
	return l.heldID
}

// untilIn returns the time at which an execution with these events resumes by itself.
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

// suspendedIn returns the first OrchestrationSuspended in events after the last
// OrchestrationResumed.
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

// saidIn returns what suspendedFor returns for an execution with these events.
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

// Runnable returns the events of a history that the code has visited or may visit: those
// before the OrchestrationSuspended since which no code runs.
func Runnable(events []history.Event) []history.Event {
	if n := len(events); n > 0 && events[n-1].Kind.Terminal() {
		return events
	}
	if s := suspendedIn(events); s != nil {
		return events[:s.EventID-events[0].EventID]
	}
	return events
}

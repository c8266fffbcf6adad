package engine

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// judge says what becomes of an arrival, in the order of docs/design.md: older
// execution, late; newer, misaddressed; ended, late; no such source or one of
// another kind, misaddressed; wrong token, forged; already completed,
// duplicate.
func (l *ledger) judge(a *Arrival) Verdict {
	e := &a.Event
	switch {
	case e.Kind == history.OrchestrationStarted:
		return l.judgeStart(e)
	case !e.Kind.Arrival():
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("%s is made by the code, nobody outside can send it", e.Kind)}
	}
	if l.entries.len() == 0 {
		return Verdict{Kind: Early, Reason: "the instance has not started"}
	}
	switch {
	case a.ExecutionID != 0 && a.ExecutionID < l.executionID && !l.carries(a):
		return Verdict{Kind: Late, Reason: fmt.Sprintf("it is for execution %d, the instance is at %d", a.ExecutionID, l.executionID)}
	case a.ExecutionID > l.executionID:
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("it is for execution %d, the instance is at %d", a.ExecutionID, l.executionID)}
	}
	// A fact that stands here already is a duplicate rather than late, so that
	// a redelivery finds the commit whose actions have to be sent again.
	if at, ok := l.find(a); ok {
		return Verdict{Kind: Duplicate, EventID: at}
	}
	if l.ended && e.Kind == history.ParentAttached {
		return Verdict{Kind: Exists, Reason: "the instance has ended"}
	}
	if l.ended {
		return Verdict{Kind: Late, Reason: "the execution has ended"}
	}
	if a.Suspend != 0 && a.Suspend != l.suspendOf(e.Kind) {
		return Verdict{Kind: Late, Reason: fmt.Sprintf("it is for the suspend at event %d, which a resume or another suspend has followed", a.Suspend)}
	}
	want := e.Kind.Completes()
	if want == history.KindUnknown {
		return Verdict{Kind: Recorded}
	}
	source := e.SourceEventID
	if source < 1 || source > int64(l.entries.len()) {
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("source_event_id %d names no event of this execution", source)}
	}
	src := l.entries.at(int(source - 1))
	switch {
	case src.kind != want:
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("source_event_id %d is %s, not %s", source, src.kind, want)}
	case src.inline != a.Inline:
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("event %d is an inline activity, which nobody outside can complete", source)}
	case !a.Inline && !a.Proven:
		return Verdict{Kind: Forged, Reason: fmt.Sprintf("its token is not that of event %d", source)}
	}
	return Verdict{Kind: Recorded}
}

// carries reports whether what completes an event in an earlier execution completes it
// here too, because the event was taken over while it was open. A failure does not: it may
// come from the end of that execution, which stopped what was open.
func (l *ledger) carries(a *Arrival) bool {
	since, carried := l.carried[a.Event.SourceEventID]
	return carried && a.ExecutionID >= since && redriving.Succeeds(a.Event.Kind)
}

// find looks for the very fact of an arrival: a completion that its token
// proves, an event or cancel known by its sender's id.
func (l *ledger) find(a *Arrival) (eventID int64, ok bool) {
	e := &a.Event
	switch e.Kind {
	case history.ExternalEvent, history.OrchestrationCancelRequested, history.ParentAttached,
		history.OrchestrationSuspended, history.OrchestrationResumed:
		if e.Kind == history.OrchestrationCancelRequested && l.cancelID != 0 {
			return l.cancelID, true
		}
		// No event is remembered as "".
		eventID, ok = l.senders[rememberedAs(e)]
		return eventID, ok
	}
	source := e.SourceEventID
	if source < 1 || source > int64(l.entries.len()) {
		return 0, false
	}
	src := l.entries.at(int(source - 1))
	if src.completed == 0 || src.kind != e.Kind.Completes() || src.inline != a.Inline || (!a.Inline && !a.Proven) {
		return 0, false
	}
	return src.completed, true
}

func (l *ledger) judgeStart(e *history.Event) Verdict {
	switch {
	case l.entries.len() == 0:
		return Verdict{Kind: Recorded}
	case e.Start != nil && l.start != nil && e.Start.StartID != "" && e.Start.StartID == l.start.StartID:
		return Verdict{Kind: Duplicate, EventID: max(l.redriven, 1)}
	}
	return Verdict{Kind: Exists, Reason: "the instance has been started already"}
}

package engine

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// judge returns the verdict on an arrival. It checks in the order of docs/design.md: older
// execution, late; lost in a restore, late; newer execution, misaddressed; already recorded,
// duplicate; ended, late; an update after too many rejections, refused; no such source, or a source
// of the wrong kind, misaddressed; wrong token, forged.
func (l *ledger) judge(a *Arrival) Verdict {
	e := &a.Event
	switch {
	case e.Kind == history.OrchestrationStarted:
		return l.judgeStart(e)
	case !e.Kind.Arrival():
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("%s is recorded by the engine and cannot be sent in a message", e.Kind)}
	}
	if l.entries.len() == 0 {
		return Verdict{Kind: Early, Reason: "the instance has not started"}
	}
	switch {
	case a.ExecutionID != 0 && a.ExecutionID < l.executionID && !l.carries(a):
		return Verdict{Kind: Late, Reason: fmt.Sprintf("it is for execution %d, but the current execution is %d", a.ExecutionID, l.executionID)}
	case l.lost(a):
		return Verdict{Kind: Late, Reason: fmt.Sprintf("it is for event %d of execution %d, recorded at %d, which was lost when the history was restored to an earlier time",
			a.source(), a.ExecutionID, a.SourceAtMS)}
	case a.ExecutionID > l.executionID:
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("it is for execution %d, but the current execution is %d", a.ExecutionID, l.executionID)}
	}
	// An arrival that is already recorded is a duplicate, not late, so that a redelivered
	// message finds the commit whose actions must be sent again.
	if at, ok := l.find(a); ok {
		return Verdict{Kind: Duplicate, EventID: at}
	}
	if l.ended && e.Kind == history.ParentAttached {
		return Verdict{Kind: Exists, Reason: "the instance has ended"}
	}
	if l.ended {
		return Verdict{Kind: Late, Reason: "the execution has ended"}
	}
	if _, update := e.Update(); update && l.rejected >= MaxRejectedUpdates {
		return Verdict{Kind: Refused, Reason: fmt.Sprintf("the execution has rejected %d updates, which is the limit; the next execution decides about updates again", l.rejected)}
	}
	if a.Suspend != 0 && a.Suspend != l.suspendOf(e.Kind) {
		return Verdict{Kind: Late, Reason: fmt.Sprintf("it is for the suspend at event %d, but a resume or another suspend came after it", a.Suspend)}
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
		return Verdict{Kind: Misaddressed, Reason: fmt.Sprintf("event %d is an inline activity, which a message cannot complete", source)}
	case !a.Inline && !a.Proven:
		return Verdict{Kind: Forged, Reason: fmt.Sprintf("its token does not match event %d", source)}
	}
	return Verdict{Kind: Recorded}
}

// source is the event that an arrival names, 0 for none.
func (a *Arrival) source() int64 {
	if a.Suspend != 0 {
		return a.Suspend
	}
	return a.Event.SourceEventID
}

// lost reports whether an arrival names an event that was lost when the history was restored to an
// earlier time. The arrival gives the time at which the event was recorded. The event was lost if
// the history has no event with that id, or has one that was recorded at a different time. A
// completion must prove its claim with its token; an operator's message needs none.
func (l *ledger) lost(a *Arrival) bool {
	source := a.source()
	switch {
	case a.SourceAtMS == 0 || source == 0 || !a.Proven && a.Event.Kind.Completes() != history.KindUnknown:
		return false
	case a.ExecutionID > l.executionID || source > int64(l.entries.len()):
		return true
	}
	return l.entries.at(int(source-1)).atMS != a.SourceAtMS
}

// carries reports whether a completion that was sent to an earlier execution also completes the
// event in this one, because the event was open when it was copied. A failure does not, because it
// may result from the end of the earlier execution, which stopped its open operations.
func (l *ledger) carries(a *Arrival) bool {
	since, carried := l.carried[a.Event.SourceEventID]
	return carried && a.ExecutionID >= since && redriving.Succeeds(a.Event.Kind)
}

// find looks for the event that already recorded an arrival: a completion whose token
// proves it, or an event, cancel, suspend, resume or attached parent with the same sender
// id.
func (l *ledger) find(a *Arrival) (eventID int64, ok bool) {
	e := &a.Event
	switch e.Kind {
	case history.ExternalEvent, history.OrchestrationCancelRequested, history.ParentAttached,
		history.OrchestrationSuspended, history.OrchestrationResumed:
		if e.Kind == history.OrchestrationCancelRequested && l.cancelID != 0 {
			return l.cancelID, true
		}
		// The map never has the key "".
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
	return Verdict{Kind: Exists, Reason: "the instance has already been started"}
}

package engine

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// ending is how the main function ended.
type ending struct {
	output  []byte
	failure *history.Failure
	// before is the kind of failure that histories have in its place which were
	// recorded ahead of the rule of asOwn; empty where it is the same.
	before string
	next   *continueAsNew
}

// endMain notes the end. Ready branches no longer run, open inline activities
// are not begun (rule 6).
func (x *Execution) endMain(c *coroutine) {
	switch {
	case c.err == nil && x.continues && x.cursor.live:
		// Rule 13. A recorded end stays what it is: earlier builds let it pass.
		x.fail(&StuckError{Kind: StuckPanic, Message: "the orchestration called ContinueAsNew" + at(x.continuedAt) +
			" and then completed without returning its result, so that it would have ended here; return the error that ContinueAsNew gives from the orchestration"})
	case c.err == nil:
		x.end = &ending{output: c.value}
	case c.next != nil:
		x.end = &ending{next: c.next}
	default:
		x.end = &ending{failure: c.failure}
		if x.end.failure.Source == "" {
			x.end.failure.Source = x.events.at(0).Name
		}
		x.end.asOwn(x.root.err != nil)
	}
}

// asOwn makes a failure that the code returns one of its own. An execution ends
// as cancelled only if it was cancelled itself: by an
// OrchestrationCancelRequested that was visited, whoever asked for it. An
// activity or a child that was cancelled, a scope that the code cancelled, or the
// loser of a select is a cause like any other: who waits for this instance may
// try again. Nor does code end as terminated: only a terminate does that.
func (e *ending) asOwn(cancelled bool) {
	if f := e.failure; f.Kind == history.FailureCancelled && !cancelled || f.Kind == history.FailureTerminated {
		e.before, f.Kind, f.Retryable = f.Kind, history.FailureApplication, true
	}
}

// FailureOf returns what failure an error of orchestration code is: its own, where
// it, or what it wraps, has a method Failure() *history.Failure (see package marks);
// cancelled if it is an ErrCancelled; a timeout if it is that of a scope; else an
// application failure with its text. Errors and timeouts are open to another
// attempt, as those of activities are.
func FailureOf(err error) *history.Failure {
	m := marks.Of(err)
	if m.Failure != nil {
		return m.Failure
	}
	var recorded *FailureError
	var scope *CancelledError
	switch {
	case errors.As(err, &scope) && scope.Timeout:
		return &history.Failure{Kind: history.FailureTimeout, Message: err.Error(), Retryable: true}
	case errors.Is(err, ErrCancelled):
		return &history.Failure{Kind: history.FailureCancelled, Message: err.Error()}
	case errors.As(err, &recorded):
		f := recorded.Failure
		f.Message = err.Error()
		return &f
	}
	return &history.Failure{Kind: history.FailureApplication, Message: err.Error(), Code: m.Code, Retryable: true}
}

// event returns the terminal event of the end.
func (e *ending) event() history.Event {
	switch {
	case e.next != nil:
		return history.Event{Kind: history.OrchestrationContinuedAsNew, Version: e.next.version, Payload: e.next.input}
	case e.failure != nil:
		return history.Event{Kind: history.OrchestrationFailed, Failure: e.failure}
	}
	return history.Event{Kind: history.OrchestrationCompleted, Payload: e.output}
}

// attempted says what the code did, for a nondeterminism error.
func (x *Execution) attempted() string {
	ev := x.end.event()
	return "ended with " + x.describe(&ev)
}

// appendEnd records the end, and closes what is open: timers are removed and
// activities asked to stop; children run on, nobody asked them to stop, unless
// they were started to go with their parent.
func (x *Execution) appendEnd(unvisited []history.Event) {
	for i := range x.ops.len() {
		if op := *x.ops.at(i); op != nil && op.state == open && op.stoppable() && (op.kind != history.SubOrchestrationScheduled || x.events.at(int(op.id)-1).OnParentEnd != "") {
			x.run.cancelled = append(x.run.cancelled, op.id)
		}
	}
	if x.end.next != nil {
		x.run.continued, x.run.carried = true, x.carried(unvisited)
	}
	end := x.end.event()
	x.append(&end)
	x.settled = true
	x.cursor.next = x.events.len()
}

// compareEnd holds the end that the code makes now against the recorded one
// (rule 4).
func (x *Execution) compareEnd(recorded *history.Event) {
	now := x.end.event()
	var normalize Normalizer
	if x.def.Normalize != nil {
		normalize = x.def.Normalize
	}
	difference := ""
	switch {
	case recorded.Kind != now.Kind:
		difference = "kind of end"
	case recorded.Version != now.Version:
		difference = "version"
	case recorded.Kind == history.OrchestrationCompleted && !sameInput(recorded.Payload, now.Payload, normalize):
		difference = "output"
	case recorded.Kind == history.OrchestrationContinuedAsNew && !bytes.Equal(recorded.Payload, now.Payload) && !sameInput(recorded.Payload, now.Payload, x.end.next.normalize):
		difference = "input"
	case recorded.Failure != nil && now.Failure != nil && (recorded.Failure.Kind != now.Failure.Kind && recorded.Failure.Kind != x.end.before || recorded.Failure.Message != now.Failure.Message || recorded.Failure.Code != now.Failure.Code):
		difference = "failure"
	}
	if difference != "" {
		x.nondeterminism(4, recorded.EventID, x.describe(recorded), fmt.Sprintf("%s (%s differs)", x.attempted(), difference), "")
	}
}

package engine

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// ending is the result of the main function.
type ending struct {
	output  []byte
	failure *history.Failure
	// before is the kind of failure that an earlier build recorded for the same end,
	// before asOwn existed; empty if the kind is the same.
	before string
	next   *continueAsNew
}

// endMain notes the end. Ready branches no longer run, and open inline activities are not
// started (rule 6).
func (x *Execution) endMain(c *coroutine) {
	switch {
	case c.err == nil && x.continues && x.cursor.live:
		// Rule 13. A recorded end keeps its meaning, because earlier builds allowed this.
		x.fail(&StuckError{Kind: StuckPanic, Message: "the orchestration called ContinueAsNew" + at(x.continuedAt) +
			" and then completed without returning its result, which would end the instance; return the error that ContinueAsNew returns"})
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

// asOwn turns the failure that the code returned into a failure of this execution. An execution
// ends as cancelled only if it was cancelled itself, by an OrchestrationCancelRequested that was
// visited. If an activity or a child was cancelled, the code cancelled a scope, or a select
// cancelled a loser, the execution fails as for any other cause, and the parent of this instance
// may retry it. Code cannot end an execution as terminated either; only a terminate can.
func (e *ending) asOwn(cancelled bool) {
	if f := e.failure; f.Kind == history.FailureCancelled && !cancelled || f.Kind == history.FailureTerminated {
		e.before, f.Kind, f.Retryable = f.Kind, history.FailureApplication, true
	}
}

// failureOf converts an error of orchestration code to a failure. If the error, or one
// that it wraps, has a method Failure() *history.Failure (see package marks), that is the
// failure. An ErrCancelled becomes a cancelled failure, the error of a timed-out scope a
// timeout, and any other error an application failure with its text. Application failures
// and timeouts are retryable, like those of activities.
func failureOf(err error) *history.Failure {
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

// event returns the terminal event for this end.
func (e *ending) event() history.Event {
	switch {
	case e.next != nil:
		return history.Event{Kind: history.OrchestrationContinuedAsNew, Version: e.next.version, Payload: e.next.input}
	case e.failure != nil:
		return history.Event{Kind: history.OrchestrationFailed, Failure: e.failure}
	}
	return history.Event{Kind: history.OrchestrationCompleted, Payload: e.output}
}

// attempted describes how the code ended, for a nondeterminism error.
func (x *Execution) attempted() string {
	ev := x.end.event()
	return "ended with " + x.describe(&ev)
}

// appendEnd records the end and closes open operations: timers are removed and activities
// are asked to stop. Children keep running, unless OnParentEnd says otherwise.
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

// compareEnd compares the end that the code has now reached with the recorded end (rule 4).
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

package check

import (
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// checkSize is L-02 for an event: nothing over its limit is recorded, what is exactly at its limit
// is recorded, and an activity fails as too large only if its input or its result was.
func (w *checker) checkSize(x *ledger.Recorded, t *store.Turn, e *history.Event) {
	limits, near := w.NearLimits()
	if near {
		switch e.Kind {
		case history.ExternalEvent:
			w.checkLength(t, e, "the data of an event", len(e.Payload), limits.Payload)
		case history.OrchestrationStarted:
			// An execution that continues as new, or continues where one failed, sends its input to
			// no one.
			if t.ExecutionID == 1 && e.Start != nil && e.Start.Origin == nil {
				w.checkLength(t, e, "an input", len(e.Payload), limits.Payload)
			}
		case history.SubOrchestrationCompleted:
			w.checkLength(t, e, "an output", len(e.Payload), limits.Payload)
		}
		if f := e.Failure; f != nil && (e.Kind == history.SubOrchestrationFailed || e.Kind == history.ActivityFailed) {
			w.checkLength(t, e, "the text of a failure", len(f.Message), limits.Text)
		}
	}
	most := w.Settings.Limits.Result
	if most == 0 || completes(e.Kind) != history.ActivityScheduled {
		return
	}
	w.checkLength(t, e, "a result", len(e.Payload), most)
	input := 0 // of an activity that was sent
	if scheduled := &x.Events[e.SourceEventID-1]; near && scheduled.Kind == history.ActivityScheduled && !scheduled.Inline {
		input = len(scheduled.Payload)
	}
	over := input > limits.Payload
	if over && e.Kind == history.ActivityCompleted {
		w.Violate("L-02", "activity %d of %s/%d has completed, with an input of %d bytes; the maximum is %d", e.SourceEventID, t.Instance, t.ExecutionID, input, limits.Payload)
	}
	if e.Failure == nil || e.Failure.Kind != history.FailureTooLarge {
		return
	}
	w.Reached("L-02, too large")
	if !over && !w.IsTooLarge(store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: e.SourceEventID}) {
		w.Violate("L-02", "activity %d of %s/%d fails as too large, but neither its input nor its result is: %s", e.SourceEventID, t.Instance, t.ExecutionID, e.Failure.Message)
	}
}

// checkLength verifies that a recorded value is not longer than its limit.
func (w *checker) checkLength(t *store.Turn, e *history.Event, what string, n, most int) {
	switch {
	case n > most:
		w.Violate("L-02", "event %d of %s/%d has %s of %d bytes; the maximum is %d", e.EventID, t.Instance, t.ExecutionID, what, n, most)
	case n == most:
		w.Reached("L-02, the longest of " + what)
	}
}

// checkTooLarge is L-02 for the failure of a child that its parent has recorded. It reports whether that was a failure
// because of the length of its input or of its output, which the child does not know.
func (w *checker) checkTooLarge(instance string, n int64, scheduled, completion *history.Event, r *store.Record) bool {
	limits, near := w.NearLimits()
	tooLarge := w.Rejected && completion.Failure != nil && completion.Failure.Kind == history.FailureTooLarge
	if r != nil && r.Failure != nil && r.Failure.Kind == history.FailureTooLarge {
		return tooLarge // The child itself has failed with it.
	}
	if !near {
		return tooLarge // The queue has rejected its start, or its output.
	}
	input, output := len(scheduled.Payload) > limits.Payload, r != nil && len(r.Output) > limits.Payload
	switch {
	case tooLarge:
		w.Reached("L-02, a child")
		if !input && !output && !w.Rejects() {
			w.Violate("L-02", "child %s of %s/%d fails as too large, and neither its input of %d bytes nor its output is: %s", scheduled.Instance, instance, n, len(scheduled.Payload), completion.Failure.Message)
		}
	case input && completion.Kind == history.SubOrchestrationCompleted:
		w.Violate("L-02", "child %s of %s/%d has completed, with an input of %d bytes; the maximum is %d", scheduled.Instance, instance, n, len(scheduled.Payload), limits.Payload)
	case completion.Failure != nil && r != nil && r.Failure != nil && completion.Failure.Kind == r.Failure.Kind && !cutOf(completion.Failure.Message, r.Failure.Message, limits.Text):
		w.Violate("L-02", "child %s has failed with %q; its parent %s/%d received %q", scheduled.Instance, r.Failure.Message, instance, n, completion.Failure.Message)
	}
	return tooLarge
}

// cutOf reports whether a text equals another, or is the start of one that was too long.
func cutOf(text, whole string, most int) bool {
	beginning, cut := strings.CutSuffix(text, "…")
	if len(whole) <= most {
		return text == whole
	}
	return cut && len(text) == most && strings.HasPrefix(whole, beginning)
}

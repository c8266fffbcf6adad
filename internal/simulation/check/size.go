package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// checkSize is L-02: a result as long as a result may be is recorded, and none that is longer;
// and an activity fails as too large only where it, or its result, was.
func (w *checker) checkSize(t *store.Turn, e *history.Event) {
	most := w.Settings.Limits.Result
	if most == 0 || completes(e.Kind) != history.ActivityScheduled {
		return
	}
	switch n := len(e.Payload); {
	case n > most:
		w.Violate("L-02", "event %d of %s/%d is a result of %d bytes, %d are the most", e.EventID, t.Instance, t.ExecutionID, n, most)
	case n == most:
		w.Reached("L-02, the longest result")
	}
	if e.Failure == nil || e.Failure.Kind != history.FailureTooLarge {
		return
	}
	w.Reached("L-02, too large")
	if !w.IsTooLarge(store.ActivityKey{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: e.SourceEventID}) {
		w.Violate("L-02", "activity %d of %s/%d fails as too large, and neither it nor its result is: %s", e.SourceEventID, t.Instance, t.ExecutionID, e.Failure.Message)
	}
}

package check

import (
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checkInterrupted is A-16 for the end of an activity that runs at most once: it fails as
// interrupted only if its policy has no attempt left, and only if no message of the same batch
// carries its result.
func (w *checker) checkInterrupted(in *world.Invocation, x *ledger.Recorded, t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != history.ActivityFailed || e.Failure == nil || e.Failure.Kind != history.FailureInterrupted {
			continue
		}
		r := x.Events[e.SourceEventID-1].Retry
		if r == nil || !r.AtMostOnce || x.Stopped[e.SourceEventID] || x.Never[e.SourceEventID] {
			continue // No attempt follows a cancelled one.
		}
		w.Reached("A-16")
		if e.Failure.Attempt < r.MaxAttempts {
			w.Violate("A-16", "activity %d of %s/%d failed because attempt %d was interrupted, and its policy has %d attempts", e.SourceEventID, t.Instance, t.ExecutionID, e.Failure.Attempt, r.MaxAttempts)
		}
		if in != nil && slices.ContainsFunc(in.Batch, func(m world.Delivered) bool { return w.brings(in.P, m, t, e.SourceEventID) }) {
			w.Violate("A-16", "activity %d of %s/%d failed because attempt %d was interrupted, and its result was in the same batch", e.SourceEventID, t.Instance, t.ExecutionID, e.Failure.Attempt)
		}
	}
}

// brings reports whether a message is the result of an activity or a failed attempt, and can
// be decoded by the process.
func (w *checker) brings(p *world.Process, m world.Delivered, t *store.Turn, source int64) bool {
	item, err := w.Item(m.Body)
	if err != nil || !w.Opens(p, m.Body) || item.Instance != t.Instance || item.SourceEventID != source || !w.isFor(item, t) || w.ByForger(item) || world.IsTooOld(item) {
		return false
	}
	return item.Kind == wire.ActivityCompleted || item.Kind == wire.ActivityFailed && (item.Details == nil || item.Details.Kind != history.FailureInterrupted)
}

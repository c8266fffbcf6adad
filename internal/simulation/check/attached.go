package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// checkAttached: every parent that waits for an instance, besides its own parent, is
// notified of its end, unless that parent has ended itself.
func (w *checker) checkAttached(instance string, e *history.Event) {
	if !w.Ledger.Ended(instance) {
		return
	}
	p := e.Start.Parent
	if p == nil {
		return // It waits for the instance from which this one was forked.
	}
	w.Reached("P-03")
	if x := w.Ledger.Executions[ledger.At(p.Instance, p.ExecutionID)]; x == nil || x.Completed[p.EventID] == 0 && x.End() == nil {
		w.Violate("P-03", "%s has ended, and %s/%d, which waits for it by event %d, was not notified", instance, p.Instance, p.ExecutionID, p.EventID)
	}
}

// checkAttachedCarried: a parent that waits for an instance waits for its last execution.
func (w *checker) checkAttachedCarried(x *ledger.Recorded, next *store.Turn) {
	for i := range x.Events {
		if x.Events[i].Kind != history.ParentAttached || x.Events[i].Start.Parent == nil {
			continue
		}
		found := false
		for _, e := range next.Events {
			found = found || e.Kind == history.ParentAttached && e.Start.StartID == x.Events[i].Start.StartID
		}
		if !found {
			w.Violate("P-03", "the parent that event %d of %s/%d attached is not carried over", i+1, next.Instance, next.ExecutionID-1)
		}
	}
}

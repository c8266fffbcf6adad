package simulation

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// checkAttached: whoever waits for an instance besides its own parent is told
// of its end, unless it has ended itself.
func (w *checker) checkAttached(instance string, e *history.Event) {
	if !w.ledger.ended(instance) {
		return
	}
	w.reached("P-03")
	p := e.Start.Parent
	if x := w.ledger.executions[executionKey{p.Instance, p.ExecutionID}]; x == nil || x.completed[p.EventID] == 0 && x.end() == nil {
		w.violate("P-03", "%s has ended, and %s/%d, which waits for it by event %d, was not told", instance, p.Instance, p.ExecutionID, p.EventID)
	}
}

// checkAttachedCarried: who waits for an instance waits for its last execution.
func (w *checker) checkAttachedCarried(x *recorded, next *store.Turn) {
	for i := range x.events {
		if x.events[i].Kind != history.ParentAttached {
			continue
		}
		found := false
		for _, e := range next.Events {
			found = found || e.Kind == history.ParentAttached && e.Start.StartID == x.events[i].Start.StartID
		}
		if !found {
			w.violate("P-03", "the parent that event %d of %s/%d attached does not go over", i+1, next.Instance, next.ExecutionID-1)
		}
	}
}

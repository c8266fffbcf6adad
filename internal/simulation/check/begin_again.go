package check

import (
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// checkBeginsAgain is O-09 for an execution that a start begins, where the instance is
// there and was not purged: the one before has ended, its number is the next, and no
// start begins the instance twice. It is called before the ledger takes the start in.
func (w *checker) checkBeginsAgain(t *store.Turn) {
	n := t.ExecutionID
	if n <= w.Ledger.Hidden[t.Instance]+1 {
		return
	}
	w.Reached("O-09")
	before := w.Ledger.Executions[ledger.At(t.Instance, n-1)]
	switch {
	case before == nil:
		w.Violate("O-09", "%s/%d begins, and there is no execution %d", t.Instance, n, n-1)
		return
	case before.End() == nil && w.Ledger.Unread[t.Instance] != n-1:
		w.Violate("O-09", "%s/%d begins again, and execution %d has not ended", t.Instance, n, n-1)
	}
	start := t.Events[0].Start
	for i := w.Ledger.Hidden[t.Instance] + 1; i < n; i++ {
		if x := w.Ledger.Executions[ledger.At(t.Instance, i)]; x != nil && start != nil && x.Events[0].Start != nil && x.Events[0].Start.StartID == start.StartID {
			w.Violate("O-09", "%s/%d begins again by start %s, by which execution %d has begun", t.Instance, n, start.StartID, i)
		}
	}
}

package simulation

import (
	"github.com/turnstile-go/turnstile/store"
)

// checkReason: who is stuck because its version is not there says so, and what
// there is.
func (w *checker) checkReason(r *store.Record, x *recorded) {
	if x == nil || len(x.events) == 0 {
		return
	}
	if r.Version != x.events[0].Version {
		w.violate("I-06", "the record of %s says version %q, its history %q", r.Instance, r.Version, x.events[0].Version)
	}
	if r.Status != store.StatusStuck || r.Problem == nil || r.Problem.Kind != "not_registered" {
		return
	}
	for n := w.ledger.hidden[r.Instance] + 1; n <= w.ledger.last[r.Instance]; n++ {
		// Who goes on without having looked at the record leaves the mark to its wake-up.
		if before := w.ledger.executions[executionKey{r.Instance, n}]; before != nil && quoted(r.Problem.Message, before.events[0].Version) {
			return
		}
	}
	if r.Version != "" {
		w.violate("V-02", "%s is stuck for its version %q, and says %q", r.Instance, r.Version, r.Problem.Message)
	}
}

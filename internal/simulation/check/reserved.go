package check

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// O-10: a number that is reserved for a copy becomes current in one commit, or never. Nothing reads
// what is stored under a number that never did.

// ReadsPart implements world.Watcher: only the start that reserved the number reads its copy, and no
// later execution is current then.
func (w *checker) ReadsPart(p *world.Process, instance string, execution int64) {
	if execution < w.Ledger.Last[instance] {
		w.Violate("O-10", "%s reads %s/%d, which never became current; execution %d is", p.Name, instance, execution, w.Ledger.Last[instance])
	}
}

// checkNoneForks is O-12 at the end of a run: no fork is left half copied.
func (w *checker) checkNoneForks() {
	page, err := w.Store.List(context.Background(), store.ListQuery{Status: store.StatusForking})
	for i := range page.Records {
		w.Violate("O-12", "%s is still forking (%v)", page.Records[i].Instance, err)
	}
}

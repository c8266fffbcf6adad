package check

import (
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// checkReason: an instance that is stuck because its version is missing names the version,
// and those that exist.
func (w *checker) checkReason(r *store.Record, x *ledger.Recorded) {
	if x == nil || len(x.Events) == 0 {
		return
	}
	if r.Version != x.Events[0].Version {
		w.Violate("I-06", "the record of %s has version %q, its history %q", r.Instance, r.Version, x.Events[0].Version)
	}
	if r.Status != store.StatusStuck || r.Problem == nil || r.Problem.Kind != "not_registered" {
		return
	}
	for n := w.Ledger.First(r.Instance); n <= w.Ledger.Last[r.Instance]; n++ {
		// A process that continues without reading the record leaves the problem to its
		// wake-up.
		before := w.Ledger.Executions[ledger.At(r.Instance, n)]
		if before == nil {
			continue
		}
		if v := before.Events[0].Version; quoted(r.Problem.Message, v) || v == "" && !strings.Contains(r.Problem.Message, "\" version \"") {
			return
		}
	}
	if r.Version != "" {
		w.Violate("V-02", "%s is stuck because of its version %q, and its problem is %q", r.Instance, r.Version, r.Problem.Message)
	}
}

// quoted reports whether a text contains a version in quotes.
func quoted(text, version string) bool { return strings.Contains(text, strconv.Quote(version)) }

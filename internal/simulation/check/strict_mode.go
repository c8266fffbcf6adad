package check

import (
	"strings"

	"github.com/turnstile-go/turnstile/store"
)

// strictly classifies a record: R-03, if it is stuck by rule 9, and continues later.
func (w *checker) strictly(r *store.Record) {
	switch stuck := r.Status == store.StatusStuck; {
	case stuck && r.Problem != nil && strings.Contains(r.Problem.Message, "(strict mode)"):
		note(&w.reach.strict, r.Instance, true)
	case !stuck && w.reach.strict[r.Instance]:
		delete(w.reach.strict, r.Instance)
		w.Reached("R-03, strict")
	}
}

package check

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/simulation/ledger"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// checkStatus is I-06: the record has the custom status that the history's code set last.
func (w *checker) checkStatus(instance string, n int64, events []history.Event, set []byte) {
	if w.Older || n != w.Ledger.Last[instance] || events[len(events)-1].Imposed != "" {
		return // Code of another build may have set another; and an end that was imposed runs no code.
	}
	r, err := w.Describe(instance)
	if err == nil && !bytes.Equal(r.CustomStatus, set) {
		w.Violate("I-06", "the record of %s has the custom status %s, by its history it is %s", instance, r.CustomStatus, set)
	}
}

// checkLosers is rule 8: the losers of a select are cancelled in the order of their
// scheduling, whatever the order of its arguments.
func (w *checker) checkLosers(x *ledger.Recorded, t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != history.SystemCall || e.Op != history.OpSideEffect || e.Name != program.LosersOf {
			continue
		}
		var ids []int64
		if err := json.Unmarshal(e.Payload, &ids); err != nil {
			w.Violate("world", "event %d of %s/%d: %v", e.EventID, t.Instance, t.ExecutionID, err)
		}
		last := -1
		for _, id := range ids {
			at := slices.Index(t.Cancelled, id)
			if at < 0 {
				if x.Completed[id] == 0 && !x.Stopped[id] {
					w.Violate("rule 8", "event %d of %s/%d lost a select, and is open", id, t.Instance, t.ExecutionID)
				}
				continue
			}
			if at < last {
				w.Violate("rule 8", "the losers %v of a select of %s/%d were cancelled in the order of %v", ids, t.Instance, t.ExecutionID, t.Cancelled)
			}
			last = at
		}
	}
}

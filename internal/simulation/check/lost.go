package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// seenDeaths is the number of processes that must have died while handling the message of
// an activity for it to be lost. The host requires more; a record that could not be
// removed, or landed late, counts there as a death.
const seenDeaths = 3

// countDeaths records which messages the dead process was handling.
func (w *checker) countDeaths(inv *world.Invocation) {
	if inv.P.Worker == nil {
		return
	}
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.ActivityExecute {
			w.Ledger.Outside.Deaths[store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}]++
		}
	}
}

// losing is W-06: an activity fails as lost only if processes died while handling it.
func (w *checker) losing(p *world.Process, item *wire.Item) {
	if item.Kind != wire.ActivityFailed || item.Details == nil || item.Details.Kind != history.FailureLost || p.Worker == nil {
		return
	}
	w.Lost = true
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SourceEventID}
	if n := w.Ledger.Outside.Deaths[key]; n < seenDeaths {
		w.Violate("W-06", "%s fails activity %d of %s/%d as lost, although only %d processes have died with it", p.Name, key.EventID, key.Instance, key.ExecutionID, n)
	}
}

package simulation

import (
	"slices"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// An id lives once: its tombstone refuses every start until no message of the
// instance that was purged can come any more.

// purgesOf are the ids of the purges of an instance among the messages.
func (w *checker) purgesOf(inv *invocation, instance string) (ids []string) {
	for _, m := range inv.batch {
		if item, err := w.item(m.Body); err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0 && item.Target() == instance {
			ids = append(ids, item.ID)
		}
	}
	return ids
}

// hides notes that an instance is hidden, or that its id is held for longer. It is
// O-04: a purge hides one instance, however often it comes.
func (w *checker) hides(inv *invocation, instance string, execution int64) {
	delete(w.of(inv).marked, instance) // It goes with the record.
	w.ledger.purged[instance] = w.clock.Now()
	if w.ledger.last[instance] != execution || w.ledger.hidden[instance] == execution {
		return
	}
	w.ledger.hidden[instance] = execution
	asked := w.purgesOf(inv, instance)
	w.checkOvertaken(inv, instance, execution, asked)
	if len(asked) != 1 {
		return
	}
	key := purgeKey{instance, asked[0]}
	if was, ok := w.ledger.outside.purged[key]; ok && was != execution {
		w.violate("O-04", "%s/%d was hidden by purge %s, which has hidden the instance that ended with execution %d", instance, execution, asked[0], was)
	}
	w.ledger.outside.purged[key] = execution
}

// checkOvertaken is O-04: what an invocation begins by a start that stands behind
// the one purge of its batch is not hidden by that purge.
func (w *checker) checkOvertaken(inv *invocation, instance string, execution int64, asked []string) {
	x := w.ledger.executions[executionKey{instance, execution}]
	if len(asked) != 1 || x == nil || x.events[0].Start == nil || w.ledger.born[instance] < inv.began {
		return
	}
	at := func(kind wire.Kind, id string) int {
		return slices.IndexFunc(inv.batch, func(m delivered) bool {
			item, err := w.item(m.Body)
			return err == nil && m.from == w.fifo && item.Kind == kind && item.Target() == instance && item.WithID(m.ID).ID == id
		})
	}
	if purge, start := at(wire.PurgeInstance, asked[0]), at(wire.StartOrchestration, x.events[0].Start.StartID); purge >= 0 && start > purge {
		w.violate("O-04", "%s has hidden %s/%d by purge %s, behind which its start stands", inv.p.name, instance, execution, asked[0])
	}
}

// checkBegins is O-04: an id is free again when every message of the instance
// that was purged is too old to be applied, and no earlier.
func (w *checker) checkBegins(t *store.Turn) {
	at, ok := w.ledger.purged[t.Instance]
	if !ok || t.First() != 1 || t.ExecutionID != w.ledger.hidden[t.Instance]+1 {
		return
	}
	w.reached("begun again")
	if since := w.clock.Now().Sub(at); since < wire.MaxAge {
		w.violate("O-04", "%s/%d begins %s after the purge of that id", t.Instance, t.ExecutionID, since)
	}
}

// checkSender is O-04: what somebody sent to an instance that was purged is taken
// by no other of that id.
func (w *checker) checkSender(p *process, t *store.Turn) {
	at, ok := w.ledger.purged[t.Instance]
	if !ok || p.dead || p.running == nil || t.ExecutionID <= w.ledger.hidden[t.Instance] {
		return
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.SenderID == "" {
			continue
		}
		for _, m := range p.running.batch {
			item, err := w.item(m.Body)
			if err == nil && item.Target() == t.Instance && item.WithID(m.ID).ID == e.SenderID && item.SentMS > 0 && item.SentMS < at.UnixMilli() {
				w.violate("O-04", "%s/%d takes %s of %s, which was sent before the purge of that id", t.Instance, t.ExecutionID, e.Kind, m.ID)
			}
		}
	}
}

package check

import (
	"context"
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An id is used once: its tombstone refuses every start until no message of the purged instance can
// arrive any more.

// purgesOf returns the ids of the purges of an instance among the messages.
func (w *checker) purgesOf(inv *world.Invocation, instance string) (ids []string) {
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0 && item.Target() == instance {
			ids = append(ids, item.ID)
		}
	}
	return ids
}

// Hides records that an instance is hidden, or that its id is blocked for longer. It is O-04: a purge
// hides one instance, however often it is delivered. By then everything that its executions had to stop
// has stopped, unless the purge has overtaken a message that was received before, or the histories were
// damaged: then unsent messages need not be sent.
func (w *checker) Hides(inv *world.Invocation, instance string, execution int64) {
	delete(w.of(inv).marked, instance) // It is deleted with the record.
	w.Ledger.Purged[instance] = w.Clock.Now()
	if w.Ledger.Last[instance] != execution || w.Ledger.Hidden[instance] == execution {
		return
	}
	w.checkArchived(inv, instance, execution)
	unsettled := w.unsettled(inv, instance) || w.requeues(instance) || w.WasDamaged(instance)
	if unsettled {
		note(&w.notices.forsaken, instance, true)
	}
	for n := w.Ledger.Hidden[instance] + 1; n <= execution; n++ {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		switch {
		case x == nil:
		case unsettled:
			w.forsake(ledger.At(instance, n))
		default:
			w.checkStopped(instance, n, x)
		}
	}
	w.Ledger.Hidden[instance] = execution
	asked := w.purgesOf(inv, instance)
	w.checkOvertaken(inv, instance, execution, asked)
	if len(asked) != 1 {
		return
	}
	key := ledger.Purge{Instance: instance, ID: asked[0]}
	if was, ok := w.Ledger.Outside.Purged[key]; ok && was != execution {
		w.Violate("O-04", "%s/%d was hidden by purge %s, which has hidden the instance that ended with execution %d", instance, execution, asked[0], was)
	}
	w.Ledger.Outside.Purged[key] = execution
}

// requeues reports whether a message for an instance, which was received before, or by two processes at
// once, is on its way through another queue. Then a purge may overtake it.
func (w *checker) requeues(instance string) bool {
	for _, q := range []*world.Queue{w.FIFO, w.Delay} {
		for _, m := range q.Queue.Peek() {
			item, err := w.Item(m.Body)
			if err != nil || item.Target() != instance {
				continue
			}
			if m.Attributes[wire.RedriveAttribute] != "" || item.Hops > 0 && w.HadDuplicate(item) {
				return true
			}
		}
	}
	return false
}

// checkOvertaken is O-04: the purge of a batch does not hide the instance that the same invocation
// starts with a later start in the batch. It may hide the instance that another process starts with that
// start: that process has already handled the purge, which is then applied twice.
func (w *checker) checkOvertaken(inv *world.Invocation, instance string, execution int64, asked []string) {
	x := w.Ledger.Executions[ledger.At(instance, execution)]
	if len(asked) != 1 || x == nil || x.Events[0].Start == nil || w.Ledger.Born[instance] < inv.Started || w.Ledger.Maker[instance] != inv.P.Name {
		return
	}
	at := func(kind wire.Kind, id string) int {
		return slices.IndexFunc(inv.Batch, func(m world.Delivered) bool {
			item, err := w.Item(m.Body)
			return err == nil && m.From == w.FIFO && item.Kind == kind && item.Target() == instance && item.WithID(m.ID).ID == id
		})
	}
	if purge, start := at(wire.PurgeInstance, asked[0]), at(wire.StartOrchestration, x.Events[0].Start.StartID); purge >= 0 && start > purge {
		w.Violate("O-04", "%s has hidden %s/%d by purge %s, although its start is behind that purge", inv.P.Name, instance, execution, asked[0])
	}
}

// checkStarts is O-04: an id can be reused when every message of the purged instance is too old to be
// applied, and not earlier.
func (w *checker) checkStarts(t *store.Turn) {
	at, ok := w.Ledger.Purged[t.Instance]
	if !ok || t.First() != 1 || w.Ledger.Before(t.Instance, t.ExecutionID) > w.Ledger.Hidden[t.Instance] || t.ExecutionID <= w.Ledger.Hidden[t.Instance] {
		return
	}
	w.Reached("restarted")
	if since := w.Clock.Now().Sub(at); since < wire.MaxAge {
		w.Violate("O-04", "%s/%d starts %s after the purge of that id", t.Instance, t.ExecutionID, since)
	}
}

// checkSender is O-04: a message that was sent to a purged instance is not recorded by a later instance
// of that id.
func (w *checker) checkSender(p *world.Process, t *store.Turn) {
	at, ok := w.Ledger.Purged[t.Instance]
	if !ok || p.Dead || p.Running == nil || t.ExecutionID <= w.Ledger.Hidden[t.Instance] {
		return
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.SenderID == "" {
			continue
		}
		for _, m := range p.Running.Batch {
			item, err := w.Item(m.Body)
			if err == nil && item.Target() == t.Instance && item.WithID(m.ID).ID == e.SenderID && item.SentMS > 0 && item.SentMS < at.UnixMilli() {
				w.Violate("O-04", "%s/%d records %s of %s, which was sent before the purge of that id", t.Instance, t.ExecutionID, e.Kind, m.ID)
			}
		}
	}
}

// checkDeleted is O-04: the histories of a purged instance are deleted in the end, including what is
// stored under numbers that never became current.
func (w *checker) checkDeleted(instance string, hidden int64) {
	for n := int64(1); n <= hidden; n++ {
		turns, err := w.Store.Read(context.Background(), instance, n, 1)
		if len(turns) > 0 || err != nil && !errors.Is(err, store.ErrNotFound) {
			w.Violate("O-04", "%s/%d was purged, but %d commits of its history still exist: %v", instance, n, len(turns), err)
		}
	}
	r, err := w.Store.Describe(context.Background(), instance)
	if left := w.LeftCopied(instance, max(hidden, r.Highest())); err == nil && len(left) > 0 {
		w.Violate("O-04", "%s/%d was purged, and something is stored under numbers that never became current: %v", instance, hidden, left)
	}
}

package check

import (
	"context"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Deletes records that an instance's histories are deleted while a message for it, received
// before, is not settled yet: the grace period ended before its redelivery. If its turn has
// not sent all its messages, the rest are never sent: a purge does not guarantee them.
// Instances that may have waited for one are forsaken.
func (w *checker) Deletes(instance string, upTo int64) {
	if w.checkDeletes(instance, upTo) {
		return // A pruned execution has no unsent messages any more.
	}
	if w.unsettled(nil, instance) {
		note(&w.notices.forsaken, instance, true)
	}
	for n := int64(1); n <= upTo && w.unsettled(nil, instance); n++ {
		w.forsake(ledger.At(instance, n))
	}
}

// unsettled reports whether a message for an instance, received before, is not settled yet.
// It leaves out the messages in the batch of inv (nil for none), those behind its purge in
// their group, which the purge has not overtaken, and requests that delete histories, because
// they end nothing.
func (w *checker) unsettled(inv *world.Invocation, instance string) bool {
	for _, q := range []*world.Queue{w.FIFO, w.Delay, w.DeadFIFO, w.DeadStandard} {
		behind := false
		for _, m := range q.Queue.Peek() {
			if behind = behind || q == w.FIFO && inv != nil && inv.Has(m.ID) && w.isPurgeOf(m.Body, instance); behind {
				break
			}
			if m.ReceiveCount == 0 && q != w.DeadFIFO && q != w.DeadStandard || inv != nil && inv.Has(m.ID) {
				continue
			}
			if item, err := w.Item(m.Body); err == nil && item.Target() == instance && item.UpToExecution == 0 && item.Kind != wire.InstanceEvent {
				return true
			}
		}
	}
	return false
}

// isPurgeOf reports whether a message purges an instance.
func (w *checker) isPurgeOf(body, instance string) bool {
	item, err := w.Item(body)
	return err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0 && item.Target() == instance
}

// forsake marks the instances that an execution is related to, and those that they are
// related to, as forsaken.
func (w *checker) forsake(key ledger.Execution) {
	x := w.Ledger.Executions[key]
	if x == nil {
		return
	}
	for i := range x.Events {
		e := &x.Events[i]
		names := []string{e.Instance}
		if e.Start != nil && e.Start.Parent != nil {
			names = append(names, e.Start.Parent.Instance)
		}
		for _, name := range names {
			if name != "" && name != key.Instance {
				w.Ledger.Forsaken[name] = true
			}
		}
	}
}

// spreadForsaken follows all relations of forsaken instances.
func (w *checker) spreadForsaken() {
	for n := -1; n != len(w.Ledger.Forsaken); {
		n = len(w.Ledger.Forsaken)
		for _, instance := range slices.Collect(maps.Keys(w.Ledger.Forsaken)) {
			for e := int64(1); e <= w.Ledger.Last[instance]; e++ {
				w.forsake(ledger.At(instance, e))
			}
		}
	}
}

// forbidden reports whether a start was refused: its parent had ended the child before it started, or
// the fork of another start is being copied under the id.
func (w *checker) forbidden(start *wire.Item) bool {
	r, err := w.Store.Describe(context.Background(), start.Instance)
	if err == nil && r.Status == store.StatusForking {
		return r.StartID != start.ID
	}
	p := start.Parent
	return err == nil && r.Purged && p != nil && w.Ledger.Outside.Closed[ledger.Child{Parent: p.Instance, Execution: p.ExecutionID, EventID: p.EventID}]
}

// forbids records the tombstone that causes it.
func (w *checker) forbids(instance string, c *store.RecordChange) {
	if c.Create != nil && c.Create.Purged {
		w.Ledger.Hidden[instance] = c.Create.ExecutionID
	}
}

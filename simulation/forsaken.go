package simulation

import (
	"context"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// deletes notes that an instance's histories go while a message for it, which
// was received before, is not settled yet: the grace was over before it came
// back. What it may not have sent is not sent any more, which is the one thing
// that a purge does not promise. Who may have waited for it is forsaken.
func (w *checker) deletes(instance string, upTo int64) {
	unsettled := false
	for _, q := range []*simQueue{w.fifo, w.delay, w.deadFIFO, w.deadStandard} {
		for _, m := range q.Queue.Peek() {
			item, err := w.item(m.Body)
			unsettled = unsettled || err == nil && item.Target() == instance && (m.ReceiveCount > 0 || q == w.deadFIFO || q == w.deadStandard)
		}
	}
	for n := int64(1); unsettled && n <= upTo; n++ {
		w.forsake(executionKey{instance, n})
	}
}

// forsake counts those whom an execution has to do with, and all with whom
// they have, among the forsaken.
func (w *checker) forsake(key executionKey) {
	x := w.ledger.executions[key]
	if x == nil {
		return
	}
	for i := range x.events {
		e := &x.events[i]
		names := []string{e.Instance}
		if e.Start != nil && e.Start.Parent != nil {
			names = append(names, e.Start.Parent.Instance)
		}
		for _, name := range names {
			if name != "" && name != key.instance {
				w.ledger.forsaken[name] = true
			}
		}
	}
}

// spreadForsaken follows them to the end.
func (w *checker) spreadForsaken() {
	for n := -1; n != len(w.ledger.forsaken); {
		n = len(w.ledger.forsaken)
		for _, instance := range slices.Collect(maps.Keys(w.ledger.forsaken)) {
			for e := int64(1); e <= w.ledger.last[instance]; e++ {
				w.forsake(executionKey{instance, e})
			}
		}
	}
}

// forbidden reports whether a parent that has ended its child before it was
// started has had its start refused.
func (w *checker) forbidden(start *wire.Item) bool {
	r, err := w.store.Describe(context.Background(), start.Instance)
	p := start.Parent
	return err == nil && r.Purged && p != nil && w.ledger.outside.closed[family{p.Instance, p.ExecutionID, p.EventID}]
}

// forbids notes the tombstone that does it.
func (w *checker) forbids(instance string, c *store.RecordChange) {
	if c.Create != nil && c.Create.Purged {
		w.ledger.hidden[instance] = c.Create.ExecutionID
	}
}

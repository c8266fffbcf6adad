package check

import (
	"errors"

	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// changing is a change of a record that was sent and has not landed, with the state that
// its process knew when it sent it.
type changing struct {
	p        *world.Process
	inv      *world.Invocation
	batch    []world.Delivered
	instance string
	change   *store.RecordChange
	// execution is the newest one that the process has seen.
	execution int64
	// before is the record just before the change, nil if there was none.
	before *store.Record
}

// changing returns the notes of a change that is about to be sent; nil if the change is not
// checked.
func (w *checker) changing(x *world.Write) *changing {
	p, c := x.By, x.Change
	if c == nil || c.Status == nil && c.Problem == nil && c.Stamp == nil || p.Running == nil {
		return nil
	}
	g := &changing{p: p, inv: p.Running, batch: p.Running.Batch, instance: x.Instance, change: c}
	for key := range p.Seen {
		if key.Instance == x.Instance {
			g.execution = max(g.execution, key.Execution)
		}
	}
	return g
}

// Meets records the record just before the change.
func (g *changing) meets(w *checker) {
	if g == nil {
		return
	}
	g.before = nil
	if r, err := w.Describe(g.instance); err == nil {
		g.before = &r
	}
}

// Landed checks a change that landed, with the turns that were committed with it.
func (g *changing) landed(w *checker, turns []store.Turn) {
	if g == nil || g.before == nil {
		return
	}
	c, before := g.change, g.before
	if c.Status == nil && c.Stamp == nil && c.Problem != nil && *c.Problem != nil {
		return // It only records that a wake was sent.
	}
	if len(turns) == 0 && c.Status != nil && *c.Status == store.StatusTerminated && w.WasDamaged(g.instance) {
		w.Ledger.Unread[g.instance] = before.ExecutionID
	}
	if len(turns) == 0 && (before.Status.Terminal() || before.ExecutionID > g.execution) && !(w.WasDamaged(g.instance) && damages(c)) {
		w.Violate("I-06", "%s changes the record of %s, which is %s in execution %d, but has seen only execution %d",
			g.p.Name, g.instance, before.Status, before.ExecutionID, g.execution)
	}
	if c.Problem == nil || *c.Problem == nil || before.Problem == nil || before.Status != store.StatusStuck {
		return
	}
	if (*c.Problem).Tries > before.Problem.Tries && !g.wakes(w, before.Stamp) {
		w.Violate("M-15", "%s counts try %d of %s, although no wake for problem %d requested it", g.p.Name, (*c.Problem).Tries, g.instance, before.Stamp)
	}
}

// loses records that a commit or a change of an instance was lost to another process.
func (w *checker) loses(inv *world.Invocation, instance string, err error) {
	if errors.Is(err, store.ErrConflict) {
		w.of(inv).lost.Set(instance, true)
	}
}

// lost reports whether the invocation has lost a commit or a change of the instance to
// another process: then its messages count as received before.
func (g *changing) lost(w *checker) bool { return w.of(g.inv).lost.Of(g.instance) }

// wakes reports whether the batch has a wake of the instance by an operator, a wake for the
// problem with this number, or a redelivered wake.
func (g *changing) wakes(w *checker, stamp int64) bool {
	for _, m := range g.batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.Wake && item.Instance == g.instance &&
			(item.Number == 0 || item.Number == stamp || m.ReceiveCount > 1 || m.Attributes[wire.RedriveAttribute] != "" || g.lost(w)) {
			return true
		}
	}
	return false
}

// damages reports whether a change records that a history is damaged, or ends an instance with a
// damaged history for a forced purge, whose writer has not read the history.
func damages(c *store.RecordChange) bool {
	return c.Status != nil && (*c.Status == store.StatusCorrupt || *c.Status == store.StatusTerminated)
}

package simulation

import (
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// changing is a change of a record on its way, and what its process knew when
// it sent it.
type changing struct {
	p        *process
	batch    []delivered
	instance string
	change   *store.RecordChange
	// execution is the newest that the process has seen.
	execution int64
	// before is the record that it met, nil if there was none.
	before *store.Record
}

// changing returns a change of a record that is about to be sent; nil if it has
// nothing that is looked at.
func (p *process) changing(instance string, c *store.RecordChange) *changing {
	if c == nil || c.Status == nil && c.Problem == nil && c.WakeNumber == nil || p.running == nil {
		return nil
	}
	g := &changing{p: p, batch: p.running.batch, instance: instance, change: c}
	for key := range p.seen {
		if key.instance == instance {
			g.execution = max(g.execution, key.execution)
		}
	}
	return g
}

// meets notes the record just before the change.
func (g *changing) meets(w *World) {
	if g == nil {
		return
	}
	g.before = nil
	if r, err := w.describe(g.instance); err == nil {
		g.before = &r
	}
}

// landed checks a change that was made, with the turns that were committed
// beside it.
func (g *changing) landed(w *World, turns []store.Turn) {
	if g == nil || g.before == nil {
		return
	}
	c, before := g.change, g.before
	if len(turns) == 0 && (before.Status.Terminal() || before.ExecutionID > g.execution) {
		w.violate("I-06", "%s changes the record of %s, which is %s in execution %d, and has seen execution %d only",
			g.p.name, g.instance, before.Status, before.ExecutionID, g.execution)
	}
	if c.Problem == nil || *c.Problem == nil || before.Problem == nil || before.Status != store.StatusStuck {
		return
	}
	if c.WakeNumber != nil && before.WakeNumber != 0 && !g.wakes(w, func(n int64) bool { return n == 0 || n == before.WakeNumber }) {
		w.violate("M-15", "%s arms wake-up %d of %s, and no wake with number %d asked for it", g.p.name, *c.WakeNumber, g.instance, before.WakeNumber)
	}
}

// wakes reports whether the batch has a wake of the instance with such a number.
func (g *changing) wakes(w *World, number func(int64) bool) bool {
	for _, m := range g.batch {
		if item, err := w.item(m.Body); err == nil && item.Kind == wire.Wake && item.Instance == g.instance && number(item.Number) {
			return true
		}
	}
	return false
}

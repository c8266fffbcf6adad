package simulation

import (
	"errors"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// changing is a change of a record on its way, and what its process knew when
// it sent it.
type changing struct {
	p        *process
	inv      *invocation
	batch    []delivered
	instance string
	change   *store.RecordChange
	// execution is the newest that the process has seen.
	execution int64
	// before is the record that it met, nil if there was none.
	before *store.Record
}

// changing returns what is to be noted of a change that is about to be sent; nil if it has
// nothing that is looked at.
func (w *checker) changing(x *write) *changing {
	p, c := x.by, x.change
	if c == nil || c.Status == nil && c.Problem == nil && c.Stamp == nil || p.running == nil {
		return nil
	}
	g := &changing{p: p, inv: p.running, batch: p.running.batch, instance: x.instance, change: c}
	for key := range p.seen {
		if key.instance == x.instance {
			g.execution = max(g.execution, key.execution)
		}
	}
	return g
}

// meets notes the record just before the change.
func (g *changing) meets(w *checker) {
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
func (g *changing) landed(w *checker, turns []store.Turn) {
	if g == nil || g.before == nil {
		return
	}
	c, before := g.change, g.before
	if c.Status == nil && c.Stamp == nil && c.Problem != nil && *c.Problem != nil {
		g.checkNote(w)
		return
	}
	if c.Stamp != nil && *c.Stamp != before.Stamp+1 {
		w.violate("stamp", "%s sets stamp %d of %s, which has %d", g.p.name, *c.Stamp, g.instance, before.Stamp)
	}
	if c.Problem != nil && *c.Problem == nil && before.Problem != nil && c.If.Stamp == nil && len(turns) == 0 {
		w.violate("stamp", "%s takes the mark of %s away, and demanded no stamp", g.p.name, g.instance)
	}
	if len(turns) == 0 && (before.Status.Terminal() || before.ExecutionID > g.execution) {
		w.violate("I-06", "%s changes the record of %s, which is %s in execution %d, and has seen execution %d only",
			g.p.name, g.instance, before.Status, before.ExecutionID, g.execution)
	}
	if c.Problem == nil || *c.Problem == nil || before.Problem == nil || before.Status != store.StatusStuck {
		return
	}
	if (*c.Problem).Tries > before.Problem.Tries && !g.wakes(w, before.Stamp) {
		w.violate("M-15", "%s counts try %d of %s, and no wake for mark %d asked for it", g.p.name, (*c.Problem).Tries, g.instance, before.Stamp)
	}
}

// checkNote: that a wake was sent changes nothing else of a mark, and is noted in no
// other than the one that the wake names.
func (g *changing) checkNote(w *checker) {
	note, before := **g.change.Problem, g.before.Problem
	if before == nil {
		w.violate("stamp", "%s notes a wake in a mark that %s does not have", g.p.name, g.instance)
		return
	}
	if note.WokenMS = before.WokenMS; recordText(&store.Record{Problem: &note}) != recordText(&store.Record{Problem: before}) {
		w.violate("stamp", "%s changes the mark of %s with the note of a wake", g.p.name, g.instance)
	}
}

// loses notes that a commit or a change of an instance was lost to another process.
func (w *checker) loses(inv *invocation, instance string, err error) {
	if errors.Is(err, store.ErrConflict) {
		w.of(inv).lost.set(instance, true)
	}
}

// lost reports whether the invocation has lost a commit or a change of the instance
// to another process: then its messages count as received before.
func (g *changing) lost(w *checker) bool { return w.of(g.inv).lost.of(g.instance) }

// wakes reports whether the batch has a wake of the instance by an operator, for the
// mark with this stamp, or one that comes back.
func (g *changing) wakes(w *checker, stamp int64) bool {
	for _, m := range g.batch {
		if item, err := w.item(m.Body); err == nil && item.Kind == wire.Wake && item.Instance == g.instance &&
			(item.Number == 0 || item.Number == stamp || m.ReceiveCount > 1 || m.Attributes[wire.RedriveAttribute] != "" || g.lost(w)) {
			return true
		}
	}
	return false
}

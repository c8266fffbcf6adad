package simulation

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/store"
)

// marks follows the suspect's marks that an invocation sets: who is told that
// its mark is in has to try to take it back before it returns, and before it marks
// another.
func (inv *invocation) marks(instance string, c *store.RecordChange, err error) {
	if c == nil {
		return
	}
	suspect := c.Suspect
	if c.Create != nil {
		suspect = &c.Create.Suspect
	}
	switch {
	case suspect == nil:
	case *suspect == "":
		delete(inv.marked, instance)
	case err == nil:
		note(&inv.marked, instance, *suspect)
		if len(inv.marked) > 1 {
			// If it dies now, it leaves the marks of all: which is the killer?
			inv.p.w.violate("W-09", "%s has suspects in %s at once", inv.p.name, strings.Join(slices.Sorted(maps.Keys(inv.marked)), " and "))
		}
	}
}

// checkReturned checks what an invocation leaves behind that has returned: M-10,
// on the FIFO queue everything of a group behind a failure goes back too; W-09, a
// turn that returned has not killed its process.
func (w *World) checkReturned(inv *invocation, failed map[string]bool) {
	var broken map[string]bool // by group
	for _, m := range inv.batch {
		switch {
		case !m.from.FIFO():
		case failed[m.ID]:
			if broken == nil {
				broken = map[string]bool{}
			}
			broken[m.Group] = true
		case broken[m.Group]:
			w.violate("M-10", "%s acknowledged %s, and handed back another message of its group that stands ahead of it", inv.p.name, m.ID)
		}
	}
	if len(inv.marked) == 0 {
		return
	}
	for _, instance := range slices.Sorted(maps.Keys(inv.marked)) {
		if r, err := w.store.Describe(context.Background(), instance); err != nil || r.Suspect != inv.marked[instance] {
			continue // Another process has ended the instance, and its marks with it.
		}
		w.violate("W-09", "%s returned, and left the mark of suspect %s on %s", inv.p.name, inv.marked[instance], instance)
	}
}

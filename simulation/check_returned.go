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
func (w *checker) marks(inv *invocation, instance string, c *store.RecordChange, err error) {
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
		delete(w.of(inv).marked, instance)
	case err == nil:
		note(&w.of(inv).marked, instance, *suspect)
		if len(w.of(inv).marked) > 1 {
			// If it dies now, it leaves the marks of all: which is the killer?
			w.violate("W-09", "%s has suspects in %s at once", inv.p.name, strings.Join(slices.Sorted(maps.Keys(w.of(inv).marked)), " and "))
		}
	}
}

// checkReturned checks what an invocation leaves behind that has returned: M-10,
// on the FIFO queue everything of a group behind a failure goes back too; W-09, a
// turn that returned has not killed its process.
func (w *checker) checkReturned(inv *invocation, failed map[string]bool) {
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
	if len(w.of(inv).marked) == 0 {
		return
	}
	for _, instance := range slices.Sorted(maps.Keys(w.of(inv).marked)) {
		if r, err := w.store.Describe(context.Background(), instance); err != nil || r.Suspect != w.of(inv).marked[instance] {
			continue // Another process has ended the instance, and its marks with it.
		}
		w.violate("W-09", "%s returned, and left the mark of suspect %s on %s", inv.p.name, w.of(inv).marked[instance], instance)
	}
}

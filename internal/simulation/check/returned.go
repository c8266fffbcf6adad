package check

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// marks tracks the suspected poison messages that an invocation records: if it learns that
// its record has landed, it has to try to remove it before it returns, and before it
// records another.
func (w *checker) marks(inv *world.Invocation, instance string, c *store.RecordChange, err error) {
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
		for of, mark := range w.of(inv).marked {
			if r, err := w.Describe(of); err == nil && r.Suspect != mark {
				delete(w.of(inv).marked, of) // That of another process was replaced.
			}
		}
		if len(w.of(inv).marked) > 1 {
			// If it dies now, it leaves several records: which one is the poison message?
			w.Violate("W-09", "%s has recorded suspects in %s at once", inv.P.Name, strings.Join(slices.Sorted(maps.Keys(w.of(inv).marked)), " and "))
		}
	}
}

// checkReturned checks what an invocation that has returned leaves behind: M-10, on the
// FIFO queue every message of a group behind a failure is returned too; W-09, a turn that
// returned has not killed its process.
func (w *checker) checkReturned(inv *world.Invocation, failed map[string]bool) {
	var broken map[string]bool // by group
	for _, m := range inv.Batch {
		switch {
		case !m.From.FIFO():
		case failed[m.ID]:
			if broken == nil {
				broken = map[string]bool{}
			}
			broken[m.Group] = true
		case broken[m.Group]:
			w.Violate("M-10", "%s acknowledged %s, and returned another message of its group that is in front of it", inv.P.Name, m.ID)
		}
	}
	for _, m := range inv.Batch {
		if inv.Refused[m.ID] {
			w.Reached("a renewal is refused")
			if !failed[m.ID] {
				w.Violate("A-10", "%s has not returned %s, although another process may have had it, because its renewal was refused", inv.P.Name, m.ID)
			}
		}
	}
	if len(w.of(inv).marked) == 0 {
		return
	}
	for _, instance := range slices.Sorted(maps.Keys(w.of(inv).marked)) {
		if r, err := w.Store.Describe(context.Background(), instance); err != nil || r.Suspect != w.of(inv).marked[instance] {
			continue // Another process has ended the instance, which removed its records too.
		}
		w.Violate("W-09", "%s returned, and left the mark of suspect %s on %s", inv.P.Name, w.of(inv).marked[instance], instance)
	}
}

package simulation

import (
	"fmt"
)

// violate notes a broken invariant.
func (w *World) violate(rule, format string, args ...any) {
	v := Violation{rule, withoutRoot(fmt.Sprintf(format, args...)), w.clock.Now()}
	w.violations = append(w.violations, v)
	w.log("VIOLATION %s: %s", v.Rule, v.Text)
}

// reached counts a situation.
func (w *World) reached(id string) { w.situations[id]++ }

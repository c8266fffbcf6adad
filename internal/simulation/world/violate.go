package world

import (
	"fmt"
)

// Violate notes a broken invariant.
func (w *World) Violate(rule, format string, args ...any) {
	v := Violation{rule, withoutRoot(fmt.Sprintf(format, args...)), w.Clock.Now()}
	w.Violations = append(w.Violations, v)
	w.Log("VIOLATION %s: %s", v.Rule, v.Text)
}

// Reached counts a situation.
func (w *World) Reached(id string) { w.situations[id]++ }

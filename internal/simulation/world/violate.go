package world

import (
	"fmt"
	"runtime/debug"
)

// Violate records a broken invariant.
func (w *World) Violate(rule, format string, args ...any) {
	v := Violation{rule, withoutRoot(fmt.Sprintf(format, args...)), w.Clock.Now()}
	w.Violations = append(w.Violations, v)
	w.Log("VIOLATION %s: %s", v.Rule, v.Text)
}

// panicked turns a panic into a violation. It is deferred.
func (w *World) panicked(r *Result) {
	if v := recover(); v != nil {
		w.Violate("panic", "what runs here panics: %v\n%s", v, debug.Stack())
		*r = w.Result()
	}
}

// Reached counts a situation.
func (w *World) Reached(id string) { w.situations[id]++ }

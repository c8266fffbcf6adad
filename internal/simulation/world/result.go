package world

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// Result of a run.
type Result struct {
	Seed uint64
	// Scope that it is a run of, otherwise "".
	Scope string
	// Violations of invariants; none if all is well.
	Violations []Violation
	// Faults that happened, by kind, and Counts of what the processes told.
	Faults map[string]int
	Counts map[string]int
	// Reached says how often the situation of each scenario was met, by id.
	Reached map[string]int
	// Steps, Commits and Processes of the run.
	Steps, Commits, Processes int
	// Sealed is how many payloads a codec has sealed; 0 where none is there.
	Sealed int
	// Story of a run with tracing: what was run, who did what, what the world
	// did to it, which invariant broke, and the histories. It is the same on
	// every machine.
	Story string
	// Choices of a run with tracing, for RunChoices; of a run of a scope, for
	// Scope.Repeat.
	Choices string
}

// Result of a run that is over.
func (w *World) Result() Result {
	r := Result{Violations: w.Violations, Faults: map[string]int{}, Counts: map[string]int{}, Reached: w.situations, Steps: w.Steps, Commits: w.Commits, Processes: w.started, Sealed: w.Sealing.sealed()}
	for f, n := range w.Faults {
		if n > 0 {
			r.Faults[fault.Kind(f).String()] = n
		}
	}
	for c, n := range w.counts {
		r.Counts[string(c.counter)+": "+c.reason] = n
	}
	if w.Choices.Record != nil {
		r.Choices = choice.Format(w.Choices.Record.Made)
	}
	if w.Tracing {
		r.Story = withoutRoot(w.story())
	}
	return r
}

// Failed reports whether an invariant was broken.
func (r *Result) Failed() bool { return len(r.Violations) > 0 }

// Text says what was broken.
func (r *Result) Text() string {
	var all []string
	run := fmt.Sprintf("seed %d", r.Seed)
	if r.Scope != "" {
		run = "scope " + r.Scope + " choices " + r.Choices
	}
	for _, v := range r.Violations {
		all = append(all, fmt.Sprintf("%s: %s: %s", run, v.Rule, v.Text))
	}
	return strings.Join(all, "\n")
}

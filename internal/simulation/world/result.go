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
	// Scope is the name of the scope if the run belongs to one, otherwise "".
	Scope string
	// Violations of invariants; none if the run is correct.
	Violations []Violation
	// Faults counts the faults that happened, by kind, and Counts the observations that
	// processes reported.
	Faults map[string]int
	Counts map[string]int
	// Reached counts the occurrences of each scenario's situation, by id.
	Reached map[string]int
	// Steps, Commits and Processes are the counts of the run.
	Steps, Commits, Processes int
	// Encoded is the number of payloads that a codec has encoded; 0 without a codec.
	Encoded int
	// Story of a traced run: its program, what each process did, which faults happened,
	// which invariant broke, and the histories. It is the same on every machine.
	Story string
	// Choices of a traced run, for RunChoices; of a run of a scope, for Scope.Repeat.
	Choices string
}

// Result returns the result of a finished run.
func (w *World) Result() Result {
	r := Result{Violations: w.Violations, Faults: map[string]int{}, Counts: map[string]int{}, Reached: w.situations, Steps: w.Steps, Commits: w.Commits, Processes: w.started, Encoded: w.Encoding.encoded()}
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

// Text describes the violations.
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

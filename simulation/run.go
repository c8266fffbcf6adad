package simulation

import (
	"fmt"
	"strings"
)

// Result of a run.
type Result struct {
	Seed uint64
	// Violations of invariants; none if all is well.
	Violations []Violation
	// Faults that happened, by kind, and Counts of what the processes told.
	Faults map[string]int
	Counts map[string]int
	// Steps, Commits and Processes of the run.
	Steps, Commits, Processes int
	// Story of a run with tracing: what was run, who did what, what the world
	// did to it, and the histories.
	Story string
}

// Run runs a seed. The same seed always gives the same run. With tracing it
// writes its story, which changes nothing else.
func Run(seed uint64, tracing bool) Result {
	r := run(seeded(seed), tracing)
	r.Seed = seed
	return r
}

// run runs what the choices say.
func run(c choices, tracing bool) Result {
	w := newWorld(c, tracing)
	if w.choices.oneIn(w.choices.at(ofProgram, "sample application"), 8) {
		w.scenario = newOrdersScenario(w)
	} else {
		w.scenario = newRandomScenario(w)
	}
	w.good = w.scenario.working()
	w.build = w.good
	defer w.close()
	w.scenario.begin(w)
	w.run()
	if len(w.violations) == 0 {
		w.checkEnd()
	}
	r := Result{Violations: w.violations, Faults: map[string]int{}, Counts: w.Counts, Steps: w.Steps, Commits: w.Commits, Processes: w.started}
	for f, n := range w.Faults {
		if n > 0 {
			r.Faults[Fault(f).String()] = n
		}
	}
	if tracing {
		r.Story = w.scenario.String() + fmt.Sprintf("settings %+v, %d processes of each role, faults until %s or %d\n\n",
			w.settings, w.slots, w.at(w.plan.until), w.plan.left) + w.trace.String() + "\n" + w.histories()
	}
	return r
}

// Failed reports whether an invariant was broken.
func (r *Result) Failed() bool { return len(r.Violations) > 0 }

// Text says what was broken.
func (r *Result) Text() string {
	var all []string
	for _, v := range r.Violations {
		all = append(all, fmt.Sprintf("seed %d: %s: %s", r.Seed, v.Rule, v.Text))
	}
	return strings.Join(all, "\n")
}

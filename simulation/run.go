package simulation

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/simulation/choice"
)

// Result of a run.
type Result struct {
	Seed uint64
	// Scope that it is a run of, else "".
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

// Run runs a seed. The same seed always gives the same run. With tracing it
// writes its story, which changes nothing else.
func Run(seed uint64, tracing bool) Result {
	c := choice.Seeded(seed)
	if tracing {
		c.Record = choice.NewRecord()
	}
	r := run(c, tracing)
	r.Seed = seed
	return r
}

// RunChoices runs choices in their text form, with the story: the run that they
// were recorded of.
func RunChoices(text string) (Result, error) {
	made, err := choice.Parse(text)
	if err != nil {
		return Result{}, err
	}
	return run(choice.Choices{Source: choice.NewReplay(made), Record: choice.NewRecord()}, true), nil
}

// run runs what the choices say in a world that is set up so.
func run(c choice.Choices, tracing bool, setup ...func(*World)) Result {
	return runOn(c, tracing, inMemory{}, setup...)
}

func runOn(c choice.Choices, tracing bool, on Services, setup ...func(*World)) Result {
	w := newWorld(c, tracing, on)
	for _, f := range setup {
		f(w)
	}
	if w.choices.OneIn(w.choices.At(choice.OfProgram, "sample application"), 8) {
		w.scenario = newOrdersScenario(w)
	} else {
		w.scenario = newRandomScenario(w)
	}
	w.good = w.scenario.working()
	w.build = w.good
	defer w.close()
	w.scenario.begin(w)
	w.planOutages()
	w.run()
	if len(w.violations) == 0 && !w.givenUp {
		w.watch.end()
	}
	return w.result()
}

// result of a run that is over.
func (w *World) result() Result {
	r := Result{Violations: w.violations, Faults: map[string]int{}, Counts: map[string]int{}, Reached: w.situations, Steps: w.Steps, Commits: w.Commits, Processes: w.started, Sealed: w.sealing.sealed()}
	for f, n := range w.Faults {
		if n > 0 {
			r.Faults[Fault(f).String()] = n
		}
	}
	for c, n := range w.counts {
		r.Counts[string(c.counter)+": "+c.reason] = n
	}
	if w.choices.Record != nil {
		r.Choices = choice.Format(w.choices.Record.Made)
	}
	if w.tracing {
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

package simulation

import (
	"github.com/turnstile-go/turnstile/internal/simulation/check"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/scenario"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Run runs a seed. The same seed always gives the same run. With tracing it writes its
// story, which changes nothing else.
func Run(seed uint64, tracing bool) world.Result {
	c := choice.Seeded(seed)
	if tracing {
		c.Record = choice.NewRecord()
	}
	r := Make(c, tracing)
	r.Seed = seed
	return r
}

// RunChoices runs choices in their text form, with the story: it repeats the run in which
// they were recorded.
func RunChoices(text string) (world.Result, error) {
	made, err := choice.Parse(text)
	if err != nil {
		return world.Result{}, err
	}
	return Make(choice.Choices{Source: choice.NewReplay(made), Record: choice.NewRecord()}, true), nil
}

// Make runs the choices in a world with this setup.
func Make(c choice.Choices, tracing bool, setup ...func(*world.World)) world.Result {
	return runOn(c, tracing, nil, setup...)
}

func runOn(c choice.Choices, tracing bool, on world.Services, setup ...func(*world.World)) world.Result {
	w := world.New(c, world.Options{Tracing: tracing, On: on, Watch: Watched})
	for _, f := range setup {
		f(w)
	}
	return w.Play(scenario.Draw(w))
}

// Watched returns the checks as the watcher of a world.
func Watched(w *world.World) world.Watcher { return check.New(w) }

// RunBiased is Run with a bias; for an unknown name it returns an error that lists the
// names.
func RunBiased(seed uint64, name string, tracing bool) (world.Result, error) {
	b, err := world.BiasOf(name)
	if err != nil {
		return world.Result{}, err
	}
	c := choice.Seeded(seed)
	c.Bias = int(b)
	if tracing {
		c.Record = choice.NewRecord()
	}
	r := Make(c, tracing)
	r.Seed = seed
	return r, nil
}

// RunOn is Run on other services. It does the same, step by step.
func RunOn(seed uint64, on world.Services) world.Result {
	r := runOn(choice.Seeded(seed), false, on)
	r.Seed = seed
	return r
}

// Result of a run.
type Result = world.Result

// Biases returns the names of the biases that a run can have.
func Biases() []string { return world.Biases() }

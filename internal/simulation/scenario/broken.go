package scenario

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// broken returns a build of an application in which one orchestration, chosen at random,
// diverges from every history and panics. names are all of its orchestrations.
func broken(w *world.World, names ...string) *world.Build {
	missing := w.Choices.IntN(w.How(fault.Deployed), len(names))
	var all []engine.Orchestration
	for i, name := range names {
		if i == missing {
			all = append(all, engine.Orchestration{Name: name, Source: "simulation", Func: func(ctx *engine.Context, _ []byte) ([]byte, error) {
				ctx.Activity(engine.ActivityCall{Name: "intruder"})
				panic("this build does not work")
			}})
			continue
		}
		o, err := w.Good.Orchestrations.Lookup(name, "")
		if err != nil {
			panic(err)
		}
		all = append(all, *o)
	}
	r, err := engine.NewRegistry(all...)
	if err != nil {
		panic(err)
	}
	return &world.Build{Name: fmt.Sprintf("broken%d (%s)", w.Bad, names[missing]), Orchestrations: r}
}

package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/scenario"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Scope is a world so small that every run of it can be made: a fixed program, the messages
// that clients send, two processes, and a limit for each sort of fault. Explore makes all of
// its runs.
type Scope struct {
	// Name of the scope, and About its subject in a sentence.
	Name, About string
	// Large is set if it is searched by the soak command, not in CI.
	Large bool
	world.Limits

	// code is the code of the orchestrations, by name; bad is the code of the build that is
	// deployed first, nil for the same code.
	code, bad map[string]engine.Func
	// fails is the input for which the activity fails in the build that is deployed first.
	fails string
	// outcomes are the possible ends of each instance: its output if it has completed,
	// otherwise its status; "" if it need not exist.
	outcomes map[string][]string
	sabotage world.Sabotage
}

// ScopeNamed returns a scope of Scopes.
func ScopeNamed(name string) (*Scope, error) {
	var names []string
	for _, s := range Scopes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("there is no scope %q; there are %q", name, names)
}

// broken is the name of the build that is deployed first.
const broken = "broken"

// A scope is a scenario; the walk starts it.

var _ world.Scenario = (*Scope)(nil)

func (s *Scope) registry(name string, code map[string]engine.Func) *world.Build {
	var all []engine.Orchestration
	for orchestration, f := range code {
		all = append(all, engine.Orchestration{Name: orchestration, Func: f, Source: "simulation"})
	}
	r, err := engine.NewRegistry(all...)
	if err != nil {
		panic(err)
	}
	return &world.Build{Name: name, Orchestrations: r}
}

func (s *Scope) Working() *world.Build { return s.registry("working", s.code) }

func (s *Scope) Activities(p *world.Process) *activities.Registry {
	r, err := activities.NewRegistry(activities.Activity{Name: "work", Source: "simulation", Func: func(_ context.Context, input []byte) ([]byte, error) {
		if s.fails != "" && p.Code.Name == broken && program.Text(input) == s.fails {
			return nil, errors.New("this build fails")
		}
		p.W.Log("%s does the work %s", p.Name, input)
		return input, nil
	}})
	if err != nil {
		panic(err)
	}
	return r
}

func (s *Scope) Broken(*world.World) *world.Build           { return s.registry(broken, s.bad) }
func (s *Scope) Inline(*world.Process) *activities.Registry { return nil }
func (s *Scope) Start(*world.World)                         {}
func (s *Scope) Created(*world.World, string, string)       {}
func (s *Scope) Size() string                               { return world.Plural(len(s.outcomes), "instance") }

// String describes the scope.
func (s *Scope) String() string {
	return fmt.Sprintf("scope %s: %s (%+v, cached %t, workers %t, scheduled %t)\n", s.Name, s.About, s.Allowance, s.Cached, s.Workers, s.Scheduled)
}

// Check compares how each instance ended with its possible outcomes.
func (s *Scope) Check(w *world.World) {
	for instance, outcomes := range s.outcomes {
		r, err := w.Store.Describe(context.Background(), instance)
		if err != nil && slices.Contains(outcomes, "") {
			continue // It need not exist.
		}
		if err != nil {
			w.Violate("outcome", "%s was never started", instance)
			continue
		}
		if end := scenario.Ending(&r); !slices.Contains(outcomes, end) {
			w.Violate("outcome", "%s ended as %s, and may only as %q", instance, end, outcomes)
		}
	}
}

func (s *Scope) Purge(*world.World)                                                 {}
func (s *Scope) Landed(*world.World, *world.Process, *ledger.Recorded, *store.Turn) {}
func (s *Scope) Marked(*world.World, *store.Record)                                 {}
func (s *Scope) Program(string) *program.Program                                    { return nil }
func (s *Scope) IsRandom() bool                                                     { return false }

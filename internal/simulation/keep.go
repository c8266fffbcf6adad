package simulation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/scenario"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// Keep runs a seed and returns its random programs with the history of every execution, for
// tests of later builds. For a seed that runs the sample application it returns only
// exports. A run that breaks an invariant is not kept.
func Keep(seed uint64) (programs *kept.Run, sample []history.Export, err error) {
	var w *world.World
	r := Make(choice.Seeded(seed), false, func(world *world.World) { w = world })
	if r.Seed = seed; r.Failed() {
		return nil, nil, errors.New(r.Text())
	}
	var all []*kept.Execution
	for _, key := range slices.SortedFunc(maps.Keys(w.Ledger.Executions), func(a, b ledger.Execution) int {
		if a.Instance != b.Instance {
			return strings.Compare(a.Instance, b.Instance)
		}
		return int(a.Execution - b.Execution)
	}) {
		x := w.Ledger.Executions[key]
		all = append(all, &kept.Execution{Instance: key.Instance, ExecutionID: key.Execution, Events: x.Events, Parked: x.Parked})
	}
	s, isRandom := w.Scenario.(*scenario.Random)
	if !isRandom {
		for _, x := range all {
			sample = append(sample, history.Export{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events})
		}
		return nil, sample, nil
	}
	programs = &kept.Run{Name: fmt.Sprintf("seed-%d", seed), From: fmt.Sprintf("seed %d of the simulation", seed), Executions: all}
	for _, p := range s.Programs {
		programs.Programs = append(programs.Programs, &kept.Program{Name: p.Name, Versions: p.Versions, Next: p.Next, Rounds: p.Rounds,
			Fails: p.Fails, Catches: p.Catches, Strict: p.Strict, Body: keptBlock(p.Body)})
	}
	return programs, nil, nil
}

func keptBlock(b []*program.Statement) []*kept.Statement {
	var all []*kept.Statement
	for _, s := range b {
		k := &kept.Statement{Do: program.KindNames[s.Kind], ID: s.ID, N: s.N, MS: s.Duration.Milliseconds(), Fails: s.Fails, Attempts: s.Attempts, Version: s.Version}
		for _, branch := range s.Branches {
			k.Branches = append(k.Branches, keptBlock(branch))
		}
		all = append(all, k)
	}
	return all
}

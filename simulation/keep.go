package simulation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
)

// Keep runs a seed and returns its random programs with the history of every
// execution, for builds to come. Of a seed that runs the sample application it
// returns exports alone. A run that breaks an invariant is not kept.
func Keep(seed uint64) (programs *kept.Run, sample []history.Export, err error) {
	var w *World
	r := run(choice.Seeded(seed), false, func(world *World) { w = world })
	if r.Seed = seed; r.Failed() {
		return nil, nil, errors.New(r.Text())
	}
	var all []*kept.Execution
	for _, key := range slices.SortedFunc(maps.Keys(w.ledger.executions), func(a, b executionKey) int {
		if a.instance != b.instance {
			return strings.Compare(a.instance, b.instance)
		}
		return int(a.execution - b.execution)
	}) {
		x := w.ledger.executions[key]
		all = append(all, &kept.Execution{Instance: key.instance, ExecutionID: key.execution, Events: x.events, Parked: x.parked})
	}
	s, isRandom := w.scenario.(*randomScenario)
	if !isRandom {
		for _, x := range all {
			sample = append(sample, history.Export{Instance: x.Instance, ExecutionID: x.ExecutionID, Events: x.Events})
		}
		return nil, sample, nil
	}
	programs = &kept.Run{Name: fmt.Sprintf("seed-%d", seed), From: fmt.Sprintf("seed %d of the simulation", seed), Executions: all}
	for _, p := range s.programs {
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

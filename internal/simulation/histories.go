package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Left is what a run left of an instance.
type Left struct {
	Record store.Record
	// Executions in order, each as it was committed.
	Executions [][]store.Turn
}

// Histories runs a seed and returns what it left in the store, by instance, for tests of
// code that reads histories. It leaves out purged instances. A run that breaks an invariant
// is an error.
func Histories(seed uint64) ([]Left, error) {
	var w *world.World
	r := Make(choice.Seeded(seed), false, func(world *world.World) { w = world })
	if r.Seed = seed; r.Failed() {
		return nil, errors.New(r.Text())
	}
	var all []Left
	for _, instance := range slices.SortedFunc(maps.Keys(w.Ledger.Last), strings.Compare) {
		record, err := w.Store.Describe(context.Background(), instance)
		if errors.Is(err, store.ErrNotFound) || err == nil && record.Purged {
			continue
		}
		left := Left{Record: record}
		for n := range record.Executions() {
			if err != nil {
				break
			}
			var turns []store.Turn
			turns, err = w.Store.Read(context.Background(), instance, n, 1)
			left.Executions = append(left.Executions, turns)
		}
		if err != nil {
			return nil, fmt.Errorf("seed %d: instance %q: %w", seed, instance, err)
		}
		all = append(all, left)
	}
	return all, nil
}

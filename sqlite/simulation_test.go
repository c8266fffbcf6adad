//go:build !race

// The simulation runs on one goroutine: nothing there can race.

package sqlite_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// simulated is a database whose time is that of the simulation.
type simulated struct {
	*sqlite.DB
	now func() time.Time
}

func (s *simulated) Activities(now func() time.Time) store.Activities {
	s.now = now
	return s.DB.Activities()
}

// Random programs under random faults: what is kept here answers as memory does
// to every call, so that a seed gives the same run.
func TestTheSimulationRunsAsItDoesInMemory(t *testing.T) {
	t.Parallel()
	for seed := range stage.Cases(16, 80) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			seed := uint64(seed)
			on := &simulated{now: time.Now}
			on.DB = open(t, sqlite.WithDurability(sqlite.Normal), sqlite.WithClock(func() time.Time { return on.now() }))
			got, want := simulation.RunOn(seed, on), simulation.Run(seed, false)
			if got.Failed() {
				t.Error(got.Text())
			}
			if got.Steps != want.Steps || got.Commits != want.Commits || got.Processes != want.Processes || !maps.Equal(got.Faults, want.Faults) || !maps.Equal(got.Counts, want.Counts) {
				t.Errorf("%d steps, %d commits, %d processes, faults %v, counts %v; in memory %d, %d, %d, %v, %v",
					got.Steps, got.Commits, got.Processes, got.Faults, got.Counts, want.Steps, want.Commits, want.Processes, want.Faults, want.Counts)
			}
		})
	}
}

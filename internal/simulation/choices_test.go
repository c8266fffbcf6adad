package simulation

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// Recording the decisions of a run does not change it, and replaying them repeats it.
func TestRecordedChoicesRepeatTheRunOfTheirSeed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		plain := Make(choice.Seeded(seed), true)
		c := choice.Seeded(seed)
		c.Record = choice.NewRecord()
		recorded := Make(c, true)
		if plain.Story != recorded.Story {
			t.Fatalf("seed %d is another run when it is recorded", seed)
		}
		again := choice.Choices{Source: choice.NewReplay(c.Record.Made), Record: choice.NewRecord()}
		replayed := Make(again, true)
		if plain.Story != replayed.Story {
			t.Fatalf("seed %d: its choices are another run", seed)
		}
		if a, b := len(c.Record.Made), len(again.Record.Made); a != b {
			t.Fatalf("seed %d: %d choices recorded, %d made again", seed, a, b)
		}
	}
}

// Zero is the simplest alternative: no faults, and small programs.
func TestARunWithoutChoicesIsThePlainest(t *testing.T) {
	t.Parallel()
	r := Make(choice.Choices{Source: choice.NewReplay(nil)}, true)
	if r.Failed() || len(r.Faults) > 0 || r.Commits != 1 || r.Processes != 1 {
		t.Errorf("faults %v, %d commits, %d processes: %s\n%s", r.Faults, r.Commits, r.Processes, r.Text(), r.Story)
	}
}

// A run that only has to be fast pays nothing for its decisions being recordable.
// AllocsPerRun counts for the whole process, so the test does not run in parallel.
func TestDecisionsOfASeedTakeNoMemory(t *testing.T) {
	c := choice.Seeded(1)
	parts := []int{100, 200, 300}
	if n := testing.AllocsPerRun(1000, func() {
		c.IntN(c.At(c.At(choice.OfClient, "root0"), "e0"), 17)
		c.IntN(c.AtNumber(choice.OfProgram, 4711), 17)
		c.Chance(choice.OfFault.Of(3), 100)
		c.OneIn(choice.OfDelivery, 4)
		c.Which(choice.OfFault.Of(fault.OfCallsSort), parts, 600)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

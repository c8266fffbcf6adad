package simulation

import "testing"

// A run whose decisions are recorded is the run that it is without, and its
// decisions, made again, are that run.
func TestRecordedChoicesRepeatTheRunOfTheirSeed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		plain := run(seeded(seed), true)
		c := seeded(seed)
		c.record = newRecord()
		recorded := run(c, true)
		if plain.Story != recorded.Story {
			t.Fatalf("seed %d is another run when it is recorded", seed)
		}
		again := choices{source: newReplay(c.record.made), record: newRecord()}
		replayed := run(again, true)
		if plain.Story != replayed.Story {
			t.Fatalf("seed %d: its choices are another run", seed)
		}
		if a, b := len(c.record.made), len(again.record.made); a != b {
			t.Fatalf("seed %d: %d choices recorded, %d made again", seed, a, b)
		}
	}
}

// Zero is the plainest: nothing goes wrong, and little is done.
func TestARunWithoutChoicesIsThePlainest(t *testing.T) {
	t.Parallel()
	r := run(choices{source: newReplay(nil)}, true)
	if r.Failed() || len(r.Faults) > 0 || r.Commits != 1 || r.Processes != 1 {
		t.Errorf("faults %v, %d commits, %d processes: %s\n%s", r.Faults, r.Commits, r.Processes, r.Text(), r.Story)
	}
}

// A run that is only to be fast pays nothing for its decisions being recordable.
// AllocsPerRun counts for the whole process, so the test runs alone.
func TestDecisionsOfASeedTakeNoMemory(t *testing.T) {
	c := seeded(1)
	parts := []int{100, 200, 300}
	if n := testing.AllocsPerRun(1000, func() {
		c.intN(c.at(c.at(ofClient, "root0"), "e0"), 17)
		c.intN(c.atNumber(ofProgram, 4711), 17)
		c.chance(ofFault.of(3), 100)
		c.oneIn(ofDelivery, 4)
		c.which(ofFault.of(ofCalls), parts, 600)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

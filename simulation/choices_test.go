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

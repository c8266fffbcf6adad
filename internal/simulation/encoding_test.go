package simulation

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
)

// W-01 to W-12 with a codec: a run with encoded payloads is, step by step, the same as
// without, so each invariant holds for both.
func TestARunWithACodecIsTheRunWithout(t *testing.T) {
	t.Parallel()
	encoded, changed := 0, 0
	for seed := range uint64(120) {
		with := Make(choice.Seeded(seed), false)
		if with.Encoded == 0 {
			continue
		}
		keys, lacks, near := 0, false, false
		without := Make(choice.Seeded(seed), false, func(w *world.World) {
			keys, lacks = w.OpensOnly()
			_, near = w.NearLimits()
		})
		if lacks || near {
			continue // A message that cannot be decoded is requeued, and an encoded one that is too long is recognized earlier.
		}
		encoded++
		if keys > 1 {
			changed++
		}
		if with.Failed() || with.Steps != without.Steps || with.Commits != without.Commits || len(with.Faults) != len(without.Faults) {
			t.Errorf("seed %d: %d steps and %d commits with a codec, %d and %d without: %s", seed, with.Steps, with.Commits, without.Steps, without.Commits, with.Text())
		}
	}
	if encoded < 20 || changed < 5 {
		t.Errorf("payloads are encrypted in %d of 120 runs, under keys that change in %d", encoded, changed)
	}
}

func TestAPayloadInTheClearIsFoundOut(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(40) {
		r := Make(choice.Seeded(seed), false, func(w *world.World) {
			w.ClaimsToEncode()
		})
		if r.Failed() && strings.Contains(r.Text(), "codec: ") {
			found++
		}
	}
	if found < 35 {
		t.Errorf("a process that does not seal is found out in %d of 40 runs", found)
	}
}

package simulation

import (
	"bytes"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/simulation/choice"
)

// W-01 to W-12 with a codec: a run whose payloads are sealed is, step by step,
// the run that it is without, so each invariant holds for both.
func TestARunWithACodecIsTheRunWithout(t *testing.T) {
	t.Parallel()
	sealed, changed := 0, 0
	for seed := range uint64(120) {
		with := run(choice.Seeded(seed), false)
		if with.Sealed == 0 {
			continue
		}
		keys, lacks := 0, false
		without := run(choice.Seeded(seed), false, func(w *World) {
			keys, lacks = len(w.sealing.processes), w.sealing.complete != nil
			// With codecs that only open: a host without any saves the reads
			// that sealing a record together needs.
			w.sealing = newSealing(1)
			opens := codecs(nil, &w.sealing.keys[0], &w.sealing.keys[1])
			w.sealing.processes, w.sealing.world, w.sealing.sealers = []*codec.Set{opens}, opens, 0
		})
		if lacks {
			continue // What can't be opened goes round.
		}
		sealed++
		if keys > 1 {
			changed++
		}
		if with.Failed() || with.Steps != without.Steps || with.Commits != without.Commits || len(with.Faults) != len(without.Faults) {
			t.Errorf("seed %d: %d steps and %d commits with a codec, %d and %d without: %s", seed, with.Steps, with.Commits, without.Steps, without.Commits, with.Text())
		}
	}
	if sealed < 20 || changed < 5 {
		t.Errorf("payloads are sealed in %d of 120 runs, under keys that change in %d", sealed, changed)
	}
}

func TestAPayloadInTheClearIsFoundOut(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(40) {
		r := run(choice.Seeded(seed), false, func(w *World) {
			w.sealing = newSealing(1)
			// It only opens, and is taken for one that seals.
			w.sealing.processes[0] = codecs(nil, &w.sealing.keys[0], &w.sealing.keys[1])
		})
		if r.Failed() && strings.Contains(r.Text(), "codec: ") {
			found++
		}
	}
	if found < 35 {
		t.Errorf("a process that does not seal is found out in %d of 40 runs", found)
	}
}

func TestAKeyOfTheSimulationOpensOnlyWhatItHasSealed(t *testing.T) {
	t.Parallel()
	a, b := &key{name: "a"}, &key{name: "b"}
	plain := []byte(`{"hidden":1}`)
	first, _ := a.Encode(plain)
	second, _ := a.Encode(plain)
	if bytes.Equal(first, second) || bytes.Contains(first, []byte(marker)) {
		t.Errorf("sealed twice: %q, %q", first, second)
	}
	if got, err := a.Decode(bytes.Clone(second)); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("opened: %q, %v", got, err)
	}
	if got, err := b.Decode(bytes.Clone(first)); err == nil {
		t.Errorf("another key opens it: %q", got)
	}
	for i := range first {
		changed := bytes.Clone(first)
		changed[i] ^= 1
		if got, err := a.Decode(changed); err == nil {
			t.Errorf("changed at %d it is opened: %q", i, got)
		}
	}
	if _, err := a.Decode(first[:5]); err == nil {
		t.Error("a part of it is opened")
	}
}

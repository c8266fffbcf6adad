package world

import (
	"strings"
	"testing"
)

func TestARunHasOneBiasOrTwo(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]bias{"duplicates": {duplicates}, "duplicates+torn reads": {duplicates, tornReads}, "late marks+purges": {lateMarks, purges}} {
		b, err := BiasOf(name)
		if err != nil || b.of() != want {
			t.Errorf("%q is %v (%v), want %v", name, b.of(), err, want)
		}
		w := World{bias: b}
		for other := noBias + 1; other < biasEnd; other++ {
			if want := other == want[0] || other == want[1]; w.has(other) != want {
				t.Errorf("a run with %q has the bias %q: %t, want %t", name, biasNames[other], w.has(other), want)
			}
		}
	}
	for _, name := range []string{"", "none", "bad luck", "duplicates+", "+duplicates", "duplicates+duplicates", "duplicates+none", "duplicates+torn reads+purges"} {
		if _, err := BiasOf(name); err == nil || !strings.Contains(err.Error(), "there are late marks, ") {
			t.Errorf("%q: %v, want an error that lists what there is", name, err)
		}
	}
}

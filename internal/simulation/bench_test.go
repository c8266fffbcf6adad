package simulation_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation"
)

// BenchmarkSchedule is one schedule: 200 a second and core are wanted.
func BenchmarkSchedule(b *testing.B) {
	b.ReportAllocs()
	seed := uint64(0)
	for b.Loop() {
		seed++
		simulation.Run(seed, false)
	}
}

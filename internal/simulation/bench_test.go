package simulation_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation"
)

// BenchmarkSchedule runs one schedule per iteration. The target is 200 per second and core.
func BenchmarkSchedule(b *testing.B) {
	b.ReportAllocs()
	seed := uint64(0)
	for b.Loop() {
		seed++
		simulation.Run(seed, false)
	}
}

package simulation_test

import (
	"runtime"
	"testing"

	"github.com/turnstile-go/turnstile/internal/simulation"
)

// The number of processors affects no decision. The test sets it for the whole process, and
// therefore does not run in parallel.
func TestASeedRepeatsExactlyOnAnyNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const seeds = 40
	var stories [seeds]string
	for i := range stories {
		stories[i] = simulation.Run(uint64(i), true).Story
	}
	for _, n := range []int{2, 7} {
		runtime.GOMAXPROCS(n)
		for i, want := range stories {
			if got := simulation.Run(uint64(i), true).Story; got != want {
				t.Fatalf("seed %d differs on %d processors:\n%s", i, n, difference(want, got))
			}
		}
	}
}

package cost

import (
	"testing"

	"github.com/turnstile-go/turnstile/host"
)

// What a step of a warm chain allocates, message, turn, commit, attempt and
// completion, stays where it is. Not parallel: it counts what the process
// allocates.
func TestAWarmStepAllocatesNoMoreThanItDid(t *testing.T) {
	const steps, most = 500, 143
	got := testing.AllocsPerRun(3, func() { chain(t, steps, 1, host.Settings{}) }) / steps
	t.Logf("%.1f allocations a step", got)
	if got > most {
		t.Errorf("a step allocates %.1f times, %d are enough", got, most)
	}
}

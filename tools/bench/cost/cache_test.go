package cost

import (
	"testing"

	"github.com/turnstile-go/turnstile/host"
)

// A process that has a few instances more than before does not fall off a
// cliff: 600 chains of 100 steps whose turns take turns cost little more to read
// than 500. Where the bound in bytes has 500 of them alone, it is the tail of the
// chains that is read, and not each of them at every turn.
func TestAFifthMoreInstancesCostLittleMoreToRead(t *testing.T) {
	const steps = 100
	run := func(instances int, settings host.Settings) (units, cpu float64) {
		begin := processor(t)
		c := chains(t, instances, steps, 1, settings)
		cpu = (processor(t) - begin).Seconds() / float64(c.steps) * 1e6
		t.Logf("%d chains of %d steps: %.0f read units, %.2f a step; %.0f µs of CPU a step", instances, steps, c.readUnits, c.readUnits/float64(c.steps), cpu)
		return c.readUnits, cpu
	}
	few, fewCPU := run(500, host.Settings{})
	more, moreCPU := run(600, host.Settings{})
	t.Logf("600 cost %.2f times the read units of 500, and %.2f times the CPU", more/few, 600*moreCPU/(500*fewCPU))
	if more > 1.5*few {
		t.Errorf("600 chains cost %.0f read units, more than 1.5 times the %.0f of 500", more, few)
	}
}

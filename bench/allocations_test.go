package bench

import (
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
)

// What a replay from stored bytes allocates is what it did before the surface
// had branches, maps, sagas and the rest: who does not use them pays nothing.
// Not parallel: it counts what the process allocates.
func TestTheSurfaceLeavesReplayWhereItWas(t *testing.T) {
	// Measured at the last commit without them, and a hundredth more.
	before := map[string]float64{"Chain": 10062, "FanOut": 10073, "Races": 1692}
	for _, shape := range shapes {
		app := turnstile.NewApp(shape.part)
		if err := app.Err(); err != nil {
			t.Fatal(err)
		}
		typed := app.Orchestrations()
		stored := history.Encode(record(t, typed, shape.orchestration))
		got := testing.AllocsPerRun(10, func() {
			decoded, err := history.Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			replayOnce(t, typed, decoded)
		})
		t.Logf("%s: %.0f allocations", shape.name, got)
		if most := before[shape.name] * 1.01; got > most {
			t.Errorf("%s: replaying allocates %.0f times, %.0f were enough", shape.name, got, most)
		}
	}
}

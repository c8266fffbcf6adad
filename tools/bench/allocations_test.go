package bench

import "testing"

// What a replay from stored bytes allocates stays where it is: each input that is
// compared and each result that is read, and little besides. Not parallel: it
// counts what the process allocates.
func TestAReplayAllocatesForWhatItReads(t *testing.T) {
	most := map[string]float64{"Chain": 8150, "FanOut": 7150, "Races": 1360, "Chain/rich": 40500, "FanOut/rich": 39500, "Races/rich": 4620}
	if jsonv2 {
		most = map[string]float64{"Chain": 3120, "FanOut": 2125, "Races": 855, "Chain/rich": 17300, "FanOut/rich": 16300, "Races/rich": 2280}
	}
	for _, shape := range storedReplays(t) {
		got := testing.AllocsPerRun(10, func() { shape.replay(t) })
		t.Logf("%s: %.0f allocations of %d events", shape.name, got, shape.events)
		if got > most[shape.name] {
			t.Errorf("%s: a replay allocates %.0f times, %.0f are enough", shape.name, got, most[shape.name])
		}
	}
}

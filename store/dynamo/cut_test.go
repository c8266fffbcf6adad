package dynamo

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
)

func TestCutKeepsAllEventsInOrderInRunsOfAboutEqualSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 3000), 2, 40).Draw(rt, "sizes")
		n := rapid.IntRange(2, 50).Draw(rt, "runs")
		events := make([]history.Event, len(sizes))
		total, largest := 0, 0
		for i, size := range sizes {
			events[i] = history.Event{EventID: int64(i), Payload: make([]byte, size)}
			total += aboutSize(&events[i])
			largest = max(largest, aboutSize(&events[i]))
		}
		runs := cut(events, n)
		if want := min(n, len(events)); len(runs) != want {
			rt.Fatalf("%d runs, want %d", len(runs), want)
		}
		next := int64(0)
		for _, run := range runs {
			size := 0
			for i := range run {
				if run[i].EventID != next {
					rt.Fatalf("event %d stands where %d belongs", run[i].EventID, next)
				}
				next++
				size += aboutSize(&run[i])
			}
			if len(run) == 0 || len(run) > 1 && size > total/len(runs)+2*largest {
				rt.Fatalf("a run of %d events and %d bytes; %d bytes in %d runs", len(run), size, total, len(runs))
			}
		}
		if int(next) != len(events) {
			rt.Fatalf("%d events, want %d", next, len(events))
		}
	})
}

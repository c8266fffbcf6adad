package engine_test

import (
	"reflect"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// A history may be fed in any pieces, with or without reserved capacity. Appending to it
// does not change the caller's events.
func TestAHistoryFedInPiecesIsTheSameExecution(t *testing.T) {
	t.Parallel()
	registry, err := engine.NewRegistry(engine.Orchestration{Name: "Chain", Func: func(c *engine.Context, _ []byte) ([]byte, error) {
		for range 3 {
			if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "Step"})); err != nil {
				return nil, err
			}
		}
		return []byte("7"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	events := []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, Name: "Chain", Start: &history.Start{ExecutionID: 1, StartID: "s"}},
		{EventID: 2, Kind: history.ActivityScheduled, Name: "Step"},
		{EventID: 3, Kind: history.ActivityCompleted, SourceEventID: 2},
		{EventID: 4, Kind: history.ActivityScheduled, Name: "Step"},
	}
	arrival := engine.Input{NowMS: 5, Arrivals: []engine.Arrival{{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 4}, Proven: true}}}
	run := func(reserve int, pieces ...[]history.Event) engine.Turn {
		x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: registry})
		defer x.Close()
		x.Reserve(reserve)
		for _, p := range pieces {
			if err := x.Feed(p, false); err != nil {
				t.Fatal(err)
			}
		}
		out, err := x.Run(arrival)
		if err != nil || out.Stuck != nil || len(out.Events) != 2 {
			t.Fatalf("%v, %v, %d events", err, out.Stuck, len(out.Events))
		}
		return out
	}
	want := run(0, events)
	for _, reserve := range []int{0, 1, 4, 100} {
		for cut := 1; cut < len(events); cut++ {
			// Each piece has spare capacity that does not belong to the engine.
			room := append(make([]history.Event, 0, 10), events...)
			if got := run(reserve, room[:cut], room[cut:]); !reflect.DeepEqual(got, want) {
				t.Errorf("reserved %d, cut at %d:\n got %+v\nwant %+v", reserve, cut, got, want)
			}
			if !reflect.DeepEqual(room, events) || room[:5][4].EventID != 0 {
				t.Errorf("reserved %d, cut at %d: the caller's events are overwritten: %+v", reserve, cut, room[:5])
			}
		}
	}
}

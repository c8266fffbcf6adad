package engine_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// The caller may reuse a lent input after the call returns: a copy is recorded, and a
// replay keeps the recorded input.
func TestALentInputIsCopiedWhenItIsRecorded(t *testing.T) {
	t.Parallel()
	reg := registryOf(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		room := make([]byte, 0, 8)
		for _, input := range []string{"1", "2", "3"} {
			room = append(room[:0], input...)
			f := c.Activity(engine.ActivityCall{Name: "Step", Input: room, Lent: true})
			room[0] = 'x'
			if _, err := c.Await(f); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
	defer x.Close()
	arrival := start("0")
	var events []history.Event
	for _, want := range []string{"1", "2", "3"} {
		turn, err := x.Run(engine.Input{Arrivals: []engine.Arrival{arrival}})
		if err != nil || turn.Stuck != nil || len(turn.Events) != 2 {
			t.Fatal(err, turn.Stuck, len(turn.Events))
		}
		events = append(events, turn.Events...)
		arrival = engine.Arrival{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: x.LastEventID()}, Proven: true}
		// The last activity, after the code has overwritten its buffer.
		if got := string(turn.Events[1].Payload); got != want {
			t.Errorf("recorded is %q, want %q", got, want)
		}
	}
	for i, want := range []string{"1", "2", "3"} {
		if got := string(events[2*i+1].Payload); got != want {
			t.Errorf("event %d has %q in the end, want %q", 2*i+2, got, want)
		}
	}
	replayed(t, reg, events).Close()
}

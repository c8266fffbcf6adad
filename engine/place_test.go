package engine_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// line returns the line number of its caller.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

// placesIn returns where an execution waits: for each place, lines after a base line,
// events and branches.
func placesIn(x *engine.Execution, from int) string {
	var lines []string
	for _, p := range x.Places() {
		lines = append(lines, fmt.Sprintf("%s+%d %v %d", filepath.Base(p.File), p.Line-from, p.EventIDs, p.Branches))
	}
	return strings.Join(lines, "|")
}

func TestPlacesAreWhereEachBranchOfTheCodeWaits(t *testing.T) {
	t.Parallel()
	from := line()
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "First"})); err != nil { // +2
			return nil, err
		}
		branch := c.Go(func(c *engine.Context) ([]byte, error) {
			return c.Await(c.Activity(engine.ActivityCall{Name: "Second"})) // +6
		})
		timer, event := c.Timer(1000), c.ExternalEvent("e")
		_, err := c.Select(false, timer, event, branch) // +9
		return nil, err
	}
	reg := registryOf(t, code)
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
	if x.Places() != nil {
		t.Error("an execution that has not started waits somewhere")
	}
	run := func(arrivals ...engine.Arrival) engine.Turn {
		t.Helper()
		turn, err := x.Run(engine.Input{NowMS: 5, Arrivals: arrivals})
		if err != nil || turn.Stuck != nil {
			t.Fatal(err, turn.Stuck)
		}
		return turn
	}
	run(engine.Arrival{Event: history.Event{Kind: history.OrchestrationStarted, Name: "Test", Start: &history.Start{ExecutionID: 1}}})
	for range 2 { // Asking changes nothing.
		if got, want := placesIn(x, from), "place_test.go+2 [2] 0"; got != want {
			t.Errorf("it waits at %s, want %s", got, want)
		}
	}
	run(engine.Arrival{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 2}, Proven: true})
	if got, want := placesIn(x, from), "place_test.go+9 [4 5] 1|place_test.go+6 [6] 0"; got != want {
		t.Errorf("it waits at %s, want %s", got, want)
	}
	run(engine.Arrival{Event: history.Event{Kind: history.ExternalEvent, Name: "e"}})
	if p := x.Places(); p != nil {
		t.Errorf("an ended execution waits at %+v", p)
	}
	x.Close()
	if p := x.Places(); p != nil {
		t.Errorf("a closed execution waits at %+v", p)
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

func TestL05ALoopThatSchedulesWithoutAwaitingIsStopped(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		for {
			c.Activity(engine.ActivityCall{Name: "A"})
		}
	})
	f.opts.MaxOperations = 50
	turn := f.turn(start("0"))
	if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckLimit {
		t.Fatalf("stuck: %v, want for its limit", turn.Stuck)
	}
	for _, want := range []string{"more than 50 operations", "scenario_code_test.go:"} {
		if !strings.Contains(turn.Stuck.Message, want) {
			t.Errorf("the reason lacks %q: %s", want, turn.Stuck.Message)
		}
	}
	// No event of the round that did not come to rest is recorded.
	f.wantHistory("1 Started")
}

// K-10: compensations run in reverse order, each once. One that fails is reported, and
// the others still run. Every turn is cold, so the saga always continues by replay.
func TestK10ASagaIsUndoneInReverseOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) (out []byte, err error) {
		var undo []string
		for _, step := range []string{"1", "2", "3"} {
			if _, err = call(c, "do "+step); err != nil {
				break
			}
			undo = append(undo, "undo "+step)
		}
		report := fmt.Sprint(err)
		for i := len(undo) - 1; i >= 0; i-- {
			if _, err := call(c, undo[i]); err != nil {
				report += "; " + err.Error()
			}
		}
		return []byte(report), nil
	})
	f.turn(start("0"))
	f.turn(completed(2, "1"))
	f.turn(completed(4, "1"))
	f.turn(failed(6, "no third"))
	f.turn(failed(8, "not undone"))
	f.turn(completed(10, "1"))
	want := `activity "do 3" (event 6) failed (application): no third; activity "undo 2" (event 8) failed (application): not undone`
	f.wantHistory("1 Started", "2 Act(do 1)", "3 Done←2", "4 Act(do 2)", "5 Done←4", "6 Act(do 3)", "7 Fail←6",
		"8 Act(undo 2)", "9 Fail←8", "10 Act(undo 1)", "11 Done←10", "12 Completed("+want+")")
	f.replaysCleanly()
}

package engine_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

func TestR01FirstTurn(t *testing.T) {
	t.Parallel()
	t.Run("R-01 an activity awaited", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			v, err := call(c, "A")
			return []byte(v), err
		})
		turn := f.turn(start("1"))
		f.wantHistory("1 Started", "2 Act(A)")
		if turn.State != engine.Waiting {
			t.Fatalf("state %v", turn.State)
		}
		f.replaysCleanly()
		f.turn(completed(2, `"x"`))
		f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", `4 Completed("x")`)
		f.replaysCleanly()
	})
	t.Run("R-01 no durable calls", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) { return in, nil })
		f.turn(start("7"))
		f.wantHistory("1 Started", "2 Completed(7)")
		f.replaysCleanly()
	})
}

func TestTheLimitOfOperationsAppliesToEachArrival(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		for {
			if _, err := c.Await(c.ExternalEvent("e")); err != nil {
				return nil, err
			}
			for range 3 {
				act(c, "A")
			}
		}
	})
	f.opts.MaxOperations = 4
	if turn := f.turn(start("0"), event("e", "1"), event("e", "2"), event("e", "3")); turn.Stuck != nil {
		t.Fatalf("rule 2: three arrivals in one turn are stuck: %v", turn.Stuck)
	}
	f.opts.MaxOperations = 3
	if turn := f.turn(event("e", "4")); turn.Stuck == nil || turn.Stuck.Kind != engine.StuckLimit {
		t.Fatalf("L-05: four operations within a limit of three: %v", turn.Stuck)
	}
}

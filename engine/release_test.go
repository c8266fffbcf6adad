package engine_test

import (
	"errors"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// A cancellation still reaches operations that are started in a released scope.
func TestAReleasedScopeIsStillCancelledWithItsOuterScopes(t *testing.T) {
	t.Parallel()
	var before, behind error
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		outer, cancel := c.WithCancel()
		inner, _ := outer.WithCancel()
		open := inner.ExternalEvent("open")
		inner.Release()
		late := inner.ExternalEvent("late")
		if _, err := c.Await(c.ExternalEvent("go")); err != nil {
			return nil, err
		}
		cancel("enough")
		_, before = c.Await(open)
		_, behind = c.Await(late)
		return nil, nil
	})
	f.turn(start("0"))
	if turn := f.turn(event("go", "1")); turn.State != engine.Ended {
		t.Fatal(turn.State, turn.Stuck)
	}
	if !errors.Is(before, engine.ErrCancelled) || !errors.Is(behind, engine.ErrCancelled) {
		t.Errorf("started before the release: %v, after it: %v", before, behind)
	}
	f.replaysCleanly()
}

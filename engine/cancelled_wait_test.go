package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// waits has the calls that wait for the first operation or for all of them. Each returns
// its outcome as text.
var waits = map[string]func(c *engine.Context, fs ...*engine.Future) (string, error){
	"Select": func(c *engine.Context, fs ...*engine.Future) (string, error) {
		i, err := c.Select(false, fs...)
		return fmt.Sprint(i), err
	},
	"SelectWithoutCancel": func(c *engine.Context, fs ...*engine.Future) (string, error) {
		i, err := c.Select(true, fs...)
		return fmt.Sprint(i), err
	},
	"Settle": func(c *engine.Context, fs ...*engine.Future) (string, error) {
		outcomes, err := c.Settle(fs...)
		return fmt.Sprint(len(outcomes)), err
	},
	"Any": func(c *engine.Context, fs ...*engine.Future) (string, error) {
		i, v, err := c.Any(fs...)
		return fmt.Sprintf("%d %s", i, v), err
	},
	"AsCompleted": func(c *engine.Context, fs ...*engine.Future) (string, error) {
		var got []int
		for i, o := range c.AsCompleted(fs...) {
			if i < 0 {
				return fmt.Sprint(got), o.Err
			}
			got = append(got, i)
		}
		return fmt.Sprint(got), nil
	},
}

// A cancel is not an outcome: a call in the cancelled scope returns the scope's error,
// whether it was waiting at the cancel or is made later, and whether or not its
// operations were cancelled with the scope.
func TestACancelIsNotAnOutcome(t *testing.T) {
	t.Parallel()
	none := map[string]string{"Select": "-1", "SelectWithoutCancel": "-1", "Settle": "0", "Any": "-1 ", "AsCompleted": "[]"}
	for name, wait := range waits {
		run := func(t *testing.T, want string, code func(c *engine.Context) (string, error), last engine.Arrival) {
			t.Helper()
			f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
				got, err := code(c)
				var cancelled *engine.CancelledError
				if got != want || !errors.As(err, &cancelled) || cancelled.Reason != "enough" || cancelled.What == "" {
					return nil, fmt.Errorf("it gave %q, %w, not %q", got, err, want)
				}
				return []byte(`"right"`), nil
			})
			f.turn(start("0"))
			turn := f.turn(last)
			if end := turn.End(); end == nil || string(end.Payload) != `"right"` {
				t.Errorf("it ended with %+v", end)
			}
			f.replaysCleanly()
		}
		t.Run(name+" when the instance is cancelled", func(t *testing.T) {
			run(t, none[name], func(c *engine.Context) (string, error) {
				return wait(c, act(c, "A"), c.ExternalEvent("E"), c.Timer(time.Hour))
			}, cancelRequest("enough"))
		})
		t.Run(name+" after the instance was cancelled", func(t *testing.T) {
			run(t, none[name], func(c *engine.Context) (string, error) {
				a := act(c, "A")
				c.Await(c.Timer(time.Hour))
				return wait(c, a, act(c, "B"))
			}, cancelRequest("enough"))
		})
		t.Run(name+" when another branch cancels the scope", func(t *testing.T) {
			run(t, none[name], func(c *engine.Context) (string, error) {
				scope, cancel := c.WithCancel()
				inner, _ := scope.WithCancel()
				a, b := act(inner, "A"), act(c, "B")
				c.Go(func(c *engine.Context) ([]byte, error) {
					c.Await(c.Timer(time.Second))
					return nil, cancel("enough")
				})
				return wait(scope, b, a)
			}, fired(4))
		})
		t.Run(name+" over branches that end because of the cancel", func(t *testing.T) {
			run(t, none[name], func(c *engine.Context) (string, error) {
				branch := c.Go(func(c *engine.Context) ([]byte, error) { return awaited(c, "A") })
				s := c.Shield()
				s.Await(branch)
				return wait(c, branch)
			}, cancelRequest("enough"))
		})
	}
	// An operation that was ready before is an outcome, although the cancel comes in the
	// same round.
	ready := map[string]string{"Select": "1", "SelectWithoutCancel": "1", "Any": "1 1", "AsCompleted": "[1]"}
	for name, want := range ready {
		t.Run(name+" of what was ready before", func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
				a, b := act(c, "A"), act(c, "B")
				scope, cancel := c.WithCancel()
				c.Await(b)
				cancel("enough")
				got, err := waits[name](scope, a, b)
				if got != want || (err != nil) != (name == "AsCompleted") {
					return nil, fmt.Errorf("it gave %q, %w, not %q", got, err, want)
				}
				return []byte(`"right"`), nil
			})
			f.turn(start("0"))
			turn := f.turn(completed(3, "1"))
			if end := turn.End(); end == nil || string(end.Payload) != `"right"` {
				t.Errorf("it ended with %+v", end)
			}
			f.replaysCleanly()
		})
	}
}

func awaited(c *engine.Context, name string) ([]byte, error) { return c.Await(act(c, name)) }

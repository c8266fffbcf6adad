package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// I-08: after Close no goroutine of the engine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What random programs found, each as a small program of its own.

func TestHistoryLengthIsTheSameLiveAndOnReplay(t *testing.T) {
	t.Parallel()
	// Arrivals without answers fall into one round on replay, so what counts
	// is what was visited, not what stands in the round.
	var seen []int64
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		seen = nil
		a, b := c.ExternalEvent("a"), c.ExternalEvent("b")
		_, err := c.Await(a)
		seen = append(seen, c.Info().HistoryLength)
		if err == nil {
			_, err = c.Await(b)
		}
		seen = append(seen, c.Info().HistoryLength)
		if err == nil {
			_, err = call(c, "A")
		}
		return nil, err
	})
	f.turn(start("0"))
	f.turn(event("a", "1"))
	f.turn(event("b", "1"))
	f.wantHistory("1 Started", "2 Sub(a)", "3 Sub(b)", "4 Ev(a)", "5 Ev(b)", "6 Act(A)")
	for range 2 {
		if fmt.Sprint(seen) != "[4 5]" {
			t.Fatalf("history lengths %v, want [4 5]", seen)
		}
		f.replaysCleanly()
	}
}

func TestMapInACancelledScopeStartsNothingMore(t *testing.T) {
	t.Parallel()
	started := 0
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		_, err := c.Map(1, 3, func(c *engine.Context, i int) *engine.Future {
			started = i + 1
			return act(c, "A")
		})
		return nil, err
	})
	f.turn(start("0"))
	f.turn(cancelRequest("enough"))
	f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
	if started != 1 {
		t.Errorf("started %d items, want 1", started)
	}
	f.replaysCleanly()
}

func TestCancellationReachesTheContextOfABranchThatHasReturned(t *testing.T) {
	t.Parallel()
	var leaked *engine.Context
	code := func(after func(c *engine.Context) error) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := c.Await(c.Go(func(c *engine.Context) ([]byte, error) {
				leaked = c
				return nil, nil
			}))
			if err != nil {
				return nil, err
			}
			return nil, after(c)
		}
	}
	t.Run("an operation under way in it is cancelled", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, err := c.Shield().Await(act(leaked, "A"))
			return err
		}))
		f.turn(start("0"))
		turn := f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		if fmt.Sprint(turn.Cancelled) != "[2]" {
			t.Errorf("cancelled %v, want [2]", turn.Cancelled)
		}
		f.replaysCleanly()
	})
	t.Run("nothing starts in it afterwards", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, _ = call(c, "A")
			f := act(leaked, "B")
			_, err := c.Shield().Await(f)
			return err
		}))
		f.turn(start("0"))
		f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		f.replaysCleanly()
	})
	t.Run("a wait in it ends", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, err := leaked.Await(act(c.Shield(), "A"))
			if !errors.Is(err, engine.ErrCancelled) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}))
		f.turn(start("0"))
		f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Completed()")
		f.replaysCleanly()
	})
}

func TestARoundWithoutAnswersDoesNotCancelOrSetStatusAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		other := act(c, "B")
		i, err := c.Select(false, act(c, "A"), c.Timer(5))
		if err == nil {
			c.SetCustomStatus([]byte(fmt.Sprint(i)))
			_, err = c.Await(other)
		}
		return nil, err
	})
	f.turn(start("0"))
	turn := f.turn(completed(3, "1"))
	f.wantHistory("1 Started", "2 Act(B)", "3 Act(A)", "4 Timer(1ms)", "5 Done←3")
	if fmt.Sprint(turn.Cancelled) != "[4]" || !turn.StatusChanged {
		t.Fatalf("cancelled %v, status changed %v", turn.Cancelled, turn.StatusChanged)
	}
	turn = f.turn(event("nobody waits", "1"))
	if len(turn.Cancelled) > 0 || turn.StatusChanged || string(turn.CustomStatus) != "0" {
		t.Errorf("the next turn cancels %v, status changed %v to %q", turn.Cancelled, turn.StatusChanged, turn.CustomStatus)
	}
	f.replaysCleanly()
}

func TestLinesBehindAResultThatWasParkedOnAWarmExecutionAreLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		_, err := c.Await(c.Activity(engine.ActivityCall{Name: "I", Inline: true}))
		c.Logger().Info("done")
		if err == nil {
			_, err = call(c, "A")
		}
		return nil, err
	})
	f.opts.LogHandler = quietHandler{}
	x := f.cold()
	defer x.Close()
	if turn := f.turnOn(x, start("0")); turn.State != engine.RunInline {
		t.Fatal(turn.State)
	}
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{
		{Inline: true, Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	f.commit(turn)
	if turn := f.turnOn(x); len(turn.Logs) != 1 || !turn.Recovered {
		t.Errorf("%d lines, recovered %v; want 1 line, recovered", len(turn.Logs), turn.Recovered)
	}
	f.wantHistory("1 Started", "2 inline Act(I)", "3 Done←2", "4 Act(A)")
}

package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestResultsOfInlineActivitiesShareCommits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		batch int
		// commits, each as how many completions it holds.
		commits []int
	}{
		"A-14 each has its own by default":       {0, []int{1, 1, 1, 1, 1, 0}},
		"up to three share one":                  {3, []int{3, 2}},
		"all share the one in which they finish": {10, []int{5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.inline = []activities.Activity{{Name: "In", Func: func(_ context.Context, in []byte) ([]byte, error) { return in, nil }}}
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				for n := range 5 {
					if _, err := ctx.Inline(engine.ActivityCall{Name: "In", Input: fmt.Append(nil, n), Retry: &history.Retry{Batch: c.batch}}); err != nil {
						return nil, err
					}
				}
				return in, nil
			})
			var commits []int
			w.afterCommit = func(c *store.Commit, err error) error {
				n := 0
				for _, e := range c.Turns[0].Events {
					if e.Kind == history.ActivityCompleted {
						n++
					}
				}
				commits = append(commits, n)
				return err
			}
			w.start("a", "Main", "7")
			w.run()
			w.expectOutput("a", "7")
			w.expectHistory("a", 1, "Started Act(In) Done←2 Act(In) Done←4 Act(In) Done←6 Act(In) Done←8 Act(In) Done←10 Completed")
			if !slices.Equal(commits, c.commits) {
				t.Errorf("the commits hold %v completions, want %v", commits, c.commits)
			}
			w.expectInvariants("a")
		})
	}
}

func TestAnEventThatComesBesideABatchIsTakenBehindIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inline = []activities.Activity{{Name: "In", Func: func(_ context.Context, in []byte) ([]byte, error) { return in, nil }}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for range 3 {
			if _, err := ctx.Inline(engine.ActivityCall{Name: "In", Input: in, Retry: &history.Retry{Batch: 10}}); err != nil {
				return nil, err
			}
		}
		return waits("e")(ctx, in)
	})
	w.start("a", "Main", "7")
	w.raise("a", "e", "1", "e-1")
	w.run()
	w.expectOutput("a", "[1]")
	w.expectQuiet()
	w.expectInvariants("a")
}

// the error names both, another attempt is not made, nothing is recorded
// for the inner call, and the marker is gone when the activity has ended.
func TestADurableCallInsideAnInlineActivityIsATypedError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var left *engine.Context
	runs := 0
	w.inline = []activities.Activity{{Name: "In", Func: func(context.Context, []byte) ([]byte, error) {
		runs++
		return left.Await(left.Timer(time.Hour))
	}}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		left = ctx
		_, err := ctx.Inline(engine.ActivityCall{Name: "In", Input: in, Retry: &history.Retry{MaxAttempts: 5}})
		var failed *engine.FailureError
		if !errors.As(err, &failed) {
			return nil, err
		}
		if _, err := ctx.Await(ctx.Timer(time.Second)); err != nil {
			return nil, err
		}
		return fmt.Appendf(nil, "%q", failed.Failure.Message), nil
	})
	w.start("a", "Main", "7")
	w.run()
	w.expectHistory("a", 1, "Started Act(In) Failed(application)←2 Timer Fired←4 Completed")
	w.expectOutput("a", `"turnstile: timer inside inline activity \"In\": durable call inside code that must not make one; nothing is recorded for it; make the call in the orchestration, before or after it"`)
	if runs != 1 {
		t.Errorf("%d attempts, want 1", runs)
	}
	w.expectQuiet()
	w.expectInvariants("a")
}

// A retry that is left to the code does not hold up the turn, and a cancel ends
// it.
func TestACancelEndsTheWaitForAnInlineRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	runs := 0
	w.inline = []activities.Activity{{Name: "In", Func: func(context.Context, []byte) ([]byte, error) {
		runs++
		return nil, errors.New("not yet")
	}}}
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Inline(engine.ActivityCall{Name: "In", Input: in, Retry: &history.Retry{MaxAttempts: 9, InitialMS: time.Hour.Milliseconds()}})
	})
	w.start("a", "Main", "7")
	w.step()
	w.expectHistory("a", 1, "Started Act(In) Failed(application)←2 Timer")
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c", Reason: "no more"})
	w.run()
	w.expectStatus("a", store.StatusCancelled)
	if runs != 1 {
		t.Errorf("%d runs, want 1", runs)
	}
	w.expectQuiet()
}

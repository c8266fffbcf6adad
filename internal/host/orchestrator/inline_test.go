package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// the error names both calls, there is no further attempt, nothing is recorded for the inner
// call, and the marker is removed when the activity has ended.
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
	w.expectOutput("a", `"turnstile: timer inside inline activity \"In\": durable call inside code that must not make one; nothing is recorded; make the call in the orchestration, before or after it"`)
	if runs != 1 {
		t.Errorf("%d attempts, want 1", runs)
	}
	w.expectQuiet()
	w.expectInvariants("a")
}

// A retry with a timer does not delay the turn, and a cancel ends it.
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

package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// beating is a policy of five attempts with a heartbeat timeout of a minute.
func beating() *history.Retry {
	return &history.Retry{MaxAttempts: 5, TimeoutMS: 600_000, HeartbeatTimeoutMS: 60_000}
}

func TestA10HeartbeatsKeepTheMessageHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", once(beating()))
	deliveries := 0
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		deliveries++
		for range 12 { // far beyond timeout and margin
			w.clock.Advance(40 * time.Second)
			if err := activities.Beat(ctx, nil); err != nil {
				return nil, err
			}
			if visible, err := w.activity.Receive(ctx, 1, 0); err != nil || len(visible) != 0 {
				return nil, fmt.Errorf("delivered again: %d messages, %v", len(visible), err)
			}
		}
		return []byte("1"), nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	if deliveries != 1 {
		t.Errorf("%d deliveries, want 1", deliveries)
	}
	w.expectQuiet()
}

func TestA10AWorkerThatDiesBetweenHeartbeatsIsReplacedSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", once(beating()))
	var at []time.Time
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		at = append(at, w.clock.Now())
		if len(at) == 1 {
			w.clock.Advance(50 * time.Second)
			_ = activities.Beat(ctx, []byte(`{"page":3}`))
			w.worker.kill()
			return nil, nil
		}
		info, _ := activities.InfoFrom(ctx)
		return info.Heartbeat, nil
	})
	w.start("a", "Main", "1")
	w.run()
	// The next delivery knows the last heartbeat of the attempt that died.
	w.expectOutput("a", `{"page":3}`)
	// A timeout of one minute, an interval of ten seconds, and a margin of half a minute.
	if gone := at[1].Sub(at[0]); gone != 50*time.Second+100*time.Second {
		t.Errorf("delivered again after %s", gone)
	}
}

func TestA11AnAttemptWithoutHeartbeatsFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", once(beating()))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		info, _ := activities.InfoFrom(ctx)
		if info.Number > 1 {
			return info.Heartbeat, nil
		}
		w.clock.Advance(59 * time.Second)
		if err := activities.Beat(ctx, []byte(`"half"`)); err != nil {
			return nil, err
		}
		// Too soon after the last heartbeat to be recorded at once.
		w.clock.Advance(time.Second)
		if err := activities.Beat(ctx, []byte(`"more than half"`)); err != nil {
			return nil, err
		}
		w.clock.Advance(60 * time.Second)
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			t.Errorf("its context ended for %v", context.Cause(ctx))
		}
		return []byte(`"ignored"`), nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", `"more than half"`)
	w.expectCount(host.CountAttempts, history.FailureHeartbeatTimeout, 1)
	w.expectQuiet()
}

func TestA11WithoutRetriesAMissingHeartbeatIsATypedFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", once(&history.Retry{HeartbeatTimeoutMS: 60_000, TimeoutMS: 600_000}))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		w.clock.Advance(60 * time.Second)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", `"heartbeat_timeout 1 attempt 1 of activity \"Work\" sent no heartbeat for 1m0s"`)
}

func TestF05TheLoserOfASelectSeesTheRequestToStopAtItsHeartbeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		slow := ctx.Activity(engine.ActivityCall{Name: "Slow", Retry: beating()})
		if _, err := ctx.Select(false, slow, ctx.ExternalEvent("enough")); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("end"))
	})
	var cause error
	w.activityFunc("Slow", func(ctx context.Context, _ []byte) ([]byte, error) {
		if err := activities.Beat(ctx, nil); err != nil {
			return nil, fmt.Errorf("stopped before anybody asked: %w", err)
		}
		w.raise("a", "enough", "1", "e1")
		w.settleFIFO()
		w.clock.Advance(30 * time.Second)
		cause = activities.Beat(ctx, nil)
		return nil, cause
	})
	w.start("a", "Main", "1")
	w.run()
	var stopped *activities.StoppedError
	if !errors.As(cause, &stopped) || !errors.Is(cause, context.Canceled) {
		t.Errorf("the heartbeat returned %v, want a request to stop", cause)
	}
	w.expectCount(host.CountAttempts, history.FailureCancelled, 1)
	w.raise("a", "end", "2", "e2")
	w.run()
	w.expectOutput("a", "2")
	w.expectQuiet()
}

func TestAHeartbeatThatCannotBeRecordedDoesNotEndTheAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", once(beating()))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		w.worker.faults.fail = func(call string) error {
			if call == "Heartbeat" {
				return store.ErrUnavailable
			}
			return nil
		}
		for range 5 {
			w.clock.Advance(50 * time.Second)
			if err := activities.Beat(ctx, []byte("1")); err != nil {
				return nil, err
			}
		}
		w.worker.faults.fail = nil
		return []byte("1"), nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
}

func TestTheRetryDelayThatAnErrorRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 2, InitialMS: 1000}))
	var at []time.Time
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
		if at = append(at, w.clock.Now()); len(at) == 1 {
			return nil, retryAfter(90 * time.Minute)
		}
		return []byte("1"), nil
	})
	w.start("a", "Main", "1")
	w.run()
	if gone := at[1].Sub(at[0]); gone != 90*time.Minute {
		t.Errorf("the second attempt came after %s", gone)
	}
}

type retryAfter time.Duration

func (retryAfter) Error() string               { return "busy" }
func (d retryAfter) RetryDelay() time.Duration { return time.Duration(d) }

func TestA13TheTotalTimeoutOfAllAttempts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		retry        history.Retry
		code         func(w *world, ctx context.Context) error
		after        time.Duration
		attempts     int
	}{
		{"it runs out during a retry delay", `"total_timeout 2 activity \"Work\" did not complete within its TotalTimeout of 50s; attempt 2 failed: no luck"`,
			history.Retry{MaxAttempts: 9, InitialMS: 20_000, Coefficient: 10, TotalTimeoutMS: 50_000},
			func(*world, context.Context) error { return errors.New("no luck") }, 50 * time.Second, 2},
		{"it runs out in an attempt", `"total_timeout 1 activity \"Work\" did not complete within its TotalTimeout of 30s"`,
			history.Retry{MaxAttempts: 9, TimeoutMS: 40_000, TotalTimeoutMS: 30_000},
			func(w *world, ctx context.Context) error {
				w.clock.Advance(30 * time.Second)
				<-ctx.Done()
				return ctx.Err()
			}, 30 * time.Second, 1},
		{"it runs out before the first attempt", `"total_timeout 0 activity \"Work\" did not complete within its TotalTimeout of 1ms"`,
			history.Retry{MaxAttempts: 9, TotalTimeoutMS: 1},
			func(*world, context.Context) error { return nil }, 0, 0},
		{"a delay that an error requests does not exceed it", `"total_timeout 1 activity \"Work\" did not complete within its TotalTimeout of 1m0s; attempt 1 failed: busy"`,
			history.Retry{MaxAttempts: 9, TotalTimeoutMS: 60_000},
			func(*world, context.Context) error { return retryAfter(time.Hour) }, time.Minute, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&c.retry))
			attempts := 0
			w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
				attempts++
				return nil, c.code(w, ctx)
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			if c.attempts == 0 {
				w.clock.Advance(time.Second)
			}
			startedAt := time.UnixMilli(w.events("a", 1)[1].AtMS)
			w.run()
			w.expectOutput("a", c.output)
			if attempts != c.attempts {
				t.Errorf("%d attempts, want %d", attempts, c.attempts)
			}
			if ended := time.UnixMilli(w.events("a", 1)[2].AtMS); c.after > 0 && ended.Sub(startedAt) != c.after {
				t.Errorf("it failed after %s, want %s", ended.Sub(startedAt), c.after)
			}
			w.expectQuiet()
		})
	}
}

func TestK01K07ARunningActivitySeesTheEndOfItsOrchestration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind   wire.Kind
		status store.Status
	}{
		"K-01 cancelled":  {wire.CancelInstance, store.StatusCancelled},
		"K-07 terminated": {wire.TerminateInstance, store.StatusTerminated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
			w.orchestration("Child", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Slow", Retry: beating()}))
			})
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
			})
			var cause error
			w.activityFunc("Slow", func(ctx context.Context, _ []byte) ([]byte, error) {
				if err := activities.Beat(ctx, nil); err != nil {
					return nil, fmt.Errorf("stopped before anybody asked: %w", err)
				}
				w.send(wire.Item{Kind: c.kind, Instance: "a", ID: "x", Reason: "enough"})
				w.settleFIFO()
				w.clock.Advance(30 * time.Second)
				cause = activities.Beat(ctx, nil)
				return nil, cause
			})
			w.start("a", "Main", "1")
			w.run()
			var stopped *activities.StoppedError
			if !errors.As(cause, &stopped) || !errors.Is(cause, context.Canceled) {
				t.Errorf("the heartbeat returned %v, want a request to stop", cause)
			}
			w.expectCount(host.CountAttempts, history.FailureCancelled, 1)
			w.expectStatus("a", c.status)
			w.expectStatus("child", c.status)
			w.expectQuiet()
		})
	}
}

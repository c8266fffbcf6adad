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
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// sharedBatch delivers one batch with an activity "Short", which takes no time, and an activity
// "Long", which takes five minutes. It returns the number of times that Short ran. Attempts run one
// after another, in the order of the batch.
func sharedBatch(t *testing.T, short *history.Retry, during func(w *world)) (w *world, runs *int) {
	t.Helper()
	w, runs = newWorld(t, func(w *world) { w.limit = 15 * time.Minute }), new(int)
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		outs, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Short", Retry: short}),
			ctx.Activity(engine.ActivityCall{Name: "Long", Retry: &history.Retry{TimeoutMS: 600_000}}))
		if err != nil {
			return nil, err
		}
		return outs[0], nil
	})
	w.activityFunc("Short", func(context.Context, []byte) ([]byte, error) { *runs++; return []byte("1"), nil })
	w.activityFunc("Long", func(ctx context.Context, _ []byte) ([]byte, error) {
		if during != nil {
			during(w)
		}
		for range 60 {
			w.clock.Advance(5 * time.Second)
			if visible, err := w.activity.Receive(ctx, 10, 0); err != nil || len(visible) != 0 {
				w.handle(source{"activity", w.activity, platform.SourceActivity}, visible) // as another worker would
			}
		}
		return []byte("2"), nil
	})
	w.start("a", "Main", "1")
	return w, runs
}

// the message of a finished attempt stays hidden while the rest of its batch runs.
func TestAnActivityDoesNotRunAgainDuringALongerOneOfItsBatch(t *testing.T) {
	t.Parallel()
	for name, retry := range map[string]*history.Retry{
		"ten seconds":                       {TimeoutMS: 10_000},
		"ten seconds, with heartbeats":      {TimeoutMS: 60_000, HeartbeatTimeoutMS: 10_000},
		"at most once":                      {TimeoutMS: 10_000, AtMostOnce: true},
		"at most once, with more attempts":  {TimeoutMS: 10_000, AtMostOnce: true, MaxAttempts: 3},
		"as long as the longer one may be":  {TimeoutMS: 600_000},
		"no policy: the default is shorter": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, runs := sharedBatch(t, retry, nil)
			w.run()
			w.expectOutput("a", "1")
			if *runs != 1 {
				t.Errorf("%d runs, want 1", *runs)
			}
			w.expectCount(host.CountAttempts, "completed", 2)
			w.expectCount(host.CountAttempts, history.FailureInterrupted, 0)
			w.expectQuiet()
		})
	}
}

// Deleting a finished message early costs a request only if the message would otherwise become
// visible again.
func TestAMessageIsDeletedWithItsBatchIfThatIsInTime(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[int64]int{10_000: 1, 600_000: 0} {
		t.Run(fmt.Sprintf("timeout of %d ms", timeout), func(t *testing.T) {
			t.Parallel()
			deletes := 0
			w, _ := sharedBatch(t, &history.Retry{TimeoutMS: timeout}, func(w *world) {
				w.worker.faults.fail = func(call string) error {
					if call == "Delete activity" {
						deletes++
					}
					return nil
				}
			})
			w.run()
			if deletes != want {
				t.Errorf("%d requests to delete, want %d", deletes, want)
			}
		})
	}
}

func TestAFailedDeleteIsRetriedBeforeTheMessageIsVisible(t *testing.T) {
	t.Parallel()
	w, runs := sharedBatch(t, &history.Retry{TimeoutMS: 10_000}, func(w *world) {
		failed := 0
		w.worker.faults.fail = func(call string) error {
			if failed++; call == "Delete activity" && failed <= 2 {
				return fmt.Errorf("simulated: %w", queue.ErrUnavailable)
			}
			return nil
		}
	})
	w.run()
	if *runs != 1 {
		t.Errorf("%d runs, want 1", *runs)
	}
}

// An unfinished message is not deleted: it returns to the queue when the batch returns.
func TestAReturnedMessageIsNotDeletedWithItsBatch(t *testing.T) {
	t.Parallel()
	w, runs := sharedBatch(t, &history.Retry{TimeoutMS: 10_000}, nil)
	refused := errors.New("refused")
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "fifo" && *runs == 1 && w.worker != nil && w.clock.Now().Sub(newVirtualClock().Now()) < time.Second {
			return refused
		}
		return nil
	}
	w.run()
	w.expectOutput("a", "1")
	if *runs < 2 {
		t.Errorf("%d runs, though the first result could not be sent", *runs)
	}
}

package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// the message of an attempt that runs at most once is redelivered after the attempt, as
// happens when its acknowledgement is lost. Nothing runs, and nothing counts as interrupted.
func TestA16AMessageRedeliveredAfterItsAttemptStartsNoSecondAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		code      func(attempt int) ([]byte, error)
		startedAt string
		output    string
		// ends completes the activity if it does not complete itself.
		ends func(w *world, token string)
	}{
		{"it succeeded", func(int) ([]byte, error) { return []byte("7"), nil }, "[1]", "7", nil},
		{"it failed, and the next is due in an hour", func(n int) ([]byte, error) {
			if n == 1 {
				return nil, retryAfter(time.Hour)
			}
			return []byte("7"), nil
		}, "[1 2]", "7", nil},
		{"it failed for good", func(int) ([]byte, error) { return nil, final{} }, "[1]", `"application 1 for good"`, nil},
		{"it is pending", func(int) ([]byte, error) { return nil, activities.ErrPending }, "[1]", `"done"`, func(w *world, token string) {
			w.byToken(wire.ActivityCompleted, token, `,"result":"done"`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 3, InitialMS: 1000, TimeoutMS: 10_000}))
			var startedAt []int
			var at []time.Time
			token := ""
			w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
				info, _ := activities.InfoFrom(ctx)
				startedAt, at, token = append(startedAt, info.Number), append(at, w.clock.Now()), info.CompletionToken
				return c.code(info.Number)
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			for delivery := range 3 {
				batch, err := w.activity.Receive(t.Context(), 1, 0)
				if err != nil || len(batch) != 1 {
					t.Fatalf("delivery %d: %d messages, %v", delivery+1, len(batch), err)
				}
				failed := w.workerProcess().worker.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: batch[0], Source: platform.SourceActivity}})
				if len(failed) != 0 {
					t.Errorf("delivery %d was handed back", delivery+1)
				}
				// The message is not deleted: it becomes visible again later.
				if err := w.activity.SetVisibility(t.Context(), 0, batch[0]); err != nil {
					t.Fatal(err)
				}
				w.clock.Advance(time.Minute)
				w.settleFIFO()
			}
			w.run()
			if c.ends != nil {
				w.expectStatus("a", store.StatusRunning)
				c.ends(w, token)
				w.run()
			}
			w.expectOutput("a", c.output)
			if fmt.Sprint(startedAt) != c.startedAt {
				t.Errorf("began attempts %v, want %s", startedAt, c.startedAt)
			}
			if len(at) == 2 && at[1].Sub(at[0]) < time.Hour {
				t.Errorf("the second attempt came after %s", at[1].Sub(at[0]))
			}
			w.expectCount(host.CountAttempts, history.FailureInterrupted, 0)
			w.expectQuiet()
			w.expectDead()
		})
	}
}

// The failure of the last attempt is recorded, although it follows the report of an interruption
// within the time for which SQS remembers deduplication ids.
func TestA16AFailureSoonAfterAnInterruptionIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 2, TimeoutMS: 10_000}))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		if info, _ := activities.InfoFrom(ctx); info.Number == 1 {
			w.worker.kill()
		}
		return nil, errors.New("no luck")
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", `"application 2 no luck"`)
	w.expectCount(host.CountAttempts, history.FailureInterrupted, 1)
	w.expectQuiet()
}

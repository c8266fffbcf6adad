package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// the message of an attempt that runs at most once comes again behind the
// attempt, as it does when its acknowledgement is lost: nothing runs for it, and
// nothing counts as interrupted.
func TestA16AMessageThatComesAgainBehindItsAttemptBeginsNoOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		code   func(attempt int) ([]byte, error)
		began  string
		output string
		// ends completes the activity, if it does not by itself.
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
		{"it is pending", func(int) ([]byte, error) { return nil, activity.ErrPending }, "[1]", `"done"`, func(w *world, token string) {
			w.byToken(wire.ActivityCompleted, token, `,"result":"done"`)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 3, InitialMS: 1000, TimeoutMS: 10_000}))
			var began []int
			var at []time.Time
			token := ""
			w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
				info, _ := activity.InfoFrom(ctx)
				began, at, token = append(began, info.Attempt), append(at, w.clock.Now()), info.CompletionToken
				return c.code(info.Attempt)
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
				// Not deleted: it is visible again in a while.
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
			if fmt.Sprint(began) != c.began {
				t.Errorf("began attempts %v, want %s", began, c.began)
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

// The failure of the last attempt is heard, though it follows the notice of an
// interruption within the time for which SQS remembers deduplication ids.
func TestA16AFailureSoonBehindAnInterruptionIsHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 2, TimeoutMS: 10_000}))
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		if info, _ := activity.InfoFrom(ctx); info.Attempt == 1 {
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

// a process that does not know of the result yet, for another has recorded
// it, looks before it brings another attempt.
func TestA16AStaleProcessBringsNoAttemptBehindAResult(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 3, InitialMS: 1000, TimeoutMS: 10_000}))
	w.start("a", "Main", "1")
	w.settleFIFO() // This process keeps the instance.
	registry, err := engine.NewRegistry(w.orchestrations...)
	if err != nil {
		t.Fatal(err)
	}
	done := w.completed("a", 2, "7")
	done.V = wire.Version
	other := w.another(registry, w.store)
	other.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{{Message: queue.Message{ID: "done", Body: w.body(done), ReceiveCount: 1}, Source: platform.SourceOrchestrator}})
	w.expectOutput("a", "7")
	w.deliver("unheard", w.body(w.unheard()), 1, platform.SourceOrchestrator, 0)
	if n := len(w.activity.Peek()); n != 1 {
		t.Errorf("%d attempts are on the queue, want the first alone", n)
	}
}

// unheard says that nothing is heard of the first attempt of the activity that
// is on the queue.
func (w *world) unheard() wire.Item {
	execute, err := wire.Parse([]byte(w.activity.Peek()[0].Body))
	if err != nil {
		w.Fatal(err)
	}
	return wire.Item{V: wire.Version, Kind: wire.ActivityFailed, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: execute.Token, Attempt: 1,
		Details: &wire.Failure{Kind: history.FailureInterrupted, Attempt: 1, Retryable: true, Message: "not heard of"}}
}

// the result and the message that nothing is heard of its attempt come in
// one batch.
func TestA16AResultInTheSameBatchIsHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: 3, InitialMS: 1000, TimeoutMS: 10_000}))
	w.start("a", "Main", "1")
	w.settleFIFO()
	done := w.completed("a", 2, "7")
	done.V = wire.Version
	w.handle(source{"fifo", w.fifo, platform.SourceOrchestrator}, []queue.Message{
		{ID: "done", Body: w.body(done), ReceiveCount: 4}, {ID: "unheard", Body: w.body(w.unheard()), ReceiveCount: 1}})
	w.expectOutput("a", "7")
	if n := len(w.activity.Peek()); n != 1 {
		t.Errorf("%d attempts are on the queue, want the first alone", n)
	}
}

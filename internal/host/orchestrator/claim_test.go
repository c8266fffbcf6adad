package orchestrator

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/store"
)

func TestA16AnAttemptThatRunsAtMostOnceIsNotStartedAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output, startedAt string
		attempts                int
	}{
		{"without a retry policy it fails as interrupted",
			`"interrupted 1 attempt 1 of activity \"Work\" was started before, but its result is unknown; it runs at most once, so it was not started again"`, "[1]", 1},
		{"a retry policy brings the second attempt", "2", "[1 2]", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{AtMostOnce: true, MaxAttempts: c.attempts, TimeoutMS: 10_000}))
			var startedAt []int
			w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
				info, _ := activities.InfoFrom(ctx)
				if startedAt = append(startedAt, info.Number); len(startedAt) == 1 {
					w.worker.kill()
				}
				return []byte("2"), nil
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", c.output)
			if fmt.Sprint(startedAt) != c.startedAt {
				t.Errorf("began attempts %v, want %s", startedAt, c.startedAt)
			}
			w.expectQuiet()
		})
	}
}

// A worker that dies before its claim has not started the attempt.
func TestA16AWorkerThatDiesBeforeTheClaim(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("the claim is made: %t", after), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{AtMostOnce: true, TimeoutMS: 10_000}))
			runs := 0
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.workerProcess().faults.killAt, w.worker.faults.after = 1, after // Claim
			w.run()
			want := map[bool]int{false: 1, true: 0}[after]
			if runs != want {
				t.Errorf("%d runs, want %d", runs, want)
			}
			if log := w.events("a", 1); len(log) < 3 {
				t.Errorf("history %s", short(log))
			}
			w.expectQuiet()
		})
	}
}

// If a copy of the message arrives while the attempt may be running, it waits until the attempt
// must have ended, and then finds the activity completed.
func TestA16ACopyOfTheMessageDoesNotStartTheAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, TimeoutMS: 10_000, MaxAttempts: 3}))
	runs := 0
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		runs++
		if runs == 1 {
			copied, err := w.activity.Receive(ctx, 1, 0)
			if err != nil || len(copied) != 0 {
				t.Errorf("the message is not hidden: %v, %v", copied, err)
			}
		}
		return []byte("1"), nil
	})
	w.twice = func() bool { return true }
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	if runs != 1 {
		t.Errorf("%d runs, want 1", runs)
	}
	w.expectCount(host.CountAttempts, "completed", 1)
}

func TestA16TheMessageOfASupersededAttemptIsAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{AtMostOnce: true, TimeoutMS: 10_000, MaxAttempts: 3}))
	runs := 0
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
	key := store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}
	now := w.clock.Now()
	if err := w.stops.Claim(t.Context(), key, store.Claim{Attempt: 2, Token: "other", Until: now.Add(time.Minute)}, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.start("a", "Main", "1")
	w.run()
	if runs != 0 {
		t.Error("attempt 1 was begun behind attempt 2")
	}
	w.expectCount(host.CountAttempts, "superseded", 1)
	w.expectQuiet()
}

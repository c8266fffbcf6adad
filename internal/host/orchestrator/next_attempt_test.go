package orchestrator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// While an activity is retried, its history does not change. A separate note says which attempt is
// next, when, and why.
func TestTheAttemptAfterAFailedOneIsNotedForDisplay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 3, InitialMS: 60_000}))
	key := store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}
	var seen []store.NextAttempt
	var earlier [][]store.NextAttempt
	var startedAt []time.Time
	w.activityFunc("Work", func(ctx context.Context, _ []byte) ([]byte, error) {
		state, err := w.stops.State(ctx, key)
		if err != nil {
			return nil, err
		}
		seen, startedAt, earlier = append(seen, state.Next), append(startedAt, w.clock.Now()), append(earlier, state.Earlier)
		if len(seen) < 3 {
			return nil, errors.New("the bank is closed")
		}
		return []byte("1"), nil
	})
	w.workerProcess().worker.RequestID = func(context.Context) string { return "req-1" }
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "1")
	if len(seen) != 3 || seen[0] != (store.NextAttempt{}) {
		t.Fatalf("noted %+v, want nothing at the first of 3 attempts", seen)
	}
	for i, next := range seen[1:] {
		n := i + 2
		if next.Attempt != n || next.Kind != history.FailureApplication || next.Message != "the bank is closed" ||
			next.DueAt.Sub(next.NotedAt) != time.Duration(i+1)*time.Minute || startedAt[i+1].Before(next.DueAt) || !next.StartedAt.Equal(startedAt[i].Truncate(time.Millisecond)) || next.RequestID != "req-1" {
			t.Errorf("attempt %d began at %s and finds noted %+v", n, startedAt[i+1], next)
		}
	}
	if n := earlier[2]; len(earlier[1]) != 0 || len(n) != 1 || n[0] != seen[1].Earlier() {
		t.Errorf("the third attempt finds %+v of the first, want %+v", n, seen[1].Earlier())
	}
}

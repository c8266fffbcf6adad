package orchestrator

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// fails registers an activity whose attempts fail up to the given number, and returns the times at
// which they started.
func (w *world) fails(until int) *[]time.Time {
	startedAt := &[]time.Time{}
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
		if *startedAt = append(*startedAt, w.clock.Now()); len(*startedAt) < until {
			return nil, errors.New("the bank is closed")
		}
		return []byte("1"), nil
	})
	return startedAt
}

func TestA18AnOperatorRetriesNow(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]history.Retry{
		"by the queue":  {MaxAttempts: 4, InitialMS: 600_000, Coefficient: 1},
		"in rounds":     {MaxAttempts: 4, InitialMS: 3_600_000, Coefficient: 1},
		"at most once":  {MaxAttempts: 4, InitialMS: 600_000, Coefficient: 1, AtMostOnce: true},
		"with an end":   {MaxAttempts: 4, InitialMS: 600_000, Coefficient: 1, TotalTimeoutMS: 86_400_000},
		"under a limit": {MaxAttempts: 4, InitialMS: 600_000, Coefficient: 1, LimitKey: "k", Limit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.idle = 10 * time.Hour })
			w.orchestration("Main", once(&policy))
			startedAt := w.fails(4)
			w.start("a", "Main", "1")
			w.runFor(time.Minute)
			// Two operators start the second and the third attempt now; the fourth is due.
			for attempt := 2; attempt <= 3; attempt++ {
				w.send(wire.Item{Kind: wire.RetryActivity, Instance: "a", ExecutionID: 1, SourceEventID: 2, Attempt: attempt, ID: "ada"})
				w.send(wire.Item{Kind: wire.RetryActivity, Instance: "a", ExecutionID: 1, SourceEventID: 2, Attempt: attempt, ID: "bob"})
				w.runFor(time.Minute)
				if len(*startedAt) != attempt {
					t.Fatalf("%d attempts have begun, want %d", len(*startedAt), attempt)
				}
			}
			w.run()
			w.expectOutput("a", "1")
			w.expectHistory("a", 1, "Started Act(Work) Done←2 Completed")
			if d := time.Duration(policy.InitialMS) * time.Millisecond; len(*startedAt) != 4 || (*startedAt)[2].Sub((*startedAt)[0]) > 2*time.Minute || (*startedAt)[3].Sub((*startedAt)[2]) < d {
				t.Errorf("the attempts began at %v", *startedAt)
			}
			w.expectQuiet()
		})
	}
}

// A request for an attempt that cannot be retried now is acknowledged, and an attempt that is due
// soon starts by itself.
func TestA18AnAttemptThatIsNotWaitingIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 3, InitialMS: 600_000, Coefficient: 1}))
	startedAt := w.fails(3)
	retry := func(attempt int, id string) {
		w.send(wire.Item{Kind: wire.RetryActivity, Instance: "a", ExecutionID: 1, SourceEventID: 2, Attempt: attempt, ID: id})
	}
	w.start("a", "Main", "1")
	w.settleFIFO()
	retry(1, "before the first attempt")
	w.runFor(time.Minute)
	retry(3, "another attempt")
	w.runFor(8*time.Minute + 55*time.Second)
	retry(2, "just before it is due")
	w.settleFIFO()
	if len(*startedAt) != 1 {
		t.Errorf("%d attempts have begun, want 1", len(*startedAt))
	}
	w.run()
	retry(0, "after the end")
	w.run()
	if len(*startedAt) != 3 {
		t.Errorf("%d attempts have begun, want 3", len(*startedAt))
	}
	w.expectOutput("a", "1")
	w.expectQuiet()
}

// If a message that starts an attempt early arrives too late, the regular message starts the
// attempt, whatever happened to the claim of the late message.
func TestA18ALateMessageDoesNotStartTheAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		claims, beside bool
	}{
		{"it has claimed nothing", false, false},
		{"its claim is stored", true, false},
		{"it has claimed nothing, and both arrive at once", false, true},
		{"its claim is stored, and both arrive at once", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", once(&history.Retry{MaxAttempts: 3, InitialMS: 600_000, Coefficient: 1}))
			startedAt := w.fails(2)
			w.start("a", "Main", "1")
			w.runFor(time.Minute)
			key := store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}
			state, err := w.stops.State(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			id := activities.EarlyID(state.Next.DueAt, "ada")
			if c.claims {
				if err := w.stops.Claim(t.Context(), key, store.Claim{Attempt: 2, Token: id}, w.clock.Now().Add(time.Hour)); err != nil {
					t.Fatal(err)
				}
			}
			if !c.beside {
				w.clock.Advance(state.Next.DueAt.Sub(w.clock.Now()) - time.Second)
			}
			e := w.events("a", 1)[1]
			item := wire.Item{V: wire.Version, Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Input: e.Payload,
				Token: w.token("a", 2), Attempt: 2, ScheduledAtMS: e.AtMS, Retry: e.Retry, ID: id}
			body, err := item.Encode()
			if err == nil {
				err = w.activity.Send(t.Context(), queue.Outgoing{Body: string(body)})
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.beside {
				w.clock.Advance(state.Next.DueAt.Sub(w.clock.Now()) + time.Second)
			}
			w.run()
			w.expectOutput("a", "1")
			if len(*startedAt) != 2 {
				t.Errorf("%d attempts have begun, want 2", len(*startedAt))
			}
			w.expectQuiet()
		})
	}
}

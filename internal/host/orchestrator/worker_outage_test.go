package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// an outage of the services that a worker calls costs time, however long it lasts, but fails
// no activity.
func TestAnOutageFailsNoActivity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// fails reports whether a call fails during the outage.
		fails func(call string) bool
		most  int // runs of the activity
	}{
		{"the table refuses everything", func(call string) bool { return call == "State" || call == "MarkSuspect" || call == "Claim" }, 1},
		{"the table refuses writes", func(call string) bool { return call == "MarkSuspect" || call == "Claim" }, 3},
		{"the orchestrator queue refuses", func(call string) bool { return call == "Send fifo" }, 1_000_000},
		{"SQS refuses everything", func(call string) bool { return strings.HasPrefix(call, "Se") }, 1_000_000},
	} {
		for _, lasts := range []time.Duration{7 * time.Minute, time.Hour, 7 * 24 * time.Hour} {
			for name, retry := range map[string]*history.Retry{"no policy": nil, "three attempts": {MaxAttempts: 3}} {
				t.Run(fmt.Sprintf("%s, for %s, %s", c.name, lasts, name), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
					w.orchestration("Main", once(retry))
					runs := 0
					w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
					w.start("a", "Main", "1")
					w.settleFIFO()
					end := w.clock.Now().Add(lasts)
					w.workerProcess().faults.fail = func(call string) error {
						if c.fails(call) && w.clock.Now().Before(end) {
							if strings.HasPrefix(call, "Se") {
								return fmt.Errorf("simulated: %w", queue.ErrUnavailable)
							}
							return fmt.Errorf("simulated: %w", store.ErrUnavailable)
						}
						return nil
					}
					w.runFor(lasts - time.Minute)
					w.idle = 30 * 24 * time.Hour
					w.run()
					w.expectOutput("a", "1")
					if runs > c.most {
						t.Errorf("%d runs, want at most %d", runs, c.most)
					}
					w.expectCount(host.CountAttempts, history.FailureLost, 0)
					w.expectQuiet()
					w.expectDead()
				})
			}
		}
	}
}

// an attempt that SQS removes from the activity queue after its last receive is sent there
// again, with the same attempt number and payload and a growing delay.
func TestAnAttemptReceivedTooOftenIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(nil))
	w.activityFunc("Work", func(_ context.Context, in []byte) ([]byte, error) { return in, nil })
	w.start("a", "Main", "1")
	w.settleFIFO()
	for round := range 3 {
		taken, err := w.activity.Receive(t.Context(), 10, 0)
		if err != nil || len(taken) != 1 {
			t.Fatalf("%d messages, %v", len(taken), err)
		}
		if err := w.activity.Delete(t.Context(), taken[0]); err != nil {
			t.Fatal(err)
		}
		if err := w.activityDead.Send(t.Context(), queue.Outgoing{Body: taken[0].Body}); err != nil {
			t.Fatal(err)
		}
		dead, err := w.activityDead.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.handle(source{"activitydead", w.activityDead, platform.SourceActivityDead}, dead)
		before := w.clock.Now()
		next, _ := w.activity.NextDue()
		if delay := next.Sub(before); delay < time.Minute<<round {
			t.Errorf("sent again after %s in round %d", delay, round)
		}
		w.clock.Advance(next.Sub(before))
	}
	w.run()
	w.expectOutput("a", "1")
	w.expectCount(host.CountMessages, "sent_anew", 3)
	w.expectQuiet()
	w.expectDead()
}

// From the fourth receive on, an attempt is marked, and the mark is removed afterwards. Normally,
// nothing is written for an attempt.
func TestOnlyAnOftenRedeliveredAttemptIsMarked(t *testing.T) {
	t.Parallel()
	for receives, want := range map[int]int{1: 0, 3: 0, 4: 2} {
		t.Run(fmt.Sprintf("receive %d", receives), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.activityFunc("Work", step)
			body := w.body(wire.Item{Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Input: []byte("1"), Token: "t", Attempt: 1})
			marks := 0
			w.workerProcess().faults.fail = func(call string) error {
				if call == "MarkSuspect" {
					marks++
				}
				return nil
			}
			w.worker.worker.Handle(t.Context(), []platform.Delivery{{Message: queue.Message{ID: "m", Body: body, ReceiveCount: receives}, Source: platform.SourceActivity}})
			if marks != want {
				t.Errorf("%d writes of marks, want %d", marks, want)
			}
		})
	}
}

// A copy of a message whose attempt is running does not count as a death.
func TestACopyOfASuspectedMessageDoesNotCountAsADeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	runs := 0
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
	body := w.body(wire.Item{Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Input: []byte("1"), Token: "t", Attempt: 1})
	key := store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2}
	now := w.clock.Now()
	if err := w.stops.SetSuspect(t.Context(), key, store.Suspect{Attempt: 1, Deaths: 4, Until: now.Add(time.Minute)}, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	failed := w.workerProcess().worker.Handle(t.Context(), []platform.Delivery{{Message: queue.Message{ID: "m", Body: body, ReceiveCount: 9}, Source: platform.SourceActivity}})
	if runs != 0 || len(failed) != 1 {
		t.Errorf("%d runs, handed back %v", runs, failed)
	}
	w.expectCount(host.CountAttempts, history.FailureLost, 0)
}

// attempts that run one after another because a process died each have their full time.
func TestA08AnAttemptThatHadToWaitIsNotCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		var calls []*engine.Future
		for range 5 {
			calls = append(calls, ctx.Activity(engine.ActivityCall{Name: "Work", Input: in}))
		}
		if _, err := ctx.Join(calls...); err != nil {
			return nil, err
		}
		return in, nil
	})
	runs := 0
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
		runs++
		w.clock.Advance(4 * time.Minute)
		return []byte("1"), nil
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	for id := range int64(5) {
		key := store.ActivityKey{Instance: "a", ExecutionID: 1, EventID: 2 + id}
		if err := w.stops.SetSuspect(t.Context(), key, store.Suspect{Attempt: 1, Until: w.clock.Now()}, w.clock.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	w.run()
	w.expectOutput("a", "1")
	w.expectCount(host.CountAttempts, history.FailureTimeout, 0)
	if runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
	w.expectQuiet()
	w.expectDead()
}

// an attempt that SQS removed from the activity queue is more than seven days old. If the
// activity queue refuses its replacement once, it does not become a dead letter.
func TestA08AnOldAttemptThatCannotBeReplacedReturnsToTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(nil))
	w.activityFunc("Work", step)
	w.start("a", "Main", "1")
	w.settleFIFO()
	taken, err := w.activity.Receive(t.Context(), 10, 0)
	if err != nil || len(taken) != 1 {
		t.Fatalf("%d messages, %v", len(taken), err)
	}
	if err := w.activity.Delete(t.Context(), taken[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.activityDead.Send(t.Context(), queue.Outgoing{Body: taken[0].Body}); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(10 * 24 * time.Hour)
	refused := 0
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" && refused == 0 {
			refused++
			return queue.ErrUnavailable
		}
		return nil
	}
	w.run()
	w.expectDead()
	w.expectStatus("a", store.StatusCompleted)
	w.expectQuiet()
}

// lostMarks makes marks land but reports an unknown outcome.
type lostMarks struct {
	store.Activities
	lost *int
}

func (s lostMarks) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	err := s.Activities.SetSuspect(ctx, key, suspect, expiresAt)
	if err == nil && suspect.Attempt != 0 && *s.lost > 0 {
		*s.lost--
		return store.ErrUnknownOutcome
	}
	return err
}

// W-06: a mark whose response was lost does not count as a death, however often that happens, and
// the message need not wait until the attempt would be over. Found by seed 37006047202 of the bias
// "torn reads", with two deaths and three such marks.
func TestAMarkWhoseResponseIsLostDoesNotCountAsADeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	lost := 9
	w.stops = lostMarks{w.stops, &lost}
	runs := 0
	w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { runs++; return []byte("1"), nil })
	body := w.body(wire.Item{Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Input: []byte("1"), Token: "t", Attempt: 1})
	for receives := 4; receives < 13; receives++ {
		if failed := w.workerProcess().worker.Handle(t.Context(), []platform.Delivery{{Message: queue.Message{ID: "m", Body: body, ReceiveCount: receives}, Source: platform.SourceActivity}}); len(failed) != 1 || runs != 0 {
			t.Fatalf("receive %d: handed back %v, %d runs", receives, failed, runs)
		}
	}
	if failed := w.workerProcess().worker.Handle(t.Context(), []platform.Delivery{{Message: queue.Message{ID: "m", Body: body, ReceiveCount: 20}, Source: platform.SourceActivity}}); len(failed) != 0 || runs != 1 {
		t.Errorf("at last: handed back %v, %d runs, want one", failed, runs)
	}
	w.expectCount(host.CountAttempts, history.FailureLost, 0)
}

package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// heldUp returns the number of messages counted as needing an operator.
func (w *world) heldUp(reason string) int {
	w.observer.mu.Lock()
	defer w.observer.mu.Unlock()
	return w.observer.counts[string(host.CountHeldUp)+" "+reason]
}

// A message that is requeued for another build is reported after an hour, and then at each receive,
// every 15 minutes. A deployment takes less than an hour, so it is not reported.
func TestAMessageRequeuedForAnHourIsReported(t *testing.T) {
	t.Parallel()
	for reason, prepare := range map[string]func(t *testing.T, w *world){
		"not_registered": func(_ *testing.T, w *world) {
			w.orchestration("Main", once(nil))
			w.activityFunc("Other", step)
			w.start("a", "Main", "1")
		},
		"codec": func(t *testing.T, w *world) {
			w.orchestration("Main", waits("go"))
			w.codecs = setOf(t, keyOf(t, "a"))
			w.start("a", "Main", `"x"`)
			w.run()
			w.codecs = setOf(t, keyOf(t, "b"))
			w.restart()
			w.raise("a", "go", `"y"`, "e")
		},
		"newer": func(_ *testing.T, w *world) {
			w.orchestration("Main", waits("go"))
			w.start("a", "Main", `"x"`)
			w.run()
			w.restart()
			w.newer = true
			w.raise("a", "go", `"y"`, "e")
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			prepare(t, w)
			w.runFor(55 * time.Minute)
			if n := w.heldUp(reason); n != 0 {
				t.Errorf("told %d times within 55 minutes", n)
			}
			w.runFor(25 * time.Minute)
			first := w.heldUp(reason)
			if first == 0 {
				t.Error("not told within 80 minutes")
			}
			w.runFor(10 * time.Hour)
			if n := w.heldUp(reason) - first; n < 38 || n > 41 {
				t.Errorf("told %d times in ten hours, want each 15 minutes", n)
			}
			if n := w.observer.counts[string(host.CountDelayed)+" "+reason]; n == 0 {
				t.Errorf("it did not go round: %v", w.observer.counts)
			}
		})
	}
}

// An attempt of an old activity that reaches a build without that activity is not reported at once.
func TestTheHourOfAnAttemptStartsWhenItIsRequeued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 2, InitialMS: (3 * time.Hour).Milliseconds()}))
	w.activityFunc("Work", fails)
	w.start("a", "Main", "1")
	w.runFor(time.Hour)
	w.activities = nil
	w.activityFunc("Other", step)
	w.restart()
	w.runFor(2*time.Hour + 55*time.Minute)
	if n := w.heldUp("not_registered"); n != 0 {
		t.Errorf("told %d times within 55 minutes", n)
	}
	w.runFor(time.Hour)
	if n := w.heldUp("not_registered"); n == 0 {
		t.Error("not told")
	}
}

// A worker that cannot send, or cannot read its table, returns all messages to the queue, and no
// invocation fails.
func TestAttemptsThatAreRedeliveredForHalfAnHourAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		fails    func(call string) bool
		limit    int
		within   time.Duration
		reported bool
	}{
		{"the orchestrator queue refuses", func(call string) bool { return call == "Send fifo" }, 0, 40 * time.Minute, true},
		{"nor can their pause be set", func(call string) bool { return call == "Send fifo" || call == "SetVisibility activity" }, 0, 80 * time.Minute, true},
		{"the table refuses", func(call string) bool { return call == "State" }, 0, 40 * time.Minute, true},
		{"with a limit, whose waits are receives too", func(call string) bool { return call == "Send fifo" }, 1, 40 * time.Minute, false},
		{"nothing is wrong", func(string) bool { return false }, 0, 40 * time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.limit = 15 * time.Minute })
			retry := &history.Retry{MaxAttempts: 1}
			if c.limit > 0 {
				retry.LimitKey, retry.Limit = "k", c.limit
			}
			w.orchestration("Main", once(retry))
			w.activityFunc("Work", step)
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.workerProcess().faults.fail = func(call string) error {
				switch {
				case !c.fails(call):
					return nil
				case call == "State":
					return fmt.Errorf("simulated: %w", store.ErrUnavailable)
				}
				return fmt.Errorf("simulated: %w", queue.ErrUnavailable)
			}
			// The first delivery does not read the table.
			w.clock.Advance(time.Minute)
			w.runFor(c.within)
			if reported := w.heldUp("returning") > 0; reported != c.reported {
				t.Errorf("told: %v, want %v (all: %v)", reported, c.reported, w.observer.counts)
			}
		})
	}
}

// The item of an attempt has the time since which it has been requeued; the next attempt has a new
// time.
func TestTheNextAttemptDoesNotCountAsRequeued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", once(&history.Retry{MaxAttempts: 2, InitialMS: time.Hour.Milliseconds()}))
	w.activityFunc("Other", step)
	w.start("a", "Main", "1")
	w.runFor(30 * time.Minute)
	item := func() wire.Item {
		t.Helper()
		messages := w.activity.Peek()
		if len(messages) != 1 {
			t.Fatalf("%d messages", len(messages))
		}
		item, err := wire.Parse([]byte(messages[0].Body))
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	if i := item(); i.FirstSeenMS == 0 || i.Hops == 0 {
		t.Errorf("it goes round as %+v", i)
	}
	w.activityFunc("Work", fails)
	w.restart()
	w.runFor(20 * time.Minute)
	if i := item(); i.Attempt != 2 || i.FirstSeenMS != 0 || i.Hops != 0 {
		t.Errorf("the next attempt is %+v", i)
	}
}

func fails(context.Context, []byte) ([]byte, error) { return nil, errors.New("not now") }

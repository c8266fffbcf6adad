package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const fourteenDays = 14 * 24 * time.Hour

// ago returns the world's time minus d, in the form that items use.
func (w *world) ago(d time.Duration) int64 { return w.clock.Now().Add(-d).UnixMilli() }

func TestAnItemOlderThanFourteenDaysIsADeadLetterAndNotApplied(t *testing.T) {
	t.Parallel()
	late := func(w *world, item wire.Item) wire.Item {
		item.SentMS = w.ago(fourteenDays + time.Minute)
		return item
	}
	for name, item := range map[string]func(w *world) wire.Item{
		"a start": func(w *world) wire.Item {
			return wire.Item{Kind: wire.StartOrchestration, Instance: "b", Name: "Main", ID: "b"}
		},
		"an event": func(w *world) wire.Item {
			return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: "e"}
		},
		"a cancel":    func(w *world) wire.Item { return wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c"} },
		"a terminate": func(w *world) wire.Item { return wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t"} },
		"a purge": func(w *world) wire.Item {
			return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"}
		},
		"a completion": func(w *world) wire.Item { return w.completed("a", 2, "1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				act, ev := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.ExternalEvent("go")
				_, err := ctx.Join(act, ev)
				return in, err
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.send(late(w, item(w)))
			w.settleFIFO()
			w.expectHistory("a", 1, "Started Act(Step) Sub(go)")
			w.expectDead("expired")
			if r := w.record("b"); r.Instance != "" {
				t.Errorf("the start made %+v", r)
			}
			letter := w.deadFIFO.Peek()[0]
			if why := letter.Attributes[wire.ReasonAttribute]; !strings.Contains(why, "336h1m0s old") || !strings.Contains(why, "336h0m0s") {
				t.Errorf("reason %q", why)
			}
		})
	}
}

// A late wake does no harm, because a wake requests only what would be requested again anyway.
func TestAWakeIsNeverTooOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("go"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "w", SentMS: w.ago(20 * fourteenDays)})
	w.run()
	w.expectDead()
	w.expectQuiet()
}

// A hop creates a new message, which SQS keeps for another fourteen days; the age of the item
// continues.
func TestAnItemKeepsItsAgeAcrossHops(t *testing.T) {
	t.Parallel()
	t.Run("through the delay queue, for a build that is not deployed", func(t *testing.T) {
		t.Parallel()
		for _, says := range []bool{true, false} {
			w := newWorld(t, func(w *world) { w.orchestration("Main", chain(1)) })
			start, err := setOf(t, keyOf(t, "a")).EncodeItem(wire.Item{V: 1, Kind: wire.StartOrchestration, Instance: "main", Name: "Main", Input: []byte("1"), ID: "s"})
			if err != nil {
				t.Fatal(err)
			}
			if says {
				start.SentMS = w.ago(time.Hour)
			}
			w.send(start)
			w.runFor(fourteenDays - 2*time.Hour)
			w.expectDead()
			w.runFor(3 * time.Hour)
			w.expectDead("expired")
			w.expectQuiet()
		}
	})
	t.Run("to the FIFO queue", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("go"))
		w.start("a", "Main", "1")
		w.settleFIFO()
		lost := 0
		w.beforeCommit = func(*store.Commit) error {
			if lost++; lost == 1 {
				return store.ErrConflict
			}
			return nil
		}
		sent := w.ago(13 * 24 * time.Hour)
		w.sendStandard(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: "e", SentMS: sent})
		w.stepDelay()
		item, err := wire.Parse([]byte(w.fifo.Peek()[0].Body))
		if err != nil || item.SentMS != sent {
			t.Errorf("forwarded as %+v, %v; sent at %d", item, err, sent)
		}
	})
}

// stepDelay handles one batch of the delay queue.
func (w *world) stepDelay() {
	w.Helper()
	batch, err := w.delay.Receive(w.Context(), 10, 0)
	if err != nil || len(batch) == 0 {
		w.Fatalf("nothing on the delay queue: %v", err)
	}
	w.handle(source{"delay", w.delay, platform.SourceDelay}, batch)
}

// The age of timers that last years, retries with delays of weeks, limits of pending activities and
// wakes counts from the time when they are due.
func TestTheAgeOfAnItemCountsFromWhenItIsDue(t *testing.T) {
	t.Parallel()
	t.Run("a timer of a year", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(w *world) { w.idle = 400 * 24 * time.Hour })
		w.orchestration("Main", sleeps(365*24*time.Hour))
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "1")
		w.expectDead()
	})
	t.Run("a timer of a year without a timer service", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(w *world) { w.idle = 60 * 24 * time.Hour })
		w.orchestration("Main", sleeps(30*24*time.Hour))
		w.change(func(c *Config) { c.Services.Timer = nil })
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "1")
		w.expectDead()
	})
	t.Run("an attempt three weeks after the first", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, func(w *world) { w.idle = 30 * 24 * time.Hour })
		n := 0
		w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
			if n++; n == 1 {
				return nil, errors.New("not yet")
			}
			return []byte("7"), nil
		})
		w.orchestration("Main", once(&history.Retry{MaxAttempts: 2, InitialMS: (21 * 24 * time.Hour).Milliseconds()}))
		w.start("a", "Main", "1")
		w.run()
		w.expectStatus("a", store.StatusCompleted)
		w.expectDead()
	})
	t.Run("a stuck instance's wake-ups", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { panic("wrong build") })
		w.start("a", "Main", "1")
		w.runFor(30 * 24 * time.Hour)
		w.expectDead()
		w.deploy("Main", waits())
		w.runFor(2 * time.Hour)
		w.expectStatus("a", store.StatusCompleted)
	})
}

// The activity function cannot write to the common dead-letter queue. Its messages go to the
// dead-letter queue of its own queue, and the orchestrator's handler moves them on with the reason.
func TestAnAttemptThatIsTooOldDoesNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ran := false
	w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { ran = true; return nil, nil })
	item := wire.Item{V: 1, Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Step", Token: "t", SentMS: w.ago(fourteenDays + time.Hour)}
	if err := w.activity.Send(t.Context(), queue.Outgoing{Body: w.body(item)}); err != nil {
		t.Fatal(err)
	}
	w.run()
	if ran {
		t.Error("it ran")
	}
	w.expectDead("expired")
	w.expectQuiet()
}

// A message keeps its age when it moves from a standard queue to the dead-letter queue, and SQS
// deletes it when it is fourteen days old. Therefore an attempt that returns to its queue after
// half of that time is replaced by a new message.
func TestAMessageSevenDaysOldOnTheActivityQueueIsReplaced(t *testing.T) {
	t.Parallel()
	t.Run("from the activity queue", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		broken := true
		w.activityFunc("Step", step)
		w.orchestration("Main", chain(1))
		w.start("a", "Main", "1")
		w.settleFIFO()
		was := w.activity.Peek()[0].ID
		w.beforeSend = func(name string, _ []queue.Outgoing) error {
			if broken && name == "fifo" {
				return fmt.Errorf("no permission: %w", queue.ErrUnavailable)
			}
			return nil
		}
		w.clock.Advance(fourteenDays/2 + time.Minute)
		batch, err := w.activity.Receive(t.Context(), 10, 0)
		if err != nil || len(batch) != 1 {
			t.Fatal(batch, err)
		}
		w.handle(source{"activity", w.activity, platform.SourceActivity}, batch)
		now := w.activity.Peek()
		if len(now) != 1 || now[0].ID == was || now[0].SentAt.Before(w.clock.Now()) {
			t.Errorf("on the activity queue: %+v", now)
		}
		broken = false
		w.run()
		w.expectOutput("a", "11")
		w.expectDead()
	})
}

func TestADelayIsBoundedAndNotRounded(t *testing.T) {
	t.Parallel()
	for rest, want := range map[time.Duration]time.Duration{
		math.MinInt64: 0, -1: 0, 0: 0, 1: 1, time.Second: time.Second, 899*time.Second + 1: 899*time.Second + 1,
		queue.MaxDelay: queue.MaxDelay, queue.MaxDelay + 1: queue.MaxDelay, math.MaxInt64 - 1: queue.MaxDelay, math.MaxInt64: queue.MaxDelay,
	} {
		if got := edge.QueueDelay(rest); got != want {
			t.Errorf("delay of %s is %s, want %s", rest, got, want)
		}
	}
}

// A firing is delivered when it is due, so a firing that is due in years was not sent by a timer.
// It would be requeued four times an hour until then, or without a pause if its time exceeds the
// range of a duration.
func TestAnItemDueLaterThanItsKindAllowsIsADeadLetterAtOnce(t *testing.T) {
	t.Parallel()
	year := func(y int) int64 { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() }
	fired := wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: "forged"}
	for name, c := range map[string]struct {
		item wire.Item
		due  func(w *world) int64
		dead bool
	}{
		"a firing in the year 2319":          {fired, func(*world) int64 { return year(2319) }, true},
		"a firing in the year 9999":          {fired, func(*world) int64 { return year(9999) }, true},
		"a firing in two hours":              {fired, func(w *world) int64 { return w.ago(-2 * time.Hour) }, true},
		"a firing in an hour":                {fired, func(w *world) int64 { return w.ago(-time.Hour) }, false},
		"a wake in the year 2319":            {wire.Item{Kind: wire.Wake, Instance: "a", ID: "w"}, func(*world) int64 { return year(2319) }, true},
		"a purge in the year 2319":           {wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"}, func(*world) int64 { return year(2319) }, true},
		"a watch that ends in the year 2319": {wire.Item{Kind: wire.ActivityPending, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: "t"}, func(*world) int64 { return year(2319) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, standard := range []bool{false, true} {
				w := newWorld(t, nil)
				item := c.item
				if item.Token != "" {
					item.Token = w.token("a", 2)
				}
				if item.Kind == wire.TimerFired {
					item.FireAtMS = c.due(w)
				} else {
					item.NotBeforeMS = c.due(w)
				}
				if standard {
					w.sendStandard(item)
				} else {
					w.send(item)
				}
				w.runFor(time.Minute)
				want := []string(nil)
				if c.dead {
					want = []string{"invalid_field"}
				}
				w.expectDead(want...)
				if n := w.delay.Counts().Total(); (n == 0) != c.dead {
					t.Errorf("%d on the delay queue", n)
				}
			}
		})
	}
}

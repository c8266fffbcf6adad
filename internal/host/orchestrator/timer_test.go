package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// sleeps waits for timers of these durations, one after another.
func sleeps(durations ...time.Duration) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		for _, d := range durations {
			if _, err := ctx.Await(ctx.Timer(d)); err != nil {
				return nil, err
			}
		}
		return in, nil
	}
}

func TestT01T02T03TimersFireOnTimeAndNotEarly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		d, border time.Duration
		schedules int
	}{
		{"T-01 one second", time.Second, 0, 0},
		{"T-02 zero", 0, 0, 0},
		{"T-02 negative", -time.Hour, 0, 0},
		{"T-03 900 s by queue", 900 * time.Second, 0, 0},
		{"T-03 901 s by the scheduler", 901 * time.Second, 0, 1},
		{"T-03 900 s with the border at 0", 900 * time.Second, -1, 1},
		{"T-03 901 s with the border at 0", 901 * time.Second, -1, 1},
		{"T-03 under two minutes always by queue", 119 * time.Second, -1, 0},
		{"T-03 thirty days", 30 * 24 * time.Hour, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Dispatch.TimerBorder, w.idle = c.border, 40*24*time.Hour })
			w.orchestration("Main", sleeps(c.d))
			w.start("a", "Main", "1")
			startedAt := w.clock.Now()
			w.settleFIFO()
			if n := len(w.timer.Pending()); n != c.schedules {
				t.Errorf("%d schedules, want %d", n, c.schedules)
			}
			w.run()
			w.expectOutput("a", "1")
			events := w.events("a", 1)
			fireAt := time.UnixMilli(events[1].FireAtMS)
			if want := startedAt.Add(max(c.d, 0)); !fireAt.Equal(want) {
				t.Errorf("fire time %s, want %s", fireAt, want)
			}
			fired := time.UnixMilli(events[2].AtMS)
			if fired.Before(fireAt) || fired.Sub(fireAt) > time.Second && c.d > 0 {
				t.Errorf("fired at %s, due at %s", fired, fireAt)
			}
			w.expectQuiet()
		})
	}
}

func TestT04OneTimerTwiceAndAHundredAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("dispatched twice", func(t *testing.T) {
		t.Parallel()
		for _, d := range []time.Duration{time.Minute, time.Hour} {
			w := newWorld(t, nil)
			w.orchestration("Main", sleeps(d, time.Minute))
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.send(wire.Item{Kind: wire.Wake, Instance: "a", ID: "again"})
			w.run()
			w.expectHistory("a", 1, "Started Timer Fired←2 Timer Fired←4 Completed")
			w.expectQuiet()
		}
	})
	t.Run("a hundred with one fire time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			var fs []*engine.Future
			for range 100 {
				fs = append(fs, ctx.Timer(time.Hour))
			}
			_, err := ctx.Join(fs...)
			return in, err
		})
		w.start("a", "Main", "1")
		w.run()
		w.expectOutput("a", "1")
		if n := len(w.events("a", 1)); n != 202 {
			t.Errorf("%d events", n)
		}
		w.expectInvariants("a")
	})
}

func TestT05AFiringThatArrivesEarly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", sleeps(40*time.Minute))
	w.start("a", "Main", "1")
	w.settleFIFO()
	e := w.events("a", 1)[1]
	early := wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: w.token("a", 2), FireAtMS: e.FireAtMS}
	// The message passes through both queues repeatedly: no resend is dropped.
	w.send(early)
	w.sendStandard(early)
	w.runFor(39 * time.Minute)
	w.expectHistory("a", 1, "Started Timer")
	w.run()
	w.expectHistory("a", 1, "Started Timer Fired←2 Completed")
	if at := w.events("a", 1)[2].AtMS; at < e.FireAtMS {
		t.Errorf("fired %d ms early", e.FireAtMS-at)
	}
	w.expectDead()
	w.expectQuiet()
}

func TestT06TheFireTimePassedWhileEverythingWasDown(t *testing.T) {
	t.Parallel()
	t.Run("after it was dispatched", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", sleeps(time.Minute, time.Hour))
		w.start("a", "Main", "1")
		w.settleFIFO()
		w.clock.Advance(24 * time.Hour)
		w.run()
		w.expectOutput("a", "1")
	})
	t.Run("before a long timer's schedule could be created", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", sleeps(time.Hour))
		w.start("a", "Main", "1")
		// The calls of the start: read the record, commit, then create the schedule.
		w.process().killAt = 3
		w.settleFIFO()
		if w.process().isDead() || len(w.timer.Pending()) != 0 {
			t.Fatal("it was not killed before the schedule")
		}
		w.clock.Advance(3 * time.Hour)
		w.run()
		w.expectOutput("a", "1")
		w.expectHistory("a", 1, "Started Timer Fired←2 Completed")
		w.expectQuiet()
	})
}

func TestT07T08ATimerThatIsNoLongerNeeded(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{5 * time.Minute, 3 * time.Hour} {
		t.Run(fmt.Sprintf("T-07 cancelled, %s", d), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				timer := ctx.Timer(d)
				if _, err := ctx.Await(ctx.ExternalEvent("stop")); err != nil {
					return nil, err
				}
				timer.Cancel("enough")
				return waits("end")(ctx, in)
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.raise("a", "stop", "1", "s")
			w.runFor(d + time.Hour)
			want := "Started Timer Sub(stop) Ev(stop) Sub(end)"
			if d < 15*time.Minute {
				// A message that still arrives is recorded, but nothing receives it.
				want += " Fired←2"
			}
			w.expectHistory("a", 1, want)
			w.expectQuiet()
			w.raise("a", "end", "1", "e")
			w.run()
			w.expectOutput("a", "[1]")
		})
		t.Run(fmt.Sprintf("T-08 open at the end, %s", d), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				ctx.Timer(d)
				return waits("end")(ctx, in)
			})
			w.start("a", "Main", "1")
			w.raise("a", "end", "1", "e")
			w.settleFIFO()
			if n := len(w.timer.Pending()); n != 0 {
				t.Errorf("I-08: %d schedules are left", n)
			}
			w.run()
			w.expectHistory("a", 1, "Started Timer Sub(end) Ev(end) Completed")
			w.expectQuiet()
			w.expectDead()
		})
	}
}

func TestATimerWithoutATimerServiceIsRequeued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", sleeps(5*time.Hour))
	w.change(func(c *Config) { c.Services.Timer = nil })
	w.start("a", "Main", "1")
	w.run()
	w.expectHistory("a", 1, "Started Timer Fired←2 Completed")
	events := w.events("a", 1)
	if late := events[2].AtMS - events[1].FireAtMS; late < 0 || late > 1000 {
		t.Errorf("fired %d ms late", late)
	}
	if events[1].Kind != history.TimerCreated {
		t.Error(events[1])
	}
}

// An operator fires timers, through the queue and by schedules. Firings that are already on their
// way are duplicates, and no schedule is left.
func TestT09AnOperatorFiresATimerEarly(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{time.Minute, time.Hour, 30 * 24 * time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.idle = 40 * 24 * time.Hour })
			w.orchestration("Main", sleeps(d, time.Second))
			w.start("a", "Main", "1")
			w.settleFIFO()
			startedAt := w.clock.Now()
			w.runFor(10 * time.Second)
			fire := wire.Item{Kind: wire.FireTimer, Instance: "a", ExecutionID: 1, SourceEventID: 2, ID: "now", Actor: "ada", Reason: "by phone"}
			w.send(fire)
			w.sendStandard(fire)
			w.settleFIFO()
			if n := len(w.timer.Pending()); n != 0 {
				t.Errorf("%d schedules are left", n)
			}
			w.run()
			w.expectOutput("a", "1")
			w.expectHistory("a", 1, "Started Timer Fired←2 Timer Fired←4 Completed")
			events := w.events("a", 1)
			e := events[2]
			if at := time.UnixMilli(e.AtMS).Sub(startedAt); at > 12*time.Second {
				t.Errorf("fired after %s", at)
			}
			if e.SenderID != "now" || e.Actor != "ada" || e.Reason != "by phone" || e.FireAtMS != events[1].FireAtMS {
				t.Errorf("recorded as %+v", e)
			}
			if e := events[4]; e.SenderID != "" || e.AtMS < e.FireAtMS {
				t.Errorf("the next one is recorded as %+v", e)
			}
			w.expectQuiet()
		})
	}
}

func TestT09AnInvalidFireRequestIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", sleeps(time.Hour, time.Hour))
	w.start("a", "Main", "1")
	w.settleFIFO()
	fire := wire.Item{Kind: wire.FireTimer, Instance: "a", ExecutionID: 1, SourceEventID: 1, ID: "a start"}
	w.send(fire)
	fire.SourceEventID, fire.ID = 9, "nothing"
	w.send(fire)
	fire.SourceEventID, fire.ExecutionID, fire.ID = 2, 2, "another execution"
	w.send(fire)
	w.settleFIFO()
	w.expectHistory("a", 1, "Started Timer")
	w.expectDead("misaddressed", "misaddressed", "misaddressed")
	w.run()
	w.expectHistory("a", 1, "Started Timer Fired←2 Timer Fired←4 Completed")
}

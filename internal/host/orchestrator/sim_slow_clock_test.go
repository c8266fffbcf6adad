package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// I-08: a process whose clock is behind sends again what the turn of another
// scheduled. A timer of half a minute gets no schedule by it, for nobody who
// cancels such a timer would remove one.
func TestAClockThatIsBehindGivesAShortTimerNoSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.Dispatch.TimerBorder = -1
		w.activityFunc("Step", step)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Timer(30 * time.Second)
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
	})
	w.start("main", "Main", "1")
	w.settleFIFO()

	w.change(func(c *Config) { c.Clock = behind{w.clock} })
	start := w.delivery(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", Input: []byte("1"), ID: "start-main"})
	start.ReceiveCount = 2
	if failed := w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{start}); len(failed) > 0 {
		t.Fatal(failed)
	}
	w.expectCount(host.CountResent, "commit", 1)
	if n := len(w.timer.Pending()); n != 0 {
		t.Errorf("%d schedules", n)
	}
}

// behind is a clock that is five minutes late.
type behind struct{ *virtualClock }

func (c behind) Now() time.Time { return c.virtualClock.Now().Add(-5 * time.Minute) }

package orchestrator

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// A-11, M-04: a process whose clock is ahead takes the time of a pending activity for
// over, and dies behind its commit. The message comes back to a process whose clock is
// right, and which does not find that commit yet: by its clock, another attempt is due. It
// makes none before it knows, and what the commit asked for is sent. Found by seed 737
// with the bias "torn reads" of the simulation.
func TestAnActivityThatFailedByAnotherClockGetsNoOtherAttempt(t *testing.T) {
	t.Parallel()
	lost := 0
	for killAt := 1; ; killAt++ {
		attempts := 0
		w := newWorld(t, nil)
		w.limit = time.Hour // of whichever clock
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, _ = ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in,
				Retry: &history.Retry{MaxAttempts: 2, HeartbeatTimeoutMS: 60_000, TotalTimeoutMS: 600_000}}))
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
		w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) { attempts++; return nil, activity.ErrPending })
		w.activityFunc("Step", func(_ context.Context, in []byte) ([]byte, error) { return in, nil })
		w.start("a", "Main", "1")
		w.runFor(30 * time.Second)
		now := w.clock.Now()
		body := w.body(wire.Item{Kind: wire.ActivityPending, Instance: "a", ExecutionID: 1, SourceEventID: 2, Token: w.token("a", 2), Attempt: 1,
			ScheduledAtMS: w.events("a", 1)[1].AtMS, FirstSeenMS: now.Add(-70 * time.Second).UnixMilli()})
		w.change(func(c *Config) { c.Clock = ahead{w.clock, 10 * time.Minute} })
		if !w.deliver("pending", body, 1, platform.SourceOrchestrator, killAt) {
			break
		}
		committed := len(w.events("a", 1)) > 2
		if committed {
			lost++
		}
		s := &tornStore{Store: w.store, execution: 1, slot: 3, reads: 1}
		o := w.another(w.process().cfg.Orchestrations, s)
		d := platform.Delivery{Message: queue.Message{ID: "pending", Body: body, ReceiveCount: 2}, Source: platform.SourceOrchestrator}
		for ; len(o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d})) > 0; d.ReceiveCount++ {
			if d.ReceiveCount > 2 {
				t.Fatalf("killed behind call %d: it is handed back again", killAt)
			}
		}
		w.run()
		if w.expectOutput("a", "1"); committed && attempts != 1 {
			t.Errorf("%d attempts of an activity that has failed", attempts)
		}
		if t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
	}
	if lost == 0 {
		t.Error("no call lies between the commit and its dispatch")
	}
}

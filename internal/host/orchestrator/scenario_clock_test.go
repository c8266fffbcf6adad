package orchestrator

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// ahead is the clock of a machine whose time is ahead of the others.
type ahead struct {
	clock.Clock
	by time.Duration
}

func (c ahead) Now() time.Time { return c.Clock.Now().Add(c.by) }

// M-04 and T-05 together: a process whose clock is ahead handles a firing. Its turn is committed,
// but the dispatch fails, and the next process that receives the message finds that it is not due.
// When the message is requeued, it must stay marked as redelivered: otherwise the unsent messages
// of its turn would never be sent.
func TestM04ARedeliveredMessageThatIsNotDueStaysMarkedAsRedelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Timer(5 * time.Minute)); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	})
	w.activityFunc("Step", step)
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.clock.Advance(5*time.Minute - 1500*time.Millisecond)
	w.change(func(c *Config) { c.Clock = ahead{w.clock, 2 * time.Second} })
	throttled := 0
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" && throttled == 0 {
			throttled++
			return errors.New("throttled")
		}
		return nil
	}
	w.sendStandard(wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 2,
		Token: w.token("a", 2), FireAtMS: w.events("a", 1)[1].FireAtMS})
	w.step() // It is forwarded.
	w.step()
	w.expectHistory("a", 1, "Started Timer Fired←2 Act(Step)")
	if throttled != 1 {
		t.Fatal("the dispatch did not fail")
	}
	w.restart()
	w.run()
	w.expectOutput("a", "11")
	w.expectQuiet()
	w.expectInvariants("a")
}

package orchestrator

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// however often the message that checks a pending activity is delivered, few checks remain,
// because checks at the same time are merged into one.
func TestA13DaysOfDuplicatesLeaveFewChecks(t *testing.T) {
	t.Parallel()
	for name, retry := range map[string]*history.Retry{
		"total timeout":          {TotalTimeoutMS: (96 * time.Hour).Milliseconds()},
		"short heartbeats":       {TotalTimeoutMS: (24 * time.Hour).Milliseconds(), HeartbeatTimeoutMS: 1_200_000},
		"heartbeats, for days":   {TotalTimeoutMS: (96 * time.Hour).Milliseconds(), HeartbeatTimeoutMS: (2 * time.Hour).Milliseconds()},
		"a limit of ten minutes": {TotalTimeoutMS: 600_000},
	} {
		for _, late := range []time.Duration{0, 11 * time.Minute} {
			t.Run(name+", the second "+late.String()+" later", func(t *testing.T) {
				t.Parallel()
				w, tokens := pendingWorld(t, retry)
				random := rand.New(rand.NewPCG(1, 2))
				if late == 0 {
					w.twice = func() bool { return true }
				}
				most, end := 0, w.clock.Now().Add(time.Duration(retry.TotalTimeoutMS)*time.Millisecond-10*time.Second)
				beats := 0
				for step := 20 * time.Second; w.clock.Now().Before(end); {
					if retry.HeartbeatTimeoutMS > 0 {
						if beats++; int64(beats)*step.Milliseconds() >= retry.HeartbeatTimeoutMS/3 {
							w.byToken(wire.ActivityHeartbeat, (*tokens)[0], "")
							beats = 0
						}
					}
					if late > 0 && random.IntN(100) == 0 {
						// A copy of the waiting message arrives late.
						for _, m := range w.delay.Peek() {
							body := m.Body
							w.clock.AfterFunc(late+15*time.Minute, func() { _ = w.delay.Send(t.Context(), queue.Outgoing{Body: body}) })
						}
					}
					w.runFor(min(step, end.Sub(w.clock.Now())))
					most = max(most, w.delay.Counts().Total()+w.fifo.Counts().Total()+len(w.timer.Pending()))
				}
				if most > 12 {
					t.Errorf("%d messages in flight at once", most)
				}
				w.expectStatus("a", store.StatusRunning)
				w.twice = nil
				w.run()
				w.expectHistory("a", 1, "Started Act(Work) Failed(total_timeout)←2 Completed")
				w.expectQuiet()
				w.expectDead()
			})
		}
	}
}

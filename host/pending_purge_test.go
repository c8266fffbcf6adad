package host

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
)

// A message about a pending activity became its failure, in a turn that was
// committed and not dispatched. It comes back behind a purge: by itself, behind
// the next start, or together with it.
func TestAMessageAboutAPendingActivityAnswersForItsTurnBehindAPurge(t *testing.T) {
	t.Parallel()
	for _, anew := range []string{"not", "before", "together"} {
		for killAt := 1; ; killAt++ {
			w := newWorld(t, nil)
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work", Input: in, Retry: &history.Retry{TotalTimeoutMS: 60_000}}))
				if err == nil {
					return nil, nil
				}
				if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")}); err != nil {
					return nil, err
				}
				return ctx.Await(ctx.ExternalEvent("never"))
			})
			w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
			w.activityFunc("Work", func(context.Context, []byte) ([]byte, error) {
				return nil, fmt.Errorf("handed out: %w", activity.ErrPending)
			})
			w.start("a", "Main", "1")
			w.runFor(30 * time.Second)
			w.clock.Advance(time.Hour)
			pending, err := w.delay.Receive(t.Context(), 10, 0)
			if err != nil || len(pending) != 1 {
				t.Fatal(pending, err)
			}
			m := pending[0]
			died := w.deliver(m.ID, m.Body, 1, SourceOrchestrator, killAt)
			w.process().faults.killAt = 0
			committed := len(w.turns("a", 1)) > 1
			w.fifoBatch(1, lifePurge("p"))
			if !w.record("a").Purged {
				t.Fatal("not purged", killAt, died, w.record("a"), w.observer.counts)
			}
			start := lifeStart("s2")
			m.ReceiveCount = 2
			batch := []Delivery{{m, SourceOrchestrator}}
			switch anew {
			case "before":
				w.fifoBatch(1, start)
			case "together":
				batch = append(batch, Delivery{queue.Message{ID: "s2", Body: w.body(start), ReceiveCount: 1}, SourceOrchestrator})
			}
			if died {
				w.give(batch...)
			}
			if err := w.delay.Delete(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			for w.step() { // Nothing of another life's activity is due yet.
			}
			if _, err := w.store.Describe(t.Context(), "other"); committed && err != nil {
				t.Errorf("started anew: %s; killed behind call %d: %v; %s; %v", anew, killAt, err, short(w.events("a", 1)), w.observer.counts)
			}
			if !died {
				break
			}
		}
	}
}

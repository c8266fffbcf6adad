package worker_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
)

// Lambda may deliver a batch late because the function was throttled. The worker then either keeps each message
// until the invocation ends, or leaves it to others. No activity runs twice at once.
func TestA10AnAttemptThatStartsLateRunsOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		late time.Duration
		runs bool
	}{
		{"at once", 0, true},
		{"5 minutes", 5 * time.Minute, true},
		{"13 minutes", 13 * time.Minute, true},
		{"15 minutes", 15 * time.Minute, true},
		{"15 minutes and 55 seconds", 15*time.Minute + 55*time.Second, false},
		{"17 minutes", 17 * time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHanging(t, 16*time.Minute)
				h.send(t, "t", 1)
				held, err := h.activities.Receive(t.Context(), 1, 0)
				if err != nil || len(held) != 1 {
					t.Fatal(held, err)
				}
				time.Sleep(c.late)
				done := make(chan []string)
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
					defer cancel()
					done <- h.Handle(ctx, []platform.Delivery{{Message: held[0], Source: platform.SourceActivity}})
				}()
				synctest.Wait()
				if ran := h.started.Load() == 1; ran != c.runs {
					t.Errorf("runs: %t", ran)
				}
				if !c.runs {
					if failed := <-done; len(failed) != 1 {
						t.Errorf("handed back: %v", failed)
					}
					return
				}
				time.Sleep(200 * time.Second)
				if again, err := h.activities.Receive(t.Context(), 1, 0); err != nil || len(again) > 0 {
					t.Errorf("received by another meanwhile: %v, %v", again, err)
				}
				h.let <- nil
				if failed := <-done; len(failed) > 0 {
					t.Errorf("handed back: %v", failed)
				}
			})
		})
	}
}

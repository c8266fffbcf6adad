package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// F-05: an arrival parked while the code was broken wins a select and gives no
// event when it is run. What it cancelled is removed all the same, by the next
// commit, on a warm process too.
func TestF05WhatAParkedArrivalCancelsWithoutAnEventIsRemoved(t *testing.T) {
	t.Parallel()
	code := func(between func()) engine.Func {
		return func(ctx *engine.Context, _ []byte) ([]byte, error) {
			event, timer, end := ctx.ExternalEvent("e"), ctx.Timer(30*24*time.Hour), ctx.ExternalEvent("end")
			if _, err := ctx.Select(false, event, timer); err != nil {
				return nil, err
			}
			between()
			if _, err := ctx.Await(end); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.ExternalEvent("never"))
		}
	}
	for name, cold := range map[string]bool{"warm": false, "cold": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.orchestration("Main", code(func() { panic("broken") })) })
			w.start("main", "Main", "1")
			w.settleFIFO()
			w.raise("main", "e", "1", "e-1")
			w.settleFIFO()
			if n := len(w.timer.Pending()); n != 1 {
				t.Fatalf("%d schedules", n)
			}
			w.deploy("Main", code(func() {}))
			w.runFor(2 * time.Minute) // The cache keeps it for ten.
			w.expectStatus("main", store.StatusRunning)
			if cold {
				w.restart()
			}
			w.raise("main", "end", "1", "e-2")
			w.settleFIFO()
			w.expectQuiet()
		})
	}
}

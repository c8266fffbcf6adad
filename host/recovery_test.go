package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// R-18, M-13: a process with the right code takes a stuck instance on without
// giving an event, while one with the broken code parks one more arrival. It
// commits before the mark is cleared, or after; a process dies at any of its
// calls. The arrival is answered, without another message.
func TestR18AnArrivalParkedWhileTheInstanceRecovers(t *testing.T) {
	t.Parallel()
	twice := func(between func()) engine.Func {
		return func(ctx *engine.Context, _ []byte) ([]byte, error) {
			first, second := ctx.ExternalEvent("e"), ctx.ExternalEvent("e")
			if _, err := ctx.Await(first); err != nil {
				return nil, err
			}
			between()
			return ctx.Await(second)
		}
	}
	broken, right := twice(func() { panic("broken") }), twice(func() {})
	for _, parkedFirst := range []bool{true, false} {
		for k := -1; k < 10; k++ {
			for _, after := range []bool{false, true} {
				w := newWorld(t, func(w *world) { w.orchestration("Main", broken) })
				fifo, delay := w.sources()[0], w.sources()[1]
				w.start("main", "Main", "1")
				w.raise("main", "e", "1", "e-1")
				w.settleFIFO()
				w.expectStatus("main", store.StatusStuck)
				w.raise("main", "e", "2", "e-2")
				met := false
				if parkedFirst {
					// While the wake's record is about to be changed.
					w.deploy("Main", right)
					w.beforeUpdate = func() {
						if !met {
							met = true
							w.aside("Main", broken, fifo)
						}
					}
					w.clock.Advance(2 * time.Minute)
					w.process().killAt, w.process().after = k, after
					w.stepOf(delay)
				} else {
					// While the arrival is about to be committed.
					w.beforeCommit = func(*store.Commit) error {
						if !met {
							met = true
							w.aside("Main", right, delay)
						}
						return nil
					}
					w.restart()
					w.process().killAt, w.process().after = k, after
					event, err := fifo.queue.Receive(t.Context(), 1, 0)
					if err != nil || len(event) != 1 {
						t.Fatal(event, err)
					}
					w.clock.Advance(time.Minute)
					w.handle(fifo, event)
				}
				if !met && k < 0 {
					t.Fatal("they did not meet")
				}
				w.beforeUpdate, w.beforeCommit = nil, nil
				w.deploy("Main", right)
				w.runFor(10 * time.Hour)
				if w.expectOutput("main", "2"); t.Failed() {
					t.Fatalf("parked first %t, killed at call %d, after it %t", parkedFirst, k, after)
				}
				w.expectQuiet()
			}
		}
	}
}

// aside handles a batch by another process, which has other code, while a call
// of the first waits.
func (w *world) aside(name string, code engine.Func, s source) {
	w.Helper()
	mine, registered := w.orchestrator, w.orchestrations
	w.orchestrator, w.orchestrations = nil, nil
	w.orchestration(name, code)
	w.stepOf(s)
	w.restart()
	w.orchestrator, w.orchestrations = mine, registered
}

// stepOf handles one batch of a queue.
func (w *world) stepOf(s source) {
	w.Helper()
	batch, err := s.queue.Receive(w.Context(), w.maxReceive, 0)
	if err != nil || len(batch) == 0 {
		w.Fatalf("nothing received from %s: %v", s.name, err)
	}
	w.handle(s, batch)
}

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

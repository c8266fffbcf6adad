package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-10, L-04: what a redrive takes over may be more than a commit of 4 MB holds. What came later
// and stays is in the commit: if that needs more, the redrive is a dead letter that says so, and
// leaves the instance as it was.
func TestO10ARedriveTakesOverMoreThanOneCommitHolds(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 250<<10) + `"`
	for _, c := range []struct {
		name string
		// ahead are the results of 250 KB in what is taken over, behind the external events of 250 KB
		// that came later and stay.
		ahead, behind int
		from          int64
		fits          bool
	}{
		{"two and a half megabytes", 10, 0, 0, true},
		{"three and a half, in what came later too", 7, 6, 0, true},
		{"four", 15, 0, 0, true},
		{"four and some bytes", 16, 0, 0, true},
		{"five megabytes", 20, 0, 0, true},
		{"seven, in what came later too", 20, 8, 0, true},
		{"five, of which most is taken over", 2, 18, 0, true},
		{"five, of which most came later", 2, 18, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			r := counted(w, "Step")
			r.broken["2"] = true
			w.activityFunc("Big", func(context.Context, []byte) ([]byte, error) { return []byte(big), nil })
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				for range c.ahead {
					if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Big", Input: []byte("1")})); err != nil {
						return nil, err
					}
				}
				if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")})); err != nil {
					return nil, err
				}
				step := ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("2")})
				for range c.behind {
					ctx.ExternalEvent("e")
				}
				return ctx.Await(step)
			})
			w.start("a", "Main", "1")
			w.settleFIFO()
			for i := range c.behind {
				w.raise("a", "e", big, fmt.Sprint("f-", i))
				w.settleFIFO()
			}
			w.run()
			w.expectStatus("a", store.StatusFailed)
			r.broken["2"] = false
			before := w.record("a")
			w.send(redriveOf("a", "r", c.from))
			w.run()
			if c.fits {
				w.expectOutput("a", "21")
				w.expectDead()
				r.expect(t, map[string]int{"1": 1, "2": 2})
				w.expectInvariants("a")
				return
			}
			w.expectDead(string(wire.ReasonTooLarge))
			if after := w.record("a"); after.Status != before.Status || after.ExecutionID != 1 || after.Stamp != before.Stamp || len(w.events("a", 2)) != 0 {
				t.Errorf("it was %+v, and is %+v", before, after)
			}
		})
	}
}

// failsLarge runs an instance that fails behind twenty large results: a redrive of it writes most of
// them ahead.
func (w *world) failsLarge(id string) {
	w.Helper()
	big := []byte(`"` + strings.Repeat("x", 250<<10) + `"`)
	w.activityFunc("Big", func(context.Context, []byte) ([]byte, error) { return big, nil })
	w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		for range 20 {
			if _, err := stepOf(ctx, "Big", "1"); err != nil {
				return nil, err
			}
		}
		return nil, errors.New("broken")
	})
	w.start(id, "Main", "1")
	w.run()
	w.expectStatus(id, store.StatusFailed)
}

// diesWritingAhead has a process take a start, and die when it has written two parts ahead.
func (w *world) diesWritingAhead(start wire.Item) {
	w.Helper()
	p, parts := w.process(), 0
	p.faults.die = func() (bool, bool) {
		if p.faults.log[len(p.faults.log)-1] == "WriteAhead" {
			parts++
		}
		return parts == 3, true
	}
	if died := w.deliver("m", w.body(start), 1, platform.SourceOrchestrator, 0); !died {
		w.Fatal("the process did not die")
	}
}

// What a fork has written ahead that never began is removed by an instance of its id that runs no
// code, and its purge.
func TestO12WhatADeadForkHasWrittenGoesWithAnInstanceOfItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.failsLarge("a")
	w.diesWritingAhead(forkOf("a", "b", 0))
	later := wire.Item{Kind: wire.StartOrchestration, Instance: "b", Name: "Main", ID: "later", NotBeforeMS: w.clock.Now().Add(365 * 24 * time.Hour).UnixMilli()}
	w.send(later)
	w.runFor(time.Minute)
	w.expectStatus("b", store.StatusScheduled)
	w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "b", ID: "p"})
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "b", ID: "p", Force: true})
	w.run()
	if r := w.record("b"); !r.Purged {
		t.Errorf("the record is %+v", r)
	}
	// With one item in the table a deletion of one item is not known to be done.
	if done, err := w.store.DeleteHistory(t.Context(), "b", 1, 1); !done || err != nil {
		t.Errorf("something is left: %v", err)
	}
	w.expectDead()
}

// O-10, O-04: a redrive dies with a part of what it takes over written, and is never repeated. When the
// instance is purged that goes with it, also where the deletion stops after each item.
func TestO10WhatADeadRedriveHasWrittenGoesWithItsInstance(t *testing.T) {
	t.Parallel()
	for _, page := range []int{0, 1} {
		w := newWorld(t, func(w *world) { w.settings.Purge.Page = page })
		w.failsLarge("a")
		w.diesWritingAhead(redriveOf("a", "r", 0))
		if r := w.record("a"); r.ExecutionID != 1 || r.Ahead != 2 || r.Status != store.StatusFailed {
			t.Errorf("the record is %+v", r)
		}
		w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"})
		w.run()
		if r := w.record("a"); !r.Purged || r.Ahead != 2 {
			t.Errorf("the record is %+v", r)
		}
		// With one item in the table a deletion of one item is not known to be done.
		if done, err := w.store.DeleteHistory(t.Context(), "a", 2, 1); !done || err != nil {
			t.Errorf("something is left: %v", err)
		}
		w.expectDead()
	}
}

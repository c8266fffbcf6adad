package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-10, L-04: a redrive can copy more events than fit into a commit of 4 MB. External events that
// came later and stay must fit into the commit: if they do not, the redrive is a dead letter with
// that reason, and the instance is unchanged.
func TestO10ARedriveCopiesMoreThanOneCommitHolds(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 250<<10) + `"`
	for _, c := range []struct {
		name string
		// ahead is the number of copied results of 250 KB each; behind is the number of external
		// events of 250 KB each that came later and stay.
		ahead, behind int
		from          int64
		fits          bool
	}{
		{"two and a half megabytes", 10, 0, 0, true},
		{"three and a half, including later events", 7, 6, 0, true},
		{"four", 15, 0, 0, true},
		{"four and some bytes", 16, 0, 0, true},
		{"five megabytes", 20, 0, 0, true},
		{"seven, including later events", 20, 8, 0, true},
		{"five, most of which are copied", 2, 18, 0, true},
		{"five, most of which came later", 2, 18, 2, false},
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

// failsLarge runs an instance that fails after twenty large results. A redrive copies them in
// several commits.
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

// diesCopying gives a start to a process that dies after it has written two parts of the copy.
func (w *world) diesCopying(start wire.Item) {
	w.Helper()
	p, commits := w.process(), 0
	p.faults.die = func() (bool, bool) {
		if p.faults.log[len(p.faults.log)-1] == "Commit" {
			commits++ // The first of them is too large.
		}
		return commits == 4, true
	}
	if died := w.deliver("m", w.body(start), 1, platform.SourceOrchestrator, 0); !died {
		w.Fatal("the process did not die")
	}
}

// nothingIsLeft checks that nothing is stored up to an execution.
func (w *world) nothingIsLeft(id string, upTo int64) {
	w.Helper()
	// If the table has an item, a deletion of at most one item does not report that it is done.
	if done, err := w.store.DeleteHistory(w.Context(), id, upTo, 1); !done || err != nil {
		w.Errorf("something is left: %v", err)
	}
}

// O-12: a fork whose process dies while it copies is listed as forking. This tests the effect of
// other messages meanwhile.
func TestO12AForkIsNotAnInstanceWhileItCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.failsLarge("a")
	w.diesCopying(forkOf("a", "b", 0))
	w.expectStatus("b", store.StatusForking)
	if r := w.record("b"); r.ExecutionID != 1 || r.Reserved.ExecutionID != 1 || r.Reserved.StartID != forkOf("a", "b", 0).ID || len(slices.Collect(r.Executions())) != 0 {
		t.Errorf("the record is %+v", r)
	}
	before := w.record("b")
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "b", Name: "Main", ID: "other"})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "b", Name: "Main", ID: "restart", OnConflict: wire.ConflictRestart})
	w.send(wire.Item{Kind: wire.CancelInstance, Instance: "b", ID: "c"})
	w.send(wire.Item{Kind: wire.Wake, Instance: "b", ID: "w"})
	w.raise("b", "e", "1", "early")
	w.runFor(time.Minute)
	if after := w.record("b"); !reflect.DeepEqual(after, before) {
		t.Errorf("it was %+v, and is %+v", before, after)
	}
	// The start continues the copy, and the waiting event is recorded.
	w.send(forkOf("a", "b", 0))
	w.run()
	w.expectStatus("b", store.StatusFailed)
	if r := w.record("b"); r.ExecutionID != 1 || r.Reserved != (store.Reservation{}) {
		t.Errorf("the record is %+v", r)
	}
	w.expectInvariants("b")
}

// O-12, O-04: a purge or a terminate frees the id of a fork that is copying. No later write of the
// copy turns the fork into an instance, and the copied events are deleted.
func TestO12APurgeOrTerminateFreesACopyingFork(t *testing.T) {
	t.Parallel()
	for _, kind := range []wire.Kind{wire.PurgeInstance, wire.TerminateInstance} {
		w := newWorld(t, nil)
		w.failsLarge("a")
		w.diesCopying(forkOf("a", "b", 0))
		w.send(wire.Item{Kind: kind, Instance: "b", ID: "p"})
		w.run()
		if r := w.record("b"); !r.Purged || !r.FreeAt.After(w.clock.Now()) {
			t.Errorf("%s: the record is %+v", kind, r)
		}
		w.nothingIsLeft("b", 1)
		w.send(forkOf("a", "b", 0))
		w.run()
		if r := w.record("b"); !r.Purged || len(w.events("b", 1)) > 0 {
			t.Errorf("%s: it has started: %+v", kind, r)
		}
	}
}

// O-12: a fork that is refused after part of its copy was written frees its id at once.
func TestO12AForkRefusedWhileItCopiesFreesItsID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.failsLarge("a")
	w.diesCopying(forkOf("a", "b", 0))
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"})
	w.run()
	w.send(forkOf("a", "b", 0))
	w.run()
	w.expectDead(string(wire.ReasonRedriveRefused))
	w.nothingIsLeft("b", 1)
	w.start("b", "Main", "1")
	w.run()
	if r := w.record("b"); r.ExecutionID != 2 || r.FirstExecution != 2 {
		t.Errorf("the record is %+v", r)
	}
}

// O-10: another start uses a number after the reserved one, and then nothing reads the events
// stored under the reserved number.
func TestO10OtherStartsSkipAReservedNumber(t *testing.T) {
	t.Parallel()
	for _, again := range []wire.Item{redriveOf("a", "s", 0), {Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", OnConflict: wire.ConflictRestart}} {
		w := newWorld(t, nil)
		w.failsLarge("a")
		w.diesCopying(redriveOf("a", "r", 0))
		if r := w.record("a"); r.ExecutionID != 1 || r.Reserved != (store.Reservation{ExecutionID: 2, StartID: "r"}) || r.Status != store.StatusFailed {
			t.Errorf("the record is %+v", r)
		}
		w.send(again)
		w.run()
		if r := w.record("a"); r.ExecutionID != 3 || r.Reserved != (store.Reservation{}) || !slices.Equal(r.Skipped, []int64{2}) {
			t.Errorf("the record is %+v", r)
		}
		w.send(redriveOf("a", "r", 0)) // Its number is lost, so it redrives the instance again.
		w.run()
		if r := w.record("a"); r.ExecutionID != 4 || !slices.Equal(r.Skipped, []int64{2}) {
			t.Errorf("the record is %+v", r)
		}
		w.expectDead()
		w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"})
		w.run()
		w.nothingIsLeft("a", 4)
	}
}

// O-10, O-04: a redrive dies after it has written part of its copy, and is never repeated. A purge
// of the instance deletes that part too, even if the deletion stops after each item.
func TestO10APurgeDeletesTheCopyOfADeadRedrive(t *testing.T) {
	t.Parallel()
	for _, page := range []int{0, 1} {
		w := newWorld(t, func(w *world) { w.settings.Purge.Page = page })
		w.failsLarge("a")
		w.diesCopying(redriveOf("a", "r", 0))
		w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "p"})
		w.run()
		if r := w.record("a"); !r.Purged || r.Highest() != 2 {
			t.Errorf("the record is %+v", r)
		}
		w.nothingIsLeft("a", 2)
		w.expectDead()
	}
}

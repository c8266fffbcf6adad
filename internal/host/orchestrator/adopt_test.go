package orchestrator

import (
	"errors"
	"fmt"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func useExisting(name, id string) engine.ChildCall {
	return engine.ChildCall{Name: name, Instance: id, UseExisting: true}
}

func TestP03AParentMayUseTheInstanceThatHasTheID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// first is what happens to the instance before the parent finds it,
		// then what happens while it waits.
		first, then func(w *world)
		want        string
		history     string
	}{
		{"it runs, and completes", nil, func(w *world) { w.raise("o", "e", "1", "e-1") }, "[1]",
			"Started Sub(e) ParentAttached Ev(e) Completed"},
		{"it has completed", func(w *world) { w.raise("o", "e", "1", "e-1") }, nil, "[1]",
			"Started Sub(e) Ev(e) Completed"},
		{"it runs, and is terminated", nil, func(w *world) {
			w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "o", ID: "t", Reason: "away"})
		}, `"o: terminated: away"`, "Started Sub(e) ParentAttached Failed(terminated)"},
		{"it was terminated", func(w *world) {
			w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "o", ID: "t", Reason: "away"})
		}, nil, `"o: terminated: away"`, "Started Sub(e) Failed(terminated)"},
		{"it was cancelled", func(w *world) {
			w.send(wire.Item{Kind: wire.CancelInstance, Instance: "o", ID: "c", Reason: "no"})
		}, nil, `"o: cancelled: wait for external event \"e\" (event 2) was cancelled: no"`, "Started Sub(e) CancelRequested Failed(cancelled)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Other", waits("e"))
			w.orchestration("Parent", kindOf(useExisting("Other", "o")))
			w.start("o", "Other", "1")
			if c.first != nil {
				c.first(w)
			}
			w.settleFIFO()
			w.start("p", "Parent", "1")
			w.settleFIFO()
			// An operator's wake sends the start again: it is known.
			w.send(wire.Item{Kind: wire.Wake, Instance: "p", ID: "again"})
			w.settleFIFO()
			if c.then != nil {
				w.expectStatus("p", store.StatusRunning)
				c.then(w)
			}
			w.run()
			w.expectOutput("p", c.want)
			w.expectHistory("o", 1, c.history)
			w.expectQuiet()
			w.expectDead()
			w.expectInvariants("p", "o")
		})
	}
}

func TestP03WhereNoInstanceHasTheIDItIsAChildLikeAnyOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", waits("e"))
	w.orchestration("Parent", kindOf(useExisting("Other", "o")))
	w.start("p", "Parent", "1")
	w.settleFIFO()
	if p := w.record("o").Parent; p == nil || p.Instance != "p" {
		t.Errorf("its parent is %+v", p)
	}
	w.raise("o", "e", "1", "e-1")
	w.run()
	w.expectOutput("p", "[1]")
	w.expectHistory("o", 1, "Started Sub(e) Ev(e) Completed")
	w.expectInvariants("p", "o")
}

func TestP03AnInstanceThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ call, want string }{
		"another orchestration has the id": {"o", `exists already and runs orchestration \"Other\", not \"Child\"`},
		"the parent itself has the id":     {"p", "would wait for itself"},
		"it would wait for itself":         {"self", "would wait for itself"},
		"another orchestration had the id": {"ended", `runs orchestration \"Other\", not \"Child\"`},
		"a stuck instance of another name": {"stuck", `runs orchestration \"Stuck\", not \"Child\"`},
		"an id that is no message group":   {"ü", `runs orchestration \"Other\", not \"Child\"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Child", kindOf(useExisting("Child", "self")))
			w.orchestration("Other", waits("e"))
			w.orchestration("Stuck", func(*engine.Context, []byte) ([]byte, error) { panic("stuck") })
			w.orchestration("Parent", kindOf(useExisting("Child", c.call)))
			w.start("o", "Other", "1")
			w.start("ü", "Other", "1")
			w.start("ended", "Other", "1")
			w.raise("ended", "e", "1", "e-1")
			w.start("stuck", "Stuck", "1")
			w.settleFIFO()
			if c.call == "self" {
				w.start("self", "Child", "1")
				w.runFor(time.Hour)
				if out := string(w.record("self").Output); !strings.Contains(out, "self: already_exists") || !strings.Contains(out, c.want) {
					t.Errorf("output %s", out)
				}
				return
			}
			w.start("p", "Parent", "1")
			w.runFor(time.Hour)
			if out := string(w.record("p").Output); !strings.Contains(out, c.call+": already_exists") || !strings.Contains(out, c.want) {
				t.Errorf("output %s, want one that says %s", out, c.want)
			}
			w.expectHistory("o", 1, "Started Sub(e)")
			w.expectDead()
		})
	}
}

// What a parent does to its own children it does not do to one that it found.
func TestP03AnAdoptedInstanceIsLeftAloneByTheEndOfWhoAdoptedIt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"its adopter is cancelled":  func(w *world) { w.send(wire.Item{Kind: wire.CancelInstance, Instance: "p", ID: "c"}) },
		"its adopter is terminated": func(w *world) { w.send(wire.Item{Kind: wire.TerminateInstance, Instance: "p", ID: "t"}) },
		"its adopter ends":          func(w *world) { w.raise("p", "end", "1", "end") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Other", waits("e"))
			w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
				call := useExisting("Other", "o")
				call.OnParentEnd = "terminate"
				ctx.Child(call)
				return waits("end")(ctx, in)
			})
			w.start("o", "Other", "1")
			w.settleFIFO()
			w.start("p", "Parent", "1")
			w.settleFIFO()
			end(w)
			w.run()
			w.expectStatus("o", store.StatusRunning)
			w.raise("o", "e", "1", "e-1")
			w.run()
			w.expectOutput("o", "[1]")
			w.expectHistory("o", 1, "Started Sub(e) ParentAttached Ev(e) Completed")
			w.expectQuiet()
			w.expectDead()
			w.expectInvariants("p", "o")
		})
	}
}

// Attached parents go over into each execution, each once, and all are told of
// the last one's end.
func TestP03ManyParentsOfAnInstanceThatContinuesAsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", func(ctx *engine.Context, in []byte) ([]byte, error) {
		out, err := waits("e")(ctx, in)
		if err == nil && len(in) < 3 {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return out, err
	})
	w.orchestration("Parent", kindOf(useExisting("Other", "o")))
	w.start("o", "Other", "1")
	for n := range 3 {
		// Two come at once, ahead of the event that ends the execution, and in
		// its batch.
		for i := range 2 {
			w.start(fmt.Sprint("p", n, i), "Parent", "1")
		}
		if n != 1 {
			w.settleFIFO()
		}
		w.raise("o", "e", fmt.Sprint(n), fmt.Sprint("e-", n))
		w.settleFIFO()
	}
	w.run()
	for n := range 3 {
		for i := range 2 {
			w.expectOutput(fmt.Sprint("p", n, i), "[2]")
		}
	}
	attached := 0
	for _, e := range w.events("o", 3) {
		if e.Kind.String() == "ParentAttached" {
			attached++
		}
	}
	if attached != 6 {
		t.Errorf("%d parents are attached in the last execution, want 6: %s", attached, short(w.events("o", 3)))
	}
	w.expectQuiet()
	w.expectDead()
	w.expectInvariants("o")
}

// A stuck instance takes parents too, and tells them once it goes on.
func TestP03AStuckInstanceIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	w.orchestration("Parent", kindOf(useExisting("Other", "o")))
	w.start("o", "Other", "1")
	w.settleFIFO()
	w.start("p", "Parent", "1")
	w.settleFIFO()
	w.expectStatus("o", store.StatusStuck)
	w.deploy("Other", func(*engine.Context, []byte) ([]byte, error) { return nil, errors.New("mended, and fails") })
	w.run()
	w.expectOutput("p", `"o: application: mended, and fails"`)
	w.expectHistory("o", 1, "Started ParentAttached Failed(application)")
	w.expectInvariants("p")
}

func TestP03APurgeTellsWhoWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", waits("e"))
	w.orchestration("Parent", kindOf(useExisting("Other", "o")))
	w.start("o", "Other", "1")
	w.settleFIFO()
	w.start("p", "Parent", "1")
	w.settleFIFO()
	w.send(wire.Item{Kind: wire.PurgeInstance, Instance: "o", ID: "purge", Force: true})
	w.run()
	w.expectOutput("p", `"o: terminated: purged"`)
	// When the id is free again, another may have it.
	w.clock.Advance(deciding.IDHeld)
	w.start("q", "Parent", "1")
	w.settleFIFO()
	if p := w.record("o").Parent; p == nil || p.Instance != "q" {
		t.Errorf("the parent of the new one is %+v", p)
	}
}

package orchestrator

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/queue"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-04: an id lives once.

// waitingWorld has an orchestration that waits for an event and returns its input.
func waitingWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Await(ctx.ExternalEvent("go"))
			return in, err
		})
	})
}

func startOf(id string) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: id, Input: []byte(`"` + id + `"`)}
}

// childStart is the start of a child of that parent.
func childStart(w *world, id, parent string) wire.Item {
	i := startOf(id)
	i.Parent = &wire.Parent{Instance: parent, ExecutionID: 1, EventID: 2, Token: w.token(parent, 2)}
	return i
}

func purgeOf(id string) wire.Item {
	return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: id, Force: true}
}

// asSent returns what a client sends for these items: ahead of each purge with force a
// terminate.
func asSent(items ...wire.Item) (sent []wire.Item) {
	for _, i := range items {
		if i.Kind == wire.PurgeInstance && i.Force {
			end := i
			end.Kind, end.ID, end.Force, end.Reason = wire.TerminateInstance, "end-"+i.ID, false, "purged"
			sent = append(sent, end)
		}
		sent = append(sent, i)
	}
	return sent
}

func eventOf(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id}
}

func deliveriesOf(w *world, receives int, from platform.Source, items ...wire.Item) (batch []platform.Delivery) {
	for _, i := range asSent(items...) {
		batch = append(batch, platform.Delivery{Message: queue.Message{ID: "m-" + i.ID, Body: w.body(i), Group: "a", ReceiveCount: receives}, Source: from})
	}
	return batch
}

// give hands a batch to a process; nothing of it may be handed back.
func (w *world) give(batch ...platform.Delivery) {
	w.Helper()
	failed := w.process().o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, batch)
	if len(failed) > 0 && !w.process().isDead() {
		w.Errorf("handed back %v", failed)
	}
}

func (w *world) fifoBatch(receives int, items ...wire.Item) {
	w.Helper()
	w.give(deliveriesOf(w, receives, platform.SourceOrchestrator, items...)...)
}

func (w *world) expectStarted(start string, status store.Status) {
	w.Helper()
	if r := w.record("a"); r.StartID != start || r.Status != status || r.Purged {
		w.Errorf("the record is that of start %q, %q (purged: %t), not of %q, %q", r.StartID, r.Status, r.Purged, start, status)
	}
}

// expectHeld wants the tombstone of an instance of which nothing has begun since.
func (w *world) expectHeld(start string, freeAt time.Time) {
	w.Helper()
	r := w.record("a")
	if !r.Purged || r.StartID != start || !r.FreeAt.Equal(freeAt) {
		w.Errorf("the record is %+v, not the tombstone of start %q until %s", r, start, freeAt)
	}
	if turns, err := w.store.Read(w.Context(), "a", r.ExecutionID+1, 1); len(turns) > 0 || err != nil {
		w.Errorf("execution %d has begun: %v", r.ExecutionID+1, err)
	}
}

func TestAPurgedIDRefusesEveryStartForFifteenDays(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := waitingWorld(t)
	w.logger = slog.New(slog.NewTextHandler(&out, nil))
	w.fifoBatch(1, startOf("s1"), purgeOf("p"))
	free := w.clock.Now().Add(15 * 24 * time.Hour)
	for _, wait := range []time.Duration{0, time.Hour, 13 * 24 * time.Hour, 47*time.Hour - time.Millisecond} {
		w.clock.Advance(wait)
		w.restart()
		w.fifoBatch(1, startOf("s2"))
		w.expectHeld("s1", free)
	}
	w.expectCount(host.CountMessages, "purged_id", 4)
	if log := out.String(); strings.Count(log, "start refused") != 4 || !strings.Contains(log, "instance=a id=s2 name=Main free_at="+free.UTC().Format(time.RFC3339)) {
		t.Errorf("logged %s", log)
	}
	w.clock.Advance(time.Millisecond)
	w.fifoBatch(1, startOf("s2"))
	w.expectStarted("s2", store.StatusRunning)
	if r := w.record("a"); r.ExecutionID != 2 || r.FirstExecution != 2 {
		t.Errorf("it is execution %d, from %d on; the number goes on", r.ExecutionID, r.FirstExecution)
	}
	w.expectDead()
}

// Killed behind any call, the batch comes again: nothing begins behind the purge,
// and what it has decided is sent.
func TestAStartBehindAPurgeInOneBatchIsRefused(t *testing.T) {
	t.Parallel()
	unforced := purgeOf("p")
	unforced.Force = false
	for name, c := range map[string]struct{ before, batch []wire.Item }{
		"of one that has ended": {[]wire.Item{startOf("s1"), eventOf("e1")}, []wire.Item{unforced, startOf("s2"), eventOf("e2")}},
		"of one that runs":      {[]wire.Item{startOf("s1")}, []wire.Item{purgeOf("p"), startOf("s2"), eventOf("e2")}},
		"events in front":       {[]wire.Item{startOf("s1")}, []wire.Item{eventOf("e1"), unforced, eventOf("e2"), startOf("s2")}},
		"started in the batch":  {nil, []wire.Item{startOf("s1"), purgeOf("p"), startOf("s2"), eventOf("e2")}},
		"purged already":        {[]wire.Item{startOf("s1"), purgeOf("p")}, []wire.Item{purgeOf("other"), startOf("s2"), eventOf("e2")}},
		"two starts":            {[]wire.Item{startOf("s1"), eventOf("e1")}, []wire.Item{unforced, startOf("s2"), startOf("s3"), eventOf("e2")}},
		"a cancel in front":     {[]wire.Item{startOf("s1")}, []wire.Item{{Kind: wire.CancelInstance, Instance: "a", ID: "c"}, unforced, startOf("s2")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for killAt := 0; ; killAt++ {
				w := waitingWorld(t)
				w.fifoBatch(1, c.before...)
				p := w.process()
				if killAt > 0 {
					p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
				}
				w.fifoBatch(1, c.batch...)
				died := w.buried(p)
				if died {
					w.fifoBatch(2, c.batch...)
				}
				w.process().faults.killAt = 0
				w.expectHeld("s1", w.clock.Now().Add(deciding.IDHeld))
				w.runFor(24 * time.Hour)
				if turns, err := w.store.Read(t.Context(), "a", 1, 1); len(turns) > 0 || err != nil {
					t.Errorf("%d turns are left: %v", len(turns), err)
				}
				w.expectDead()
				if w.expectQuiet(); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if killAt > 0 && !died {
					return // Every call has been tried.
				}
			}
		})
	}
}

// A purge of nothing is acknowledged, says so, and holds no id: what stands behind
// it is not for it.
func TestAPurgeOfNothingHoldsNoID(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := waitingWorld(t)
	w.logger = slog.New(slog.NewTextHandler(&out, nil))
	w.fifoBatch(1, purgeOf("p"), eventOf("e"), startOf("s1"))
	w.expectOutput("a", `"s1"`)
	w.expectCount(host.CountMessages, "unknown_instance", 2) // The terminate too.
	if log := out.String(); strings.Count(log, "purge without effect: there is no such instance") != 1 {
		t.Errorf("logged %s", log)
	}
}

// What is left of who asked for a purge is a line of the log.
func TestAPurgeSaysWhoAskedForIt(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := waitingWorld(t)
	w.logger = slog.New(slog.NewTextHandler(&out, nil))
	purge := purgeOf("p")
	purge.Actor = "ada"
	w.fifoBatch(1, startOf("s1"), purge)
	if log := out.String(); !strings.Contains(log, `msg=purged instance=a actor=ada forced=true`) {
		t.Errorf("logged %s", log)
	}
}

// A tombstone that holds no id refuses its own start alone: that of a child whose
// parent has closed it, or one that an earlier build has left.
func TestATombstoneWithoutATimeHoldsNoID(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	if err := w.store.UpdateRecord(t.Context(), "a", store.RecordChange{Create: &store.Record{Instance: "a", ExecutionID: 4, StartID: "s1", Purged: true}}); err != nil {
		t.Fatal(err)
	}
	w.fifoBatch(1, startOf("s1"))
	if !w.record("a").Purged {
		t.Fatal("its own start began")
	}
	w.fifoBatch(1, purgeOf("p"), startOf("s1"), startOf("s2"))
	w.expectStarted("s2", store.StatusRunning)
	w.expectCount(host.CountMessages, "duplicate", 2)
	if n := w.record("a").ExecutionID; n != 5 {
		t.Errorf("it is execution %d, want 5", n)
	}
}

// P-03: a parent that wants the id for a child is told why it can't have it, also
// one that would use an instance that is there.
func TestAParentThatWantsAPurgedIDIsTold(t *testing.T) {
	t.Parallel()
	for _, use := range []bool{false, true} {
		t.Run(fmt.Sprintf("use existing %t", use), func(t *testing.T) {
			t.Parallel()
			w := waitingWorld(t)
			w.orchestration("Parent", kindOf(engine.ChildCall{Name: "Main", Instance: "a", UseExisting: use}))
			w.fifoBatch(1, startOf("s1"), purgeOf("p"))
			free := w.clock.Now().Add(deciding.IDHeld)
			w.start("parent", "Parent", "1")
			w.runFor(time.Hour)
			w.expectOutput("parent", fmt.Sprintf("%q", fmt.Sprintf(
				`a: purged: an instance "a" was purged, and its id is free again at %s; choose another id for the child, or none`, free.UTC().Format(time.RFC3339))))
			w.expectHeld("s1", free)
			w.expectQuiet()
		})
	}
}

// A child is purged while its parent waits: the parent is told, also where the
// process dies behind any call, and where another process received the purge before
// it did, was slower, and hides the child.
func TestAParentWhoseChildIsPurgedIsTold(t *testing.T) {
	t.Parallel()
	for name, receives := range map[string]int{"the purge comes back": 2, "another process has it for the first time": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parentOfAPurgedChild(t, receives)
		})
	}
}

func parentOfAPurgedChild(t *testing.T, receives int) {
	for killAt := 0; ; killAt++ {
		w := waitingWorld(t)
		w.orchestration("Parent", kindOf(engine.ChildCall{Name: "Main", Instance: "a"}))
		w.start("parent", "Parent", "1")
		w.runFor(time.Minute)
		p := w.process()
		if killAt > 0 {
			p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
		}
		w.fifoBatch(1, purgeOf("p"))
		died := w.buried(p)
		if died {
			w.fifoBatch(receives, purgeOf("p"))
		}
		w.process().faults.killAt = 0
		w.runFor(time.Hour)
		w.expectOutput("parent", `"a: terminated: purged"`)
		if w.expectQuiet(); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if killAt > 0 && !died {
			return // Every call has been tried.
		}
	}
}

// K-06, K-07: a child's start waits longer than the early window, for nothing
// is received meanwhile or it was a dead letter, and its parent has closed it.
// The child is never started: where nothing of that id was, another start may have
// it; behind the tombstone of a purge, it is held until that start is too old.
func TestTheStartOfAChildThatItsParentHasClosedIsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range []wire.Kind{wire.CancelInstance, wire.TerminateInstance} {
		for name, before := range map[string][]wire.Item{"nothing": nil, "a tombstone": {startOf("s1"), purgeOf("p")}} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				t.Parallel()
				w := waitingWorld(t)
				w.fifoBatch(1, before...)
				w.clock.Advance(10 * 24 * time.Hour)
				child := childStart(w, dispatch.ChildID("px", 1, 2), "px")
				child.SentMS = w.clock.Now().UnixMilli()
				w.fifoBatch(1, wire.Item{Kind: kind, Instance: "a", ID: "c", Parent: child.Parent})
				w.runFor(time.Hour)
				for range 28 {
					w.restart()
					w.fifoBatch(1, child)
					if r := w.record("a"); !r.Purged {
						t.Fatalf("it began at %s: %+v", w.clock.Now(), r)
					}
					w.clock.Advance(12*time.Hour - time.Minute)
				}
				if before != nil {
					w.fifoBatch(1, startOf("other"))
					w.expectCount(host.CountMessages, "purged_id", 29)
					w.clock.Advance(26 * time.Hour)
				}
				w.fifoBatch(1, startOf("other"))
				w.expectStarted("other", store.StatusRunning)
			})
		}
	}
}

// A parent's cancel that comes ahead of its child's start waits for it.
func TestAParentsTerminateAheadOfItsChildWaitsForIt(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	child := childStart(w, "s2", "px")
	w.fifoBatch(1, wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t", Parent: child.Parent}, purgeOf("p"), child)
	w.runFor(time.Hour)
	w.expectStarted("s2", store.StatusTerminated)
}

// Two purges of one instance at once are one.
func TestTwoPurgesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	registry, err := engine.NewRegistry(w.orchestrations...)
	if err != nil {
		t.Fatal(err)
	}
	w.fifoBatch(1, startOf("s1"), eventOf("e"))
	handle := func(o *Orchestrator, items ...wire.Item) {
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, deliveriesOf(w, 1, platform.SourceOrchestrator, items...))
	}
	s := &between{Store: w.store}
	s.happens = func() { // It has read the record, and the other purges.
		handle(w.another(registry, w.store), purgeOf("pA"))
		handle(w.another(registry, w.store), startOf("s2"))
	}
	handle(w.another(registry, s), purgeOf("pB"))
	w.expectHeld("s1", w.clock.Now().Add(deciding.IDHeld))
	if end := w.events("a", 1); end[len(end)-1].Kind != history.OrchestrationCompleted {
		t.Errorf("history %s", short(end))
	}
}

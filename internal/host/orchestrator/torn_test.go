package orchestrator

import (
	"context"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// tornStore reads while a commit is in progress: the record of the commit is visible, but the
// events of an execution are missing from a slot on. DynamoDB's isolation levels allow this.
type tornStore struct {
	store.Store
	execution, slot int64
	// hole: the events after the slot are visible.
	hole bool
	// reads is the number of further torn reads; negative for all reads.
	reads int
	// lost: the slot is lost permanently. busy: the commit stays in progress.
	lost, busy bool
	isolated   int
}

func (s *tornStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	turns, err := s.Store.Read(ctx, instance, executionID, from)
	if executionID != s.execution || s.reads == 0 {
		return turns, err
	}
	s.reads--
	if s.hole {
		return nil, &store.CorruptError{Instance: instance, ExecutionID: executionID, EventID: s.slot, Reason: "a hole", Unconfirmed: true}
	}
	for i := range turns {
		if turns[i].First() >= s.slot {
			return turns[:i], err
		}
	}
	return turns, err
}

func (s *tornStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	s.isolated++
	if s.busy {
		return store.Isolated{}, fmt.Errorf("%w: TransactionConflict", store.ErrUnavailable)
	}
	at, err := s.Store.ReadIsolated(ctx, instance, executionID, eventID)
	if s.lost && executionID == s.execution && eventID >= s.slot {
		at.Stored = false
	}
	return at, err
}

// goingOn continues as new with the first event, and ends with the second.
func goingOn(ctx *engine.Context, in []byte) ([]byte, error) {
	got, err := ctx.Await(ctx.ExternalEvent("go"))
	if err != nil || string(in) == `"again"` {
		return got, err
	}
	return nil, ctx.ContinueAsNew("", []byte(`"again"`), nil)
}

var tornReads = map[string]struct {
	tornStore
	ended bool
}{
	"a start whose history is not there":                   {tornStore: tornStore{execution: 1, slot: 1}},
	"a missing part before an existing one":                {tornStore: tornStore{execution: 1, slot: 1, hole: true}},
	"a next execution that is not there":                   {tornStore: tornStore{execution: 2, slot: 1}},
	"an end that is not there, of an instance that has it": {tornStore: tornStore{execution: 2, slot: 2}, ended: true},
}

// tornWorld returns a world with the instance in the state that the read requires, and a process
// with torn reads.
func tornWorld(t *testing.T, s tornStore, ended bool) (*world, *tornStore, *Orchestrator) {
	w := newWorld(t, func(w *world) { w.orchestration("Main", goingOn) })
	w.start("main", "Main", "1")
	w.run()
	if s.execution == 2 {
		w.raise("main", "go", "1", "first")
		w.run()
	}
	if ended {
		w.raise("main", "go", "2", "second")
		w.run()
	}
	s.Store = w.store
	return w, &s, w.another(w.process().cfg.Orchestrations, &s)
}

// a read during a commit costs another delivery, but marks no instance and loses no message.
func TestATornReadIsNotReportedAsCorruption(t *testing.T) {
	t.Parallel()
	for name, c := range tornReads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.reads = 1
			w, s, o := tornWorld(t, c.tornStore, c.ended)
			d := w.delivery(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "next", Data: []byte("3")})
			d.ReceiveCount = 2
			w.handleBeside(o, []platform.Delivery{d})
			w.expectDead()
			if r := w.record("main"); r.Problem != nil || r.Status == store.StatusCorrupt {
				t.Errorf("the instance is %s: %+v", r.Status, r.Problem)
			}
			if s.isolated != 1 {
				t.Errorf("%d isolated reads, want one", s.isolated)
			}
		})
	}
}

// while the commit is in progress, the read cannot be confirmed, and the message is
// redelivered.
func TestAnUnconfirmedReadOnlyCostsTime(t *testing.T) {
	t.Parallel()
	for name, c := range tornReads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.reads, c.busy = -1, true
			w, s, o := tornWorld(t, c.tornStore, c.ended)
			before := w.record("main")
			d := w.delivery(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "next", Data: []byte("3")})
			d.ReceiveCount = 2
			if failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d}); len(failed) != 1 {
				t.Fatalf("handed back: %v, want the message", failed)
			}
			w.expectDead()
			if r := w.record("main"); r.Problem != nil || r.Status != before.Status {
				t.Errorf("the instance is %s: %+v", r.Status, r.Problem)
			}
			s.busy, s.reads = false, 0
			if failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d}); len(failed) > 0 {
				t.Errorf("handed back with the commit done: %v", failed)
			}
			w.expectDead()
		})
	}
}

// an event that an isolated read does not find either is lost. Nothing is written to
// the history, the record is marked unless the instance has ended, and the message names
// the event.
func TestAnEventThatAnIsolatedReadDoesNotFindIsLost(t *testing.T) {
	t.Parallel()
	for name, c := range tornReads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.reads, c.lost = -1, true
			w, _, o := tornWorld(t, c.tornStore, c.ended)
			d := w.delivery(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "next", Data: []byte("3")})
			d.ReceiveCount = 2
			if failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d}); len(failed) > 0 {
				t.Errorf("handed back: %v", failed)
			}
			w.expectDead("corrupt")
			r := w.record("main")
			if c.ended {
				if r.Status != store.StatusCompleted {
					t.Errorf("the instance is %s", r.Status)
				}
				return
			}
			if r.Status != store.StatusCorrupt || r.Problem == nil || r.Problem.EventID != c.slot {
				t.Errorf("the instance is %s: %+v, want corrupt at event %d", r.Status, r.Problem, c.slot)
			}
		})
	}
}

// M-04, W-11: a process dies between a commit that continued as new and its dispatch. Its message
// is redelivered to a process that sees the changed record, but not yet the end of the previous
// execution. The message is not late, because its fact is in that turn.
func TestATornReadMakesNoRedeliveredMessageLate(t *testing.T) {
	t.Parallel()
	lost := 0
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if string(in) == `"again"` {
					return ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Instance: "child"}))
				}
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
				return nil, ctx.ContinueAsNew("", []byte(`"again"`), nil)
			})
			w.orchestration("Child", func(*engine.Context, []byte) ([]byte, error) { return []byte("7"), nil })
		})
		w.start("main", "Main", "1")
		w.run()
		body := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "go", Data: []byte("1")})
		if !w.deliver("go", body, 1, platform.SourceOrchestrator, killAt) {
			break
		}
		if w.record("main").ExecutionID == 2 {
			lost++
		}
		s := &tornStore{Store: w.store, execution: 1, slot: 3, reads: 1}
		o := w.another(w.process().cfg.Orchestrations, s)
		d := platform.Delivery{Source: platform.SourceOrchestrator}
		d.ID, d.Body = "go", body
		for d.ReceiveCount = 2; len(o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d})) > 0; d.ReceiveCount++ {
			if d.ReceiveCount > 3 {
				t.Fatalf("killed behind call %d: it is handed back again", killAt)
			}
		}
		w.run()
		if w.expectOutput("main", "7"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
	}
	if lost == 0 {
		t.Error("no call lies between the commit and its dispatch")
	}
}

// stored data that cannot be a history needs no second read.
func TestAnInvalidStoredItemNeedsNoConfirmation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.orchestration("Main", goingOn) })
	w.start("main", "Main", "1")
	w.run()
	bad := history.Event{Kind: history.ActivityCompleted, EventID: 3, SourceEventID: 9}
	if err := w.store.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "main", ExecutionID: 1, Token: "x", Events: []history.Event{bad}}}}); err != nil {
		t.Fatal(err)
	}
	s := &tornStore{Store: w.store, busy: true}
	o := w.another(w.process().cfg.Orchestrations, s)
	d := w.delivery(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: "next", Data: []byte("3")})
	if failed := o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []platform.Delivery{d}); len(failed) > 0 {
		t.Errorf("handed back: %v", failed)
	}
	w.expectDead("corrupt")
	if s.isolated > 0 {
		t.Errorf("%d isolated reads", s.isolated)
	}
}

// unshown returns no record of an instance while its transaction is in progress.
type unshown struct {
	store.Store
	reads int
}

func (s *unshown) Describe(ctx context.Context, instance string) (store.Record, error) {
	if s.reads--; s.reads >= 0 {
		return store.Record{}, store.ErrNotFound
	}
	return s.Store.Describe(ctx, instance)
}

// the process that started an instance has crashed, and its start is redelivered while reads
// do not show the record yet. The inline activity, whose result is stored, does not run again: the
// start is committed before the activity runs, and that commit is refused. The same holds if a wake
// is delivered with the start.
func TestATornReadDoesNotRepeatARedeliveredStart(t *testing.T) {
	t.Parallel()
	runs := 0
	w := newWorld(t, func(w *world) {
		w.inline = append(w.inline, activities.Activity{Name: "Step", Source: "test", Func: func(_ context.Context, in []byte) ([]byte, error) {
			runs++
			return in, nil
		}})
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in, Inline: true}))
		})
	})
	start := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "s", Input: []byte("1")}
	w.deliver("start", w.body(start), 1, platform.SourceOrchestrator, 3)
	if len(w.turns("a", 1)) != 2 || runs != 1 {
		t.Fatalf("%d runs, %+v", runs, w.turns("a", 1))
	}
	torn := &unshown{reads: 2}
	w.orchestrator = nil
	w.change(func(cfg *Config) { torn.Store, cfg.Services.Store = cfg.Services.Store, torn })
	start.V, start.ID = wire.Version, "s"
	batch := append(w.deliveryOf(start), w.deliveryOf(wire.Item{Kind: wire.Wake, Instance: "a", ID: "w"})...)
	batch[0].ReceiveCount = 2
	for n := 0; len(w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, batch)) > 0; n++ {
		if n == 2 {
			t.Fatal("it is handed back once more")
		}
	}
	w.run()
	if w.expectOutput("a", "1"); runs != 1 || torn.reads >= 0 {
		t.Errorf("the inline activity ran %d times; %d torn reads are left", runs, torn.reads)
	}
}

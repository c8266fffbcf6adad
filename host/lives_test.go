package host

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// P-02: several lives of one id in one batch, which comes again.

func livesWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Await(ctx.ExternalEvent("go"))
			return in, err
		})
	})
}

func lifeStart(id string) wire.Item {
	return wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: id, Input: []byte(`"` + id + `"`)}
}

// childStart is the start of a child of that parent.
func childStart(id, parent string) wire.Item {
	i := lifeStart(id)
	i.Parent = &wire.Parent{Instance: parent, ExecutionID: 1, EventID: 2, Token: "token of " + parent}
	return i
}

func lifePurge(id string) wire.Item {
	return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: id, Force: true}
}

func lifeBatch(w *world, receives int, from Source, items ...wire.Item) (batch []Delivery) {
	for _, i := range items {
		batch = append(batch, Delivery{queue.Message{ID: "m-" + i.ID, Body: w.body(i), Group: "a", ReceiveCount: receives}, from})
	}
	return batch
}

func (w *world) fifoBatch(receives int, items ...wire.Item) {
	w.Helper()
	failed := w.process().o.Handle(deadline{w.Context(), w.clock.Now().Add(w.limit)}, lifeBatch(w, receives, SourceOrchestrator, items...))
	if len(failed) > 0 && !w.process().isDead() {
		w.Errorf("handed back %v", failed)
	}
}

func (w *world) expectLife(start string, status store.Status) {
	w.Helper()
	if r := w.record("a"); r.StartID != start || r.Status != status || r.Purged {
		w.Errorf("the record is that of start %q, %q (purged: %t), not of %q, %q", r.StartID, r.Status, r.Purged, start, status)
	}
}

func TestAsManyLivesAsABatchHoldsAreKnownWhenItComesAgain(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	items := []wire.Item{lifePurge("p0")} // It finds nothing.
	for i := 1; i <= 4; i++ {
		items = append(items, lifeStart(fmt.Sprint("s", i)), lifePurge(fmt.Sprint("p", i)))
	}
	items = append(items, lifeStart("s5"))
	w.fifoBatch(1, items...)
	for receives := 2; receives < 4; receives++ {
		w.restart()
		w.fifoBatch(receives, items...)
		w.expectLife("s5", store.StatusRunning)
	}
	if n := w.record("a").ExecutionID; n != 5 {
		t.Errorf("execution %d, want 5", n)
	}
}

// Whoever purges with an id that has purged before is told; a queue that delivers
// twice is not worth a line.
func TestAPurgeOfAnEarlierLifeSaysThatItDoesNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := livesWorld(t)
	w.logger = slog.New(slog.NewTextHandler(&out, nil))
	w.fifoBatch(1, lifeStart("s1"), lifePurge("p"), lifeStart("s2"))
	w.restart()
	w.fifoBatch(2, lifeStart("s1"), lifePurge("p"), lifeStart("s2"))
	if out.Len() > 0 {
		t.Errorf("a redelivery is logged: %s", &out)
	}
	w.fifoBatch(1, lifePurge("p"))
	w.expectLife("s2", store.StatusRunning)
	if log := out.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "PurgeInstance not carried out again") || !strings.Contains(log, "instance=a execution_id=2 id=p") {
		t.Errorf("logged %q", log)
	}
}

// What stood ahead of the purge was for the life that it has hidden.
func TestWhatStoodAheadOfAPurgeLeavesTheNextLifeAlone(t *testing.T) {
	t.Parallel()
	for _, front := range []wire.Item{
		{Kind: wire.TerminateInstance, Instance: "a", ID: "t"},
		{Kind: wire.CancelInstance, Instance: "a", ID: "c"},
		{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"},
	} {
		t.Run(string(front.Kind), func(t *testing.T) {
			t.Parallel()
			for killAt := 1; ; killAt++ {
				w := livesWorld(t)
				w.fifoBatch(1, lifeStart("s1"))
				items := []wire.Item{front, lifePurge("p"), lifeStart("s2")}
				p := w.process()
				p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
				w.fifoBatch(1, items...)
				died := w.buried(p)
				if died {
					w.fifoBatch(2, items...)
				}
				w.process().faults.killAt = 0
				w.runFor(10 * time.Minute)
				if w.expectLife("s2", store.StatusRunning); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if !died {
					return // Every call has been tried.
				}
			}
		})
	}
}

func TestAParentsCancelMeetsTheLifeOfItsChild(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	w.fifoBatch(1, lifeStart("s1"))
	own := childStart("s2", "p2")
	w.fifoBatch(1, childStart("x", "px"), lifePurge("p"), own, wire.Item{Kind: wire.CancelInstance, Instance: "a", ID: "c", ExecutionID: 2, Parent: own.Parent})
	w.expectLife("s2", store.StatusCancelled)
}

func TestAParentsTerminateAheadOfItsChildWaitsForIt(t *testing.T) {
	t.Parallel()
	for _, between := range []wire.Item{lifePurge("p"), {Kind: wire.PurgeInstance, Instance: "a", ID: "delete-1", UpToExecution: 1, NotBeforeMS: 1}} {
		w := livesWorld(t)
		w.fifoBatch(1, lifeStart("s1"), lifePurge("p1"))
		child := childStart("s2", "px")
		w.fifoBatch(1, wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t", Parent: child.Parent}, between, child)
		w.runFor(time.Hour)
		w.expectLife("s2", store.StatusTerminated)
	}
}

func TestAStartOfAnEarlierLifeAttachesItsParentToNoOther(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	first := childStart("s1", "px")
	first.UseExisting = true
	items := []wire.Item{first, lifePurge("p"), lifeStart("s2")}
	w.fifoBatch(1, items...)
	w.restart()
	w.fifoBatch(2, items...)
	for _, e := range w.events("a", 2) {
		if e.Kind == history.ParentAttached {
			t.Error("it is attached to the life behind its own")
		}
	}
}

func TestAForbiddenStartIsKnownBehindAnotherLife(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	child := childStart(placedID("child", "px", 1, 2), "px")
	w.fifoBatch(1, wire.Item{Kind: wire.TerminateInstance, Instance: "a", ID: "t", Parent: child.Parent})
	w.runFor(time.Hour) // Its start does not come in the window.
	w.fifoBatch(1, lifeStart("s2"))
	w.fifoBatch(1, lifePurge("p"))
	w.fifoBatch(1, child)
	if r := w.record("a"); !r.Purged {
		t.Errorf("the start that its parent has closed began: %+v", r)
	}
}

// atHide has something happen before and behind each hiding.
type atHide struct {
	store.Store
	before, behind func()
}

func (h atHide) Hide(ctx context.Context, instance string, n int64, freeAt time.Time) error {
	h.before()
	defer h.behind()
	return h.Store.Hide(ctx, instance, n, freeAt)
}

func TestTwoPurgesOfOneLifeAtOnceAreBothKnown(t *testing.T) {
	t.Parallel()
	w := livesWorld(t)
	registry, err := engine.NewRegistry(w.orchestrations...)
	if err != nil {
		t.Fatal(err)
	}
	w.fifoBatch(1, lifeStart("s1"), wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"})
	handle := func(o *Orchestrator, from Source, items ...wire.Item) {
		o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, lifeBatch(w, 1, from, items...))
	}
	a := w.another(registry, atHide{w.store, func() {}, func() {}})
	once := false
	b := w.another(registry, atHide{w.store, func() {
		if !once { // It has read the record, and the other purges and starts again.
			once = true
			handle(a, SourceOrchestrator, lifePurge("pA"))
		}
	}, func() {}})
	handle(b, SourceOrchestrator, lifePurge("pB"))
	w.fifoBatch(1, lifePurge("pA"), lifeStart("s2"))
	for _, items := range [][]wire.Item{{lifePurge("pA"), lifeStart("s2")}, {lifePurge("pB")}} {
		w.restart()
		w.fifoBatch(2, items...)
		w.expectLife("s2", store.StatusRunning)
	}
}

// However many messages stand ahead of the purges.
func TestStartsOfTheLastFiveLivesAreKnown(t *testing.T) {
	t.Parallel()
	for ahead := range 10 {
		w := livesWorld(t)
		for life := 1; life <= 5; life++ {
			w.fifoBatch(1, lifeStart(fmt.Sprint("s", life)))
			var batch []wire.Item
			for i := range ahead {
				batch = append(batch, wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "other", Data: []byte("1"), ID: fmt.Sprint("e", life, "-", i)})
			}
			w.fifoBatch(1, append(batch, lifePurge(fmt.Sprint("p", life)))...)
		}
		w.restart()
		w.fifoBatch(1, lifeStart("s1")) // Its client sends it again beyond the five minutes.
		if r := w.record("a"); !r.Purged {
			t.Errorf("%d ahead: the start of two lives before revived the instance: %+v", ahead, r)
		}
		w.fifoBatch(1, lifeStart("s6"))
		w.fifoBatch(1, lifePurge("p1"))
		if r := w.record("a"); r.Purged || r.Status != store.StatusRunning {
			t.Errorf("%d ahead: the purge of three lives before purged: %+v", ahead, r)
		}
	}
}

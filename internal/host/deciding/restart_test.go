package deciding

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// A late message for the earlier run is dropped; an event is applied to the current run. From then
// on, all starts are known.
func TestO09AnInstanceThatHasEndedStartsItsNextExecution(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	first, next := start("s1"), restart("s2")
	first.SearchAttributes = history.SearchAttributes{"customer": history.SearchTextOf("c-1"), "lane": history.SearchNumberOf(1)}
	next.SearchAttributes = history.SearchAttributes{"customer": history.SearchTextOf("c-2")}
	p.take(first)
	p.take(event("e1"))
	p.now = p.now.Add(time.Hour)
	p.take(next)
	r := p.record()
	if r.FirstExecution != 1 || r.Output != nil || !r.EndedAt.IsZero() || r.CreatedAt != p.now.Add(-time.Minute) || fmt.Sprint(r.EarlierStarts) != "[s1]" || r.SearchAttributes.String() != `customer = "c-2"` {
		t.Errorf("the record is %+v", r)
	}
	p.each(fired(2, p.now), event("e2"), restart("s1"))
	p.again(restart("s2"))
	p.take(restart("s2"))
	p.stands()
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-4: Ev(go) Completed; settles recorded
		start s2 → begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		firing of 2 → runs; writes nothing; settles late
		event e2 → runs; commits 3-4: Ev(go) Completed; settles recorded
		start s1 → settles duplicate
		start s2×2 → again nothing; settles duplicate
		start s2 → settles duplicate
		stands at execution 2, completed with [1]
	`)
}

// A purge removes all runs, and the numbering continues.
func TestAPurgeRemovesAllRuns(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.each(start("s1"), event("e1"), restart("s2"), event("e2"))
	p.take(purges("p")...)
	p.take(restart("s3"))
	if n := p.deletion.ExecutionID; n != 2 {
		t.Errorf("histories are to be deleted up to execution %d", n)
	}
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-4: Ev(go) Completed; settles recorded
		start s2 → begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		event e2 → runs; commits 3-4: Ev(go) Completed; settles recorded
		terminate end-p, purge p → settles late; sends deletion, hides, settles purged
		start s3 → settles purged_id
	`)
}

// If an ended instance has the id of a child, it is restarted for the parent, which receives only
// the end of the new run.
func TestAChildRestartsForItsParent(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.each(start("s1"), event("e1"))
	child := ofParent(start("s2"))
	child.OnConflict = wire.ConflictUseOrRestart
	p.take(child)
	p.take(event("e2"))
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-4: Ev(go) Completed; settles recorded
		start s2 → begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		event e2 → runs; commits 3-4: Ev(go) Completed, sends parent; settles recorded
	`)
}

// Messages after a start that may restart the instance are handled only when the start has been
// acknowledged: if both were redelivered, the message that ended one run would count for the next
// run too.
func TestO09MessagesAfterAStartAreHandledAfterIt(t *testing.T) {
	t.Parallel()
	raises := using(start("s3"))
	raises.Events = []wire.StartEvent{{Name: "go", ID: "e3", Data: []byte("1")}}
	p := newDriver(t, nil)
	for _, batch := range [][]wire.Item{
		{restart("s2"), event("e1")}, {restart("s2"), raises}, {event("e1"), restart("s2"), raises},
		// A repeat of the start, and another start that does not restart the instance.
		{start("s1"), event("e1")}, {start("s2"), event("e1")},
	} {
		i := p.anew("", waits("go"))
		i.take(start("s1"))
		p.forget(1)
		i.take(batch...)
	}
	p.expect(`
		start s2, event e1 → runs; writes nothing; settles exists; acknowledges that; runs; commits 3-4: Ev(go) Completed; settles recorded
		start s2, start s3 → runs; writes nothing; settles exists; acknowledges that; runs; commits 3-4: Ev(go) Completed; settles recorded; settles exists
		event e1, start s2, start s3 → runs; commits 3-4: Ev(go) Completed; settles recorded; acknowledges that; reads behind 5; reads record again; again nothing; begins 2 again; runs; commits 1-4: Started Sub(go) Ev(go) Completed; settles recorded recorded; settles exists
		start s1, event e1 → runs; commits 3-4: Ev(go) Completed; settles duplicate recorded
		start s2, event e1 → runs; commits 3-4: Ev(go) Completed; settles exists; settles recorded
	`)
}

// A redelivered start whose events the execution has already received starts nothing, so the
// messages after it are handled with it.
func TestO09AStartThatRaisesEventsDelaysNothing(t *testing.T) {
	t.Parallel()
	raises := restart("s2")
	raises.OnConflict = wire.ConflictUseOrRestart
	raises.Events = []wire.StartEvent{{Name: "other", ID: "e2", Data: []byte("1")}}
	p := newDriver(t, waits("go"))
	p.take(start("s1"))
	p.dies = 1
	p.take(raises, event("e1"))
	p.again(raises, event("e1"))
	p.stands()
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		start s2, event e1 → runs; commits 3-5: Ev(other) Ev(go) Completed; dies ahead of its dispatch; comes back: s2 e1
		start s2×2, event e1×2 → again nothing; settles duplicate; settles exists; settles duplicate
		stands at execution 1, completed with [1]
	`)
}

// W-03: two processes have the same batch. One is delayed until the other has handled the whole
// batch and has started the next execution with a start of the batch. The messages before that
// start do not apply to the next execution.
func TestAMessageThatADuplicateHandledBeforeAStartDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, before := range []wire.Item{event("e1"), cancel("c")} {
		i := p.anew("", waits("go"))
		i.take(start("s1"))
		batch := []wire.Item{before, restart("s2")}
		duplicates := i.received(1, batch...)
		i.take(batch...)
		i.now = i.now.Add(-59 * time.Second)
		i.deliver(duplicates...)
		i.stands()
	}
	i := p.anew("an event after that start is for the next execution, even if the start is redelivered", waits("go"))
	i.each(start("s1"), event("e1"))
	more := i.received(1, event("e2"), restart("s2"))
	i.take(restart("s2"))
	i.now = i.now.Add(-59 * time.Second)
	i.deliver(more...)
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e1, start s2 → runs; commits 3-4: Ev(go) Completed; settles recorded; acknowledges that; reads behind 5; reads record again; again nothing; begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		event e1, start s2 → reads behind 3; reads record again; again nothing; reads history 1; settles duplicate; runs; writes nothing; settles duplicate
		stands at execution 2, running
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c, start s2 → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2]; settles recorded; acknowledges that; reads behind 5; reads record again; again nothing; begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		cancel c, start s2 → reads behind 3; reads record again; again nothing; reads history 1; settles duplicate; runs; writes nothing; settles duplicate
		stands at execution 2, running
		# an event after that start is for the next execution, even if the start is redelivered
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-4: Ev(go) Completed; settles recorded
		start s2 → begins 2 again; runs; commits 1-2: Started Sub(go); settles recorded
		event e2, start s2 → reads behind 3; reads record again; again nothing; reads history 1; runs; commits 3-4: Ev(go) Completed; settles recorded; settles duplicate
	`)
}

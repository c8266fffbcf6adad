package deciding

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestO04Purge(t *testing.T) {
	t.Parallel()
	forced := purge("forced")
	forced.Force = true
	p := newDriver(t, nil)

	i := p.anew("with force it is refused too, if it arrives without its terminate", waits("go"))
	i.each(start("s"), purge("p"), forced, event("e"))

	i = p.anew("of a stuck instance", panics)
	i.take(start("s"))
	i.take(purges("p")...)
	i.stands()

	i = p.anew("the next run has the next number", waits("go"))
	i.each(start("s"), event("e"), purge("p"))
	i.now = i.now.Add(2 * time.Hour)
	i.each(purge("again"), start("s"))
	i.now = i.now.Add(IDHeld)
	i.each(start("new"), event("e2"))
	i.stands()
	p.expect(`
		# with force it is refused too, if it arrives without its terminate
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		purge p → settles purge_refused
		purge forced → settles purge_refused
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		# of a stuck instance
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		terminate end-p, purge p → commits 2: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		stands at execution 1, purged, its id free in 360h0m0s
		# the next run has the next number
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		purge p → sends deletion, hides, settles purged
		purge again → sends deletion, settles purged
		start s → settles duplicate
		start new → runs; commits 1-2: Started Sub(go); settles recorded
		event e2 → runs; commits 3-4: Ev(go) Completed; settles recorded
		stands at execution 2, completed with [1]
	`)
}

// O-04: EventBridge Scheduler loses the request to delete a history, and its dead letter too. When
// somebody purges the instance again, the history is deleted.
func TestO04APurgeThatIsRepeatedSchedulesALostDeletionAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.each(start("s"), event("e"), purge("p"))
	p.now = p.now.Add(2 * time.Hour)
	p.take(purge("again"))
	if ended := p.now.Add(-time.Minute); !p.deletion.EndedAt.Equal(ended) {
		t.Errorf("the history is to be deleted as that of what ended at %s, not %s", p.deletion.EndedAt, ended)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		purge p → sends deletion, hides, settles purged
		purge again → sends deletion, settles purged
	`)
}

// A tombstone refuses every start for fifteen days. The next execution has the next number.
func TestAPurgedIDRefusesEveryStartForFifteenDays(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(start("s1"))
	p.loud = true
	p.take(purges("p")...)
	free := p.now.Add(IDHeld - time.Minute)
	for _, at := range []time.Time{p.now, p.now.Add(time.Hour), p.now.Add(14 * 24 * time.Hour), free.Add(-time.Millisecond), free} {
		p.now = at
		p.take(start("s2"))
	}
	if r := p.record(); r.FirstExecution != 2 {
		t.Errorf("it goes on from execution %d", r.FirstExecution)
	}
	p.stands()
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → commits 3: Failed(terminated); settles recorded; sends deletion, hides, settles purged; logs "purged" [instance a actor  forced true]
		start s2 → settles purged_id; logs "start refused: an instance with this id was purged, and the id is still reserved" [instance a id s2 name Main free_at 2030-04-01T17:47:40Z]
		start s2 → settles purged_id; logs "start refused: an instance with this id was purged, and the id is still reserved" [instance a id s2 name Main free_at 2030-04-01T17:47:40Z]
		start s2 → settles purged_id; logs "start refused: an instance with this id was purged, and the id is still reserved" [instance a id s2 name Main free_at 2030-04-01T17:47:40Z]
		start s2 → settles purged_id; logs "start refused: an instance with this id was purged, and the id is still reserved" [instance a id s2 name Main free_at 2030-04-01T17:47:40Z]
		start s2 → runs; commits 1-2: Started Sub(go); settles recorded
		stands at execution 2, running
	`)
}

// The start in the batch of the purge is refused, and the messages of the purge are sent.
func TestAStartAfterAPurgeInOneBatchIsRefused(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	other := purges("other")
	for _, c := range []struct {
		title         string
		before, batch []wire.Item
	}{
		{"of one that has ended", []wire.Item{start("s1"), event("e1")}, []wire.Item{purge("p"), start("s2"), event("e2")}},
		{"of one that runs", []wire.Item{start("s1")}, append(purges("p"), start("s2"), event("e2"))},
		{"events in front", []wire.Item{start("s1")}, []wire.Item{event("e1"), purge("p"), event("e2"), start("s2")}},
		{"started in the batch", nil, append(append([]wire.Item{start("s1")}, purges("p")...), start("s2"), event("e2"))},
		{"purged already", append([]wire.Item{start("s1")}, other...), append(purges("p"), start("s2"), event("e2"))},
		{"two starts", []wire.Item{start("s1"), event("e1")}, []wire.Item{purge("p"), start("s2"), start("s3"), event("e2")}},
		{"a cancel in front", []wire.Item{start("s1")}, []wire.Item{cancel("c"), purge("p"), start("s2")}},
	} {
		i := p.anew(c.title, waits("go"))
		i.each(c.before...)
		p.forget(len(c.before))
		i.take(c.batch...)
		i.stands()
	}
	p.expect(`
		# of one that has ended
		purge p, start s2, event e2 → sends deletion, hides, settles purged; settles purged_id; settles purged_instance
		stands at execution 1, purged, its id free in 360h0m0s
		# of one that runs
		terminate end-p, purge p, start s2, event e2 → commits 3: Failed(terminated); settles recorded; sends deletion, hides, settles purged; settles purged_id; settles late
		stands at execution 1, purged, its id free in 360h0m0s
		# events in front
		event e1, purge p, event e2, start s2 → runs; commits 3-4: Ev(go) Completed; settles recorded; sends deletion, hides, settles purged; settles late; settles purged_id
		stands at execution 1, purged, its id free in 360h0m0s
		# started in the batch
		start s1, terminate end-p, purge p, start s2, event e2 → runs; commits 1-2: Started Sub(go); settles recorded; commits 3: Failed(terminated); settles recorded; sends deletion, hides, settles purged; settles purged_id; settles late
		stands at execution 1, purged, its id free in 360h0m0s
		# purged already
		terminate end-p, purge p, start s2, event e2 → settles purged_instance; sends deletion, settles purged; settles purged_id; settles purged_instance
		stands at execution 1, purged, its id free in 360h0m0s
		# two starts
		purge p, start s2, start s3, event e2 → sends deletion, hides, settles purged; settles purged_id; settles purged_id; settles purged_instance
		stands at execution 1, purged, its id free in 360h0m0s
		# a cancel in front
		cancel c, purge p, start s2 → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2]; settles recorded; sends deletion, hides, settles purged; settles purged_id
		stands at execution 1, purged, its id free in 360h0m0s
	`)
}

// A purge of an instance that does not exist is acknowledged, and reserves no id: messages after it
// are not affected.
func TestAPurgeOfAnUnknownInstanceReservesNoID(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(append(purges("p"), event("e"), start("s1"))...)
	p.stands()
	p.expect(`
		terminate end-p, purge p, event e, start s1 → settles unknown_instance; settles unknown_instance; runs; commits 1-4: Started Sub(go) Ev(go) Completed; settles recorded recorded
		stands at execution 1, completed with [1]
	`)
}

// A tombstone that reserves no id refuses only its own start. Such a tombstone belongs to a child
// that its parent has closed, or was written by an earlier build.
func TestATombstoneWithoutATimeReservesNoID(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	if err := p.kept.UpdateRecord(t.Context(), "a", store.RecordChange{Create: &store.Record{Instance: "a", ExecutionID: 4, StartID: "s1", Purged: true}}); err != nil {
		t.Fatal(err)
	}
	p.take(start("s1"))
	p.take(append(purges("p"), start("s1"), start("s2"))...)
	p.stands()
	p.expect(`
		start s1 → settles duplicate
		terminate end-p, purge p, start s1, start s2 → settles unknown_instance; settles unknown_instance; settles duplicate; runs; commits 1-2: Started Sub(go); settles recorded
		stands at execution 5, running
	`)
}

// K-06, K-07: the start of a child waits longer than the early window, because nothing is received
// meanwhile or because it was a dead letter. Meanwhile its parent closes the child. The child is
// never started. If the id was unused, another start may use it; after the tombstone of a purge,
// the id stays reserved until the child's start is too old.
func TestTheStartOfAChildThatItsParentHasClosedIsRefused(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, close := range []wire.Item{cancel("c"), terminate("t")} {
		for _, purged := range []bool{false, true} {
			i := p.anew("", waits("go"))
			if purged {
				i.take(start("s1"))
				i.take(purges("p")...)
				p.forget(2)
				i.now = i.now.Add(10 * 24 * time.Hour)
			}
			close, child := ofParent(close), ofParent(start(dispatch.ChildID("parent", 1, 2)))
			close.Hops, close.FirstSeenMS, close.SentMS = 1, i.now.UnixMilli(), i.now.UnixMilli()
			i.take(close)
			i.now = i.now.Add(i.settings.Messages.EarlyWindow)
			i.take(close)
			i.stands()
			for range 2 {
				i.now = i.now.Add(7*24*time.Hour - 2*time.Minute)
				i.take(child)
			}
			i.take(start("other"))
			i.now = i.now.Add(26 * time.Hour)
			i.take(start("other"))
		}
	}
	p.expect(`
		cancel c → settles early round
		cancel c → forbids start "child-ea2b3505cca7517b55f058a9e5f5c1b9", settles unknown_instance
		stands at execution 1, forbids start "child-ea2b3505cca7517b55f058a9e5f5c1b9"
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → settles duplicate
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → settles duplicate
		start other → runs; commits 1-2: Started Sub(go); settles recorded
		start other → runs; writes nothing; settles duplicate
		cancel c → hides, settles purged_instance
		cancel c → hides, settles purged_instance
		stands at execution 1, purged, its id free in 360h0m0s
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → tells parent purged, settles purged_id
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → tells parent purged, settles purged_id
		start other → settles purged_id
		start other → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → settles early round
		terminate t → forbids start "child-ea2b3505cca7517b55f058a9e5f5c1b9", settles unknown_instance
		stands at execution 1, forbids start "child-ea2b3505cca7517b55f058a9e5f5c1b9"
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → settles duplicate
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → settles duplicate
		start other → runs; commits 1-2: Started Sub(go); settles recorded
		start other → runs; writes nothing; settles duplicate
		terminate t → hides, settles purged_instance
		terminate t → hides, settles purged_instance
		stands at execution 1, purged, its id free in 360h0m0s
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → tells parent purged, settles purged_id
		start child-ea2b3505cca7517b55f058a9e5f5c1b9 → tells parent purged, settles purged_id
		start other → settles purged_id
		start other → runs; commits 1-2: Started Sub(go); settles recorded
	`)
}

// K-06: a parent's request to end its child may overtake the child's start, and then waits for it.
// A different instance with the same id is not a child of that parent.
func TestARequestToEndAChildMayOvertakeItsStart(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, ends := range []wire.Item{ofParent(cancel("c")), ofParent(terminate("t"))} {
		i := p.anew("before it", waits("go"))
		i.each(ends, ofParent(start("s")), ends)

		i = p.anew("in one batch", waits("go"))
		i.take(ofParent(start("s")), ends)

		i = p.anew("before it in one batch, with a purge", waits("go"))
		i.take(ends, purge("p"), ofParent(start("s")))

		i = p.anew("of another parent", waits("go"))
		other := ends
		other.Parent = &wire.Parent{Instance: "other", ExecutionID: 1, EventID: 2}
		i.take(ofParent(start("s")), other)
		i.take(other)

		i = p.anew("of one that no parent has", waits("go"))
		i.each(start("s"), ends)
	}
	p.expect(`
		# before it
		cancel c → settles early round
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2], sends parent; settles recorded
		# in one batch
		start s, cancel c → runs; commits 1-4: Started Sub(go) CancelRequested Failed(cancelled), closes [2], sends parent; settles recorded recorded
		# before it in one batch, with a purge
		cancel c, purge p, start s → runs; writes nothing; settles early round; settles unknown_instance; runs; commits 1-2: Started Sub(go); settles recorded
		# of another parent
		start s, cancel c → settles misaddressed; runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → settles misaddressed
		# of one that no parent has
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → settles misaddressed
		# before it
		terminate t → settles early round
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		# in one batch
		start s, terminate t → runs; commits 1-2: Started Sub(go); settles recorded; commits 3: Failed(terminated), sends parent; settles recorded
		# before it in one batch, with a purge
		terminate t, purge p, start s → settles early round; settles unknown_instance; runs; commits 1-2: Started Sub(go); settles recorded
		# of another parent
		start s, terminate t → runs; commits 1-2: Started Sub(go); settles recorded; settles misaddressed
		terminate t → settles misaddressed
		# of one that no parent has
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → settles misaddressed
	`)
}

// Two simultaneous purges of one instance count as one purge, and the start after either of them is
// refused.
func TestTwoPurgesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.each(start("s1"), event("e"))
	other := p.beside()
	p.described = func() {
		other.take(purges("pA")...)
		other.take(start("s2"))
	}
	p.take(purges("pB")...)
	p.stands()
	p.expect(`
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		terminate end-pB, purge pB → …
			terminate end-pA, purge pA → settles late; sends deletion, hides, settles purged
			start s2 → settles purged_id
		… settles late; sends deletion, hides, settles purged
		stands at execution 1, purged, its id free in 360h0m0s
	`)
}

// I-06: the instance completes between the two reads of a purge with force. Its record never
// says that it was terminated, and the purge is not refused.
func TestAForcedPurgeKeepsTheRecordOfAnInstanceThatCompletesMeanwhile(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for receives := 1; receives <= 2; receives++ {
		i := p.anew("", waits("go"))
		i.take(start("s"))
		i.described = func() { i.beside().take(event("e")) }
		i.deliver(i.received(receives, purges("p")...)...)
		forced := purge("alone")
		forced.Force = true
		i = p.anew("without its terminate", waits("go"))
		i.take(start("s"))
		i.described = func() { i.beside().take(event("e")) }
		i.deliver(i.received(receives, forced)...)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → …
			event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		… reads behind 5; reads record again; has lost; reads behind 5; reads record again; again nothing; settles late; sends deletion, hides, settles purged
		# without its terminate
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		purge alone → …
			event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		… reads behind 5; reads record again; has lost; reads behind 5; reads record again; again nothing; sends deletion, hides, settles purged
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p×2, purge p×2 → …
			event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		… again nothing; settles late; has lost; again nothing; sends deletion, hides, settles purged
		# without its terminate
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		purge alone×2 → …
			event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		… again nothing; has lost; again nothing; sends deletion, hides, settles purged
	`)
}

// K-07: a batch has a purge and a terminate. The purge was refused because the instance was
// running, and the terminate ended the instance; then the process died. The purge is redelivered
// alone. It does not hide the end that the terminate still has to report. Found by seed 729005 with
// the bias "overtaken" of the simulation.
func TestARedeliveredPurgeReportsAnEndThatAnotherProcessMade(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(ofParent(start("s")))
	p.dies = 1
	p.take(purge("p"), terminate("t"))
	p.again(purge("p"))
	p.again(terminate("t"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		purge p, terminate t → settles purge_refused; commits 3: Failed(terminated), sends parent; dies ahead of its dispatch; comes back: t
		purge p×2 → again parent; sends deletion, hides, settles purged
		terminate t×2 → settles purged_instance
	`)
}

// A child is purged while its parent waits. The parent is notified, even if the process dies, or if
// a slower process that received the purge earlier hides the child.
func TestAParentWhoseChildIsPurgedIsNotified(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for receives := 1; receives <= 2; receives++ {
		i := p.anew("", waits("go"))
		i.take(ofParent(start("s")))
		i.dies = 1
		batch := i.received(receives, purges("p")...)
		i.take(purges("p")...)
		i.deliver(batch...)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → commits 3: Failed(terminated), sends parent; dies ahead of its dispatch; comes back: end-p p
		terminate end-p, purge p → reads behind 4; reads record again; again parent; settles late; sends deletion, hides, settles purged
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → commits 3: Failed(terminated), sends parent; dies ahead of its dispatch; comes back: end-p p
		terminate end-p×2, purge p×2 → again parent; settles late; sends deletion, hides, settles purged
	`)
}

// P-03: a parent that wants a reserved id for a child receives the reason why it cannot have the
// id, even if the parent allows an existing instance.
func TestAParentThatWantsAPurgedIDIsNotified(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(start("s"))
	p.take(purges("p")...)
	p.each(ofParent(start("c")), using(ofParent(start("d"))))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → commits 3: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		start c → tells parent purged, settles purged_id
		start d → tells parent purged, settles purged_id
	`)
}

// damage makes a gap in the history of the instance.
func (p *driver) damage() {
	p.Helper()
	turns, err := p.kept.Read(p.Context(), "a", 1, 1)
	if err == nil {
		err = p.kept.Commit(p.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Token: "broken", Events: []history.Event{
			{EventID: turns[len(turns)-1].Last() + 1, Kind: history.TimerFired, SourceEventID: 99}}}}})
	}
	if err != nil {
		p.Fatal(err)
	}
}

// O-04: a corrupt instance can be purged like any other. Parents that wait for it are notified, as
// far as its history can be read.
func TestAPurgeOfACorruptInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)

	i := p.anew("with a start after it", waits("go"))
	i.take(start("s1"))
	i.damage()
	i.take(append(purges("p"), start("s2"))...)
	i.stands()

	i = p.anew("its parents are notified", waits("go"))
	i.take(ofParent(start("s1")))
	adopter := using(ofParent(start("s2")))
	adopter.Parent = &wire.Parent{Instance: "adopter", ExecutionID: 1, EventID: 2}
	i.take(adopter)
	i.damage()
	i.take(purges("p")...)

	for receives := 1; receives <= 2; receives++ {
		i = p.anew("without force, for it has ended", waits("go"))
		i.each(start("s1"), event("e"))
		i.damage()
		i.deliver(i.received(receives, purge("p"), start("s2"))...)
		i.stands()
	}
	p.expect(`
		# with a start after it
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p, start s2 → says corrupt history, marks corrupt; settles dead corrupt; tells terminated, writes terminated; sends deletion, hides, settles purged; settles purged_id
		stands at execution 1, purged, its id free in 360h0m0s
		# its parents are notified
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		start s2 → runs; commits 3: ParentAttached; settles recorded
		terminate end-p, purge p → says corrupt history, marks corrupt; settles dead corrupt; tells parent adopter terminated, writes terminated; sends deletion, hides, settles purged
		# without force, for it has ended
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		purge p, start s2 → sends deletion, hides, settles purged; settles purged_id
		stands at execution 1, purged, its id free in 360h0m0s
		# without force, for it has ended
		start s1 → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		purge p×2, start s2×2 → says corrupt history; sends deletion, hides, settles purged; settles purged_id
		stands at execution 1, purged, its id free in 360h0m0s
	`)
}

// O-04, R-08: an instance that ended long ago is purged, and its history is deleted, after its
// record has been read and before its history is read. A message that is redelivered for it is
// late; nothing is corrupt.
func TestADeletionBetweenTwoReadsIsNotCorruption(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.each(start("s"), event("e"))
	p.now = p.now.Add(2 * time.Hour)
	p.described = func() {
		_, err := p.kept.DeleteHistory(t.Context(), "a", 1, 0)
		if err = errors.Join(p.kept.Hide(t.Context(), "a", 1, p.now.Add(IDHeld)), err); err != nil {
			t.Error(err)
		}
	}
	p.again(terminate("t"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		terminate t×2 → has lost; settles purged_instance
	`)
}

// I-03, O-04: a turn is committed but not dispatched. Before its message is redelivered, another
// message purges the instance. The messages of the turn are still sent.
func TestAPurgeLosesNoMessageOfACommittedTurn(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	never := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		if err := detaches(ctx, "other"); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("never"))
	}
	for _, c := range []struct {
		title string
		dies  int
		code  engine.Func
	}{
		{"the start", 1, never},
		{"an event that continues as new", 2, continues(never)},
		{"the event that ends it", 1, func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, detaches(ctx, "other")
		}},
	} {
		i := p.anew(c.title, c.code)
		if c.title != "the start" {
			i.take(start("s"))
			i.dies = c.dies
			i.take(event("e"))
		} else {
			i.dies = c.dies
			i.take(start("s"))
		}
		i.again(purges("p")...)
	}
	p.expect(`
		# the start
		start s → runs; commits 1-3: Started Chained(Other) Sub(never), sends detached 2; dies ahead of its dispatch; comes back: s
		terminate end-p×2, purge p×2 → again detached 2; commits 4: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		# an event that continues as new
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2-3: Chained(Other) Sub(never), sends detached 2; dies ahead of its dispatch; comes back: e
		terminate end-p×2, purge p×2 → reads history 1; again detached 2; commits 4: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		# the event that ends it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-5: Ev(go) Chained(Other) Completed, sends detached 4; dies ahead of its dispatch; comes back: e
		terminate end-p×2, purge p×2 → again detached 4; settles late; sends deletion, hides, settles purged
	`)
}

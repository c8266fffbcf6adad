package deciding

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// rounds that were complete before the panic are dispatched, and the remaining arrivals are
// recorded.
func TestR19RoundsThatRestedBeforeThePanicAreDispatched(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		for i := range 3 {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if i == 1 {
				panic("second")
			}
			ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		}
		return nil, nil
	})
	p.take(start("s"))
	p.take(event("e1"), event("e2"), event("e3"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e1, event e2, event e3 → runs; commits 3-7 parked: Ev(go) Act(Step) Sub(go) Ev(go) Ev(go), marks panic, sends activity 4; settles recorded recorded recorded
	`)
}

// O-05: a wake whose code is still wrong renews the mark, and writes no event. M-13, R-18: messages
// are recorded, and the fixed code handles all of them. M-15: the wake of a sweep moves the mark
// once.
func TestO05AnOperatorsWakeWhileTheCodeIsStillWrong(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.each(start("s"), named("e", "1"), wake(0, "w"), named("e", "2"))
	p.stands()
	p.deploy(func(*engine.Context, []byte) ([]byte, error) { panic("in another way") })
	p.take(wake(0, "w2"))
	if m := p.record().Problem; !strings.HasPrefix(m.Message, "panic: in another way") {
		t.Errorf("it is stuck for %q", m.Message)
	}
	p.each(wake(3, "x"), wake(3, "y"), wake(3, "z"))
	p.take(wake(4, "x2"), wake(4, "y2"))
	p.stands()
	p.deploy(waits("e", "e", "e"))
	p.take(named("e", "3"))
	p.stands()
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		event 1 → runs; commits 2 parked: Ev(e); settles recorded
		wake w → again nothing; runs; writes the record, marks panic; settles wake
		event 2 → runs; commits 3 parked: Ev(e); settles recorded
		stands at execution 1, stuck, mark panic with stamp 2 after 2 tries
		wake w2 → again nothing; runs; writes the record, marks panic; settles wake
		wake x → again nothing; runs; writes the record, marks panic; settles wake
		wake y → reads behind 4; reads record again; again nothing; settles obsolete_wake; again nothing
		wake z → reads behind 4; reads record again; again nothing; settles obsolete_wake; again nothing
		wake x2, wake y2 → again nothing; runs; writes the record, marks panic; settles wake wake
		stands at execution 1, stuck, mark panic with stamp 5 after 5 tries
		event 3 → runs; commits 4-8: Sub(e) Sub(e) Sub(e) Ev(e) Completed; settles recorded
		stands at execution 1, completed with [1,1,1]
	`)
}

// a message without a fact does not continue a stuck instance: if its process died, nothing
// would send the messages of its commit.
func TestAMessageWithoutAFactNeverLosesTheRecoveryOfAStuckInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.each(start("s"), event("e0"), event("e1"))
	p.deploy(behindGo(chain(1)))
	p.deliver(forged(p.received(1, result(2))[0]))
	p.take(event("e0"))
	p.again(event("e1"))
	p.take(wake(1, "w"))
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		event e0 → runs; commits 2 parked: Ev(go); settles recorded
		event e1 → runs; commits 3 parked: Ev(go); settles recorded
		result of 2 → reads record again; settles dead misaddressed
		event e0 → reads record again; settles duplicate
		event e1×2 → again nothing; reads record again; settles duplicate
		wake w → again nothing; runs; commits 4-5: Sub(go) Act(Step), clears the mark, sends activity 5; settles wake
	`)
}

// F-05: an arrival that was parked while the code was broken wins a select, and produces no event
// when it is run. The operation that it cancelled is still removed by the next commit, also in a
// process that has the instance in its cache.
func TestF05AnOperationCancelledByAParkedArrivalWithoutAnEventIsRemoved(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	code := func(between func()) engine.Func {
		return func(ctx *engine.Context, _ []byte) ([]byte, error) {
			event, timer, end := ctx.ExternalEvent("go"), ctx.Timer(30*24*time.Hour), ctx.ExternalEvent("end")
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
	for _, warm := range []bool{false, true} {
		i := p.anew("", code(func() { panic("broken") }))
		i.keeps = warm
		i.each(start("s"), event("e"))
		i.deploy(code(func() {}))
		i.each(wake(1, "w"), named("end", "end"))
	}
	p.expect(`
		start s → runs; commits 1-4: Started Sub(go) Timer Sub(end), sends timer 3; settles recorded
		event e → runs; commits 5 parked: Ev(go), marks panic; settles recorded
		wake w → again nothing; runs; writes the record, clears the mark; settles wake
		event end → runs; commits 6-7: Ev(end) Sub(never), closes [3]; settles recorded
		start s → runs; commits 1-4: Started Sub(go) Timer Sub(end), sends timer 3; settles recorded
		event e → runs; reads record; commits 5 parked: Ev(go), marks panic; settles recorded
		wake w → again nothing; runs; writes the record, clears the mark; settles wake
		event end → runs; commits 6-7: Ev(end) Sub(never), closes [3]; settles recorded
	`)
}

// the result of an inline activity is recorded, and then the code of a warm
// instance breaks a rule. The instance is loaded again from the store, and marked.
func TestAnInstanceStuckAfterACommitOfItsTurnHasAProblem(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	p.keeps = true
	p.deploy(behindGo(func(ctx *engine.Context, in []byte) ([]byte, error) {
		left := ctx.Activity(engine.ActivityCall{Name: "Inline", Input: in, Inline: true})
		if _, err := ctx.Await(ctx.ExternalEvent("later")); err != nil {
			return nil, err
		}
		return ctx.Await(left)
	}), func(o *engine.Orchestration) { o.Strict = true })
	p.each(start("s"), event("e"))
	p.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-5: Ev(go) Act(Inline) Sub(later); runs inline Inline; runs; reads record; commits 6 parked: Done←4, marks nondeterminism; settles recorded
		stands at execution 1, stuck, mark nondeterminism with stamp 1 after 1 tries
	`)
}

// an instance with an invalid history is marked, nothing is written to the history, and
// the messages name the event.
func TestR08R09ADamagedHistory(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, c := range []struct {
		title string
		bad   []history.Event
	}{
		{"a source that names no event", []history.Event{{Kind: history.ActivityCompleted, EventID: 3, SourceEventID: 9}}},
		{"a source of another kind", []history.Event{{Kind: history.TimerFired, EventID: 3, SourceEventID: 2}}},
		{"an event after the end", []history.Event{{Kind: history.OrchestrationCompleted, EventID: 3}, {Kind: history.ExternalEvent, EventID: 4, Name: "e"}}},
		{"a second start", []history.Event{{Kind: history.OrchestrationStarted, EventID: 3, Start: &history.Start{}}}},
	} {
		i := p.anew(c.title, chain(1))
		i.take(start("s"))
		if err := i.kept.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Token: "x", Events: c.bad}}}); err != nil {
			t.Fatal(err)
		}
		i.take(result(2), event("e"), wake(9, "w"))
		p.say("event %d", i.record().Problem.EventID)
	}
	p.expect(`
		# a source that names no event
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2, event e, wake w → says corrupt history, marks corrupt; settles dead corrupt; settles dead corrupt; settles obsolete_wake
		event 3
		# a source of another kind
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2, event e, wake w → says corrupt history, marks corrupt; settles dead corrupt; settles dead corrupt; settles obsolete_wake
		event 3
		# an event after the end
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2, event e, wake w → says corrupt history, marks corrupt; settles dead corrupt; settles dead corrupt; settles obsolete_wake
		event 4
		# a second start
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2, event e, wake w → says corrupt history, marks corrupt; settles dead corrupt; settles dead corrupt; settles obsolete_wake
		event 3
	`)
}

// I-03: two processes have the message that continues a stuck instance. One reads the mark. The
// other clears the mark in the commit of its fact, and dies while an inline activity is open. The
// first process finds the fact and no mark, and repeats its turn.
func TestAProblemClearedWhileItIsReadLeavesNoMessageUnsent(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.take(start("s"))
	p.deploy(behindGo(inlines(1)))
	back := p.received(2, event("e"))
	p.described = func() {
		other := p.beside()
		other.dies = 1
		other.take(event("e"))
	}
	p.deliver(back...)
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		event e×2 → …
			event e → runs; commits 2-4: Sub(go) Ev(go) Act(Inline), clears the mark; dies ahead of its dispatch; comes back: e
		… again nothing; reads record again; has lost; again nothing; runs; reads behind 5; runs inline Inline; runs; commits 5-6: Done←4 Completed; settles duplicate
	`)
}

// K-07, I-06: a wake finds that a stuck instance can continue, but has nothing to append. Another
// process ends the instance after the wake has read it and before the wake changes the record: the
// instance stays ended.
func TestAChangeOfTheRecordAloneIsNeverMadeFromAStaleHistory(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		_, err := ctx.Join(ctx.ExternalEvent("go"), ctx.ExternalEvent("go"))
		return nil, err
	}
	p := newDriver(t, right)
	p.take(start("s"))
	p.deploy(panics)
	p.take(event("e"))
	p.deploy(right)
	p.read = func() { p.beside().again(terminate("t")) }
	p.take(wake(1, "w"))
	p.stands()
	p.expect(`
		start s → runs; commits 1-3: Started Sub(go) Sub(go); settles recorded
		event e → runs; commits 4 parked: Ev(go), marks panic; settles recorded
		wake w → …
			terminate t×2 → again nothing; commits 5: Failed(terminated); settles recorded
		… again nothing; runs; writes the record, clears the mark; has lost; reads behind 6; reads record again; again nothing; again nothing; settles wake
		stands at execution 1, terminated of terminated
	`)
}

// W-05, rule 11: a start that may kill its process is recorded first, and its process dies. Then an
// event arrives; the code ends with the start alone, so the event is late. When the event is
// redelivered, it finds the commit that it caused.
func TestAnEventThatLetsTheCodeSeeParkedArrivalsFindsThatCommitAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, _ []byte) ([]byte, error) { return nil, detaches(ctx, "other") })
	p.dies = 1
	p.deliver(p.received(4, start("s"))...)
	p.dies = 1
	p.take(event("e"))
	p.again(event("e"))
	p.expect(`
		start s×4 → records; commits 1 parked: Started; dies ahead of its dispatch; comes back: s
		event e → runs; commits 2-3: Chained(Other) Completed, sends detached 2; dies ahead of its dispatch; comes back: e
		event e×2 → again detached 2; settles late
	`)
}

// Rule 11, W-13: a process dies after it has sent the commit for the parked arrivals. Its message
// is redelivered to a broken build, which marks the instance and deletes the message. The commit
// does not land after the mark: otherwise nothing would send its messages.
func TestALateCommitForParkedArrivalsFailsBecauseOfTheProblem(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, _ []byte) ([]byte, error) { return nil, detaches(ctx, "other") }
	p := newDriver(t, right)
	p.dies = 1
	p.deliver(p.received(4, start("s"))...)
	late := p.late()
	p.take(event("e"))
	p.deploy(panics)
	p.again(event("e"))
	p.lands(late)
	p.deploy(right)
	p.take(wake(1, "w"))
	p.expect(`
		start s×4 → records; commits 1 parked: Started; dies ahead of its dispatch; comes back: s
		event e → runs; commits 2-3: Chained(Other) Completed, sends detached 2; store: outcome of the write is unknown; comes back: e
		event e×2 → again nothing; runs; commits 2 parked: Ev(go), marks panic; settles recorded
		the late write loses
		wake w → again nothing; runs; commits 3-4: Chained(Other) Completed, sends detached 3; settles wake
	`)
}

// W-05, P-02: a process sends the commit that ends a child, and dies. Before that commit lands,
// broken code marks the child as stuck, and all messages are deleted, so nothing would notify the
// parent. Therefore the commit requires the stamp that its writer read, and fails.
func TestAnEndThatWouldLandAfterAProblemFails(t *testing.T) {
	t.Parallel()
	right := continues(func(*engine.Context, []byte) ([]byte, error) { return []byte("11"), nil })
	p := newDriver(t, right)
	p.take(ofParent(start("s")))
	var late func() error
	p.committing = func(*Commit) error { late = p.late(); return nil }
	p.take(event("e"))
	p.deploy(panics)
	p.again(event("e"))
	p.lands(late)
	p.deploy(right)
	p.take(wake(p.record().Stamp, "w"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Completed, sends parent; store: outcome of the write is unknown; comes back: e
		event e×2 → reads history 1; again nothing; runs; writes the record, marks panic; settles duplicate
		the late write loses
		wake w → reads history 1; again nothing; runs; commits 2: Completed, sends parent; settles wake
	`)
}

// W-05, W-01: the process that runs an inline activity dies. A timer that nothing awaits fires, and
// its turn runs the activity instead. The code then ends, so the timer is late. When the timer is
// redelivered, it finds the end.
func TestATimerThatRunsAnInlineActivityFindsTheEndAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		ctx.Timer(time.Second)
		if _, err := inlines(1)(ctx, in); err != nil {
			return nil, err
		}
		return nil, detaches(ctx, "other")
	})
	p.dies = 1
	p.take(start("s"))
	timer := fired(2, startedAt.Add(time.Second))
	p.dies = 1
	p.take(timer)
	p.again(timer)
	p.expect(`
		start s → runs; commits 1-3: Started Timer Act(Inline), sends timer 2; dies ahead of its dispatch; comes back: s
		firing of 2 → runs; reads record; reads behind 4; runs inline Inline; runs; commits 4-6: Done←3 Chained(Other) Completed, closes [2], sends detached 5; dies ahead of its dispatch; comes back: of 2
		firing of 2×2 → again detached 5; settles late
	`)
}

// M-13, W-05: an event reaches a stuck instance whose code has been fixed. The instance ends
// because of arrivals parked earlier, so the event itself is late. Its process dies. When the event
// is redelivered, the messages of the end are sent.
func TestAMessageThatContinuesAStuckInstanceFindsItsCommitAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(ofParent(start("s")))
	p.deploy(panics)
	p.take(event("e"))
	p.deploy(waits("go"))
	p.dies = 1
	p.take(named("more", "more"))
	p.again(named("more", "more"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3 parked: Ev(go), marks panic; settles recorded
		event more → runs; commits 4: Completed, sends parent; dies ahead of its dispatch; comes back: more
		event more×2 → again parent; settles late
	`)
}

// W-03, W-11: a wake continues a stuck instance across a continue-as-new, and its process dies
// after each commit. The wake is redelivered until everything is dispatched.
func TestAWakeIsRedeliveredUntilEverythingItCausedIsDispatched(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.take(start("s"))
	p.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := detaches(ctx, "other-"+string(in)); err != nil {
			return nil, err
		}
		if string(in) == "1" {
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return chain(1)(ctx, in)
	})
	p.dies = 1
	p.take(wake(1, "w"))
	p.dies = 1
	p.again(wake(1, "w"))
	p.deliver(p.received(3, wake(1, "w"))...)
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		wake w → again nothing; runs; commits 2-3: Chained(Other) ContinuedAsNew, clears the mark, sends detached 2, goes on as new; dies ahead of its dispatch; comes back: w
		wake w×2 → reads history 1; again detached 2; again nothing; runs; commits 2-3: Chained(Other) Act(Step), sends detached 2 and activity 3; dies ahead of its dispatch; comes back: w
		wake w×3 → reads history 1; again detached 2 and detached 2 and activity 3; again nothing; runs; writes nothing; settles wake
	`)
}

// The continue-as-new commit of a dead process lands late, after the earlier execution was marked,
// and the process that set the mark acknowledged its message. The next message sends everything.
func TestAContinueAsNewAfterAProblemIsDispatchedByTheNextMessage(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "2" {
			return chain(1)(ctx, in)
		}
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return nil, ctx.ContinueAsNew("", []byte("2"), nil)
	})
	p.take(start("s"))
	p.dies = 2
	p.take(event("e"))
	mark, stuck, stamp := &store.Problem{Kind: string(engine.StuckPanic), ExecutionID: 1, LastEventID: 2}, store.StatusStuck, int64(1)
	if err := p.kept.UpdateRecord(t.Context(), "a", store.RecordChange{Problem: &mark, Status: &stuck, Stamp: &stamp, UpdatedAt: p.now}); err != nil {
		t.Fatal(err)
	}
	p.take(event("other"))
	p.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Act(Step), sends activity 2; dies ahead of its dispatch; comes back: e
		event other → reads history 1; again activity 2; runs; commits 3: Ev(go), clears the mark; settles recorded
		stands at execution 2, running
	`)
}

// W-13: a turn whose commit landed late was never dispatched, because its message had found a stuck
// instance meanwhile. The process of the wake sends the first action of the turn and dies. The wake
// is redelivered together with the completion of that action, and sends the rest.
func TestARedeliveredWakeResendsOpenOperationsAfterAnotherTurn(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.Timer(time.Hour), ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		return in, err
	})
	p.dies = 1
	p.take(start("s"))
	status, number, problem := store.StatusStuck, int64(1), &store.Problem{Kind: "panic", Message: "of a build that was deployed meanwhile"}
	if err := p.kept.UpdateRecord(t.Context(), "a", store.RecordChange{Status: &status, Problem: &problem, Stamp: &number}); err != nil {
		t.Fatal(err)
	}
	p.cut = true
	p.take(wake(1, "w"))
	p.again(wake(1, "w"), result(2))
	p.expect(`
		start s → runs; commits 1-4: Started Act(Step) Timer Act(Step), sends activity 2 and timer 3 and activity 4; dies ahead of its dispatch; comes back: s
		wake w → again activity 2 and timer 3 and activity 4; dies while it sends; comes back: w
		wake w×2, result of 2×2 → again timer 3 and activity 4; again nothing; runs; commits 5: Done←2, clears the mark; settles recorded; settles wake
	`)
}

// W-13: a process handles a wake and clears the mark, but dies before the outcome is known. The
// wake is redelivered to broken code, which would set the same mark. It moves the mark to a new
// stamp, so the clear fails, and arrivals that are parked later wait for the next recovery.
func TestARedeliveredWakeMovesTheProblemSoThatALateClearFails(t *testing.T) {
	t.Parallel()
	p := newDriver(t, waits("go"))
	p.take(start("s"))
	p.deploy(panics)
	p.take(wake(0, "operator"))
	p.deploy(waits("go"))
	late := p.late()
	p.take(wake(1, "w"))
	p.deploy(panics)
	p.again(wake(1, "w"))
	p.take(event("e"))
	p.lands(late)
	p.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		wake operator → again nothing; runs; writes the record, marks panic; settles wake
		wake w → again nothing; runs; writes the record, clears the mark; store: outcome of the write is unknown; comes back: w
		wake w×2 → again nothing; again nothing; runs; writes the record, marks panic; settles wake
		event e → runs; commits 3 parked: Ev(go); settles recorded
		the late write loses
		stands at execution 1, stuck, mark panic with stamp 2 after 2 tries
	`)
}

// W-13: a write of unknown outcome marks an instance as stuck, and lands when its message is gone.
// After the recovery, the write has no effect, because the stamp has changed; otherwise the mark is
// only a hint, and the next wake clears it.
func TestAProblemThatLandsWhenItsMessageIsGoneIsClearedByASweep(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("after the recovery", waits("go"))
	i.take(start("s"))
	i.deploy(panics)
	late := i.late()
	i.take(wake(0, "operator"))
	i.take(wake(0, "other"))
	i.deploy(waits("go"))
	i.take(wake(1, "w"))
	i.lands(late)

	i = p.anew("when nothing else has happened", waits("go"))
	i.take(start("s"))
	i.deploy(panics)
	late = i.late()
	i.take(wake(0, "operator"))
	i.deploy(waits("go"))
	i.again(wake(0, "operator"))
	i.lands(late)
	i.take(wake(1, "w"))
	i.stands()
	p.expect(`
		# after the recovery
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		wake operator → again nothing; runs; writes the record, marks panic; store: outcome of the write is unknown; comes back: operator
		wake other → again nothing; runs; writes the record, marks panic; settles wake
		wake w → again nothing; runs; writes the record, clears the mark; settles wake
		the late write loses
		# when nothing else has happened
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		wake operator → again nothing; runs; writes the record, marks panic; store: outcome of the write is unknown; comes back: operator
		wake operator×2 → again nothing; again nothing; runs; writes nothing; settles wake
		the late write lands
		wake w → again nothing; runs; writes the record, clears the mark; settles wake
		stands at execution 1, running
	`)
}

// W-09: a message that may kill its process is detected when its own mark is found twice. Then its
// arrivals are recorded; messages run no code, but wakes do.
func TestW09APoisonMessageIsDetected(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("an event", waits("go", "go"))
	i.take(start("s"))
	for receives := 4; receives <= 5; receives++ {
		i.dies = 1
		i.committing = func(*Commit) error { return errDied }
		i.deliver(i.received(receives, event("e"))...)
	}
	i.deliver(i.received(6, event("e"))...)
	i.take(event("e2"))
	i.stands()
	i.take(wake(1, "w"))
	i.stands()

	i = p.anew("a start is recorded before it is run, and its mark with it", waits("go"))
	i.dies = 1
	i.deliver(i.received(4, start("s"))...)
	i.stands()
	i.committing = func(*Commit) error { return errDied }
	i.deliver(i.received(5, start("s"))...)
	i.stands()
	i.deliver(i.received(6, start("s"))...)
	i.stands()

	i = p.anew("an inline activity: only a wake runs it", inlines(1))
	i.dies = 1
	i.deliver(i.received(4, start("s"))...)
	i.committing = func(*Commit) error {
		i.committing = func(*Commit) error { return errDied }
		return nil
	}
	i.deliver(i.received(5, start("s"))...)
	i.deliver(i.received(6, start("s"))...)
	i.take(event("e"))
	i.take(wake(1, "w"))
	i.stands()

	i = p.anew("one that leaves no fact, and is found out late", waits("go"))
	i.take(start("s"))
	second := "of 2" + SecondMark
	set := func(mark string) {
		if err := i.kept.UpdateRecord(t.Context(), "a", store.RecordChange{Suspect: &mark, UpdatedAt: i.now}); err != nil {
			t.Fatal(err)
		}
	}
	set(second)
	poison := forged(i.received(4, result(2))[0])
	late := i.late()
	i.deliver(poison)
	set("another")
	set("")
	i.lands(late)
	set(second)
	i.deliver(forged(i.received(5, result(2))[0]))
	i.stands()

	i = p.anew("its mark does not land on an ended instance", waits("go"))
	i.take(start("s"))
	var held *store.RecordChange
	i.writing = func(w *Write) error { held = w.Change; return store.ErrUnknownOutcome }
	i.deliver(i.received(4, event("e"))...)
	i.take(event("e"))
	i.lands(func() error { return i.kept.UpdateRecord(t.Context(), "a", *held) })

	i = p.anew("it removes only its own mark", waits("go", "go"))
	i.take(start("s"))
	i.deliver(i.received(4, event("mere"))...)
	i.stands()
	i.committing = func(*Commit) error {
		set := "of another"
		return i.kept.UpdateRecord(t.Context(), "a", store.RecordChange{Suspect: &set, UpdatedAt: i.now})
	}
	i.deliver(i.received(5, event("e"))...)
	i.stands()
	p.expect(`
		# an event
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e×4 → suspects "e"; again nothing; runs; commits 3-4: Ev(go) Sub(go); comes back: e
		event e×5 → suspects "e#2"; again nothing; runs; commits 3-4: Ev(go) Sub(go); comes back: e
		event e×6 → says stuck killed; again nothing; records; commits 3 parked: Ev(go), marks killed; dies ahead of its dispatch; comes back: e
		event e2 → records; commits 4 parked: Ev(go); settles recorded
		stands at execution 1, stuck, mark killed with stamp 1 after 1 tries
		wake w → again nothing; runs; commits 5-6: Sub(go) Completed; settles wake
		stands at execution 1, completed with [1,1]
		# a start is recorded before it is run, and its mark with it
		start s×4 → records; commits 1 parked: Started; dies ahead of its dispatch; comes back: s
		stands at execution 1, running, suspect "s"
		start s×5 → suspects "s#2"; again nothing; runs; commits 2: Sub(go); comes back: s
		stands at execution 1, running, suspect "s#2"
		start s×6 → says stuck killed; again nothing; records; writes the record, marks killed; settles duplicate
		stands at execution 1, stuck, mark killed with stamp 1 after 1 tries
		# an inline activity: only a wake runs it
		start s×4 → records; commits 1 parked: Started; dies ahead of its dispatch; comes back: s
		start s×5 → suspects "s#2"; again nothing; runs; commits 2: Act(Inline); runs inline Inline; runs; commits 3-4: Done←2 Completed; comes back: s
		start s×6 → says stuck killed; again nothing; records; writes the record, marks killed; settles duplicate
		event e → records; commits 3 parked: Ev(go); settles recorded
		wake w → again nothing; runs; reads behind 4; runs inline Inline; runs; commits 4-5: Done←2 Completed; settles wake
		stands at execution 1, completed with 1
		# one that leaves no fact, and is found out late
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		result of 2×4 → says stuck killed; again nothing; records; writes the record, marks killed; store: outcome of the write is unknown; comes back: of 2
		the late write loses
		result of 2×5 → says stuck killed; again nothing; records; writes the record, marks killed; settles dead misaddressed
		stands at execution 1, stuck, mark killed with stamp 1 after 1 tries
		# its mark does not land on an ended instance
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e×4 → suspects "e"; store: outcome of the write is unknown; comes back: e
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		the late write loses
		# it removes only its own mark
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event mere×4 → suspects "mere"; again nothing; runs; commits 3-4: Ev(go) Sub(go); settles recorded; is no suspect any more
		stands at execution 1, running
		event e×5 → suspects "e"; again nothing; runs; commits 5-6: Ev(go) Completed; settles recorded
		stands at execution 1, completed with [1,1]
	`)
}

// No commit has room for anything after the result of an inline activity. Each message gets a turn
// of its own, its fact is recorded, and the instance fails.
func TestTheHalvesOfATurnThatIsTooLargeFailTheirInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, behindGo(behindGo(func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := inlines(1)(ctx, in); err != nil {
			return nil, err
		}
		return chain(1)(ctx, in)
	})))
	p.take(start("s"))
	var full func(c *Commit) error
	full = func(c *Commit) error {
		p.committing = full
		if e := c.Turns[0].Events; e[len(e)-1].Name == "Step" {
			return &store.TooLargeError{Instance: "a", Limit: "a byte"}
		}
		return nil
	}
	p.committing = full
	p.take(event("e1"), event("e2"))
	p.stands()

	all := func(*Commit) error { return &store.TooLargeError{Instance: "a", Limit: "a byte"} }
	i := p.anew("a message that fits into no turn", waits("go"))
	i.committing = func(c *Commit) error { i.committing = all; return all(c) }
	i.take(start("s"))
	i.stands()

	i = p.anew("the first turn of a child", waits("go"))
	i.committing = all
	raises := ofParent(start("s"))
	raises.Events = []wire.StartEvent{{ID: "e", Name: "go", Data: []byte("1")}}
	i.take(raises)
	i.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e1, event e2 → runs; commits 3-6: Ev(go) Sub(go) Ev(go) Act(Inline); runs inline Inline; runs; commits 7-8: Done←6 Act(Step), sends activity 8; is too large; reads behind 7; reads record again; again nothing; runs; reads behind 7; runs inline Inline; runs; commits 7-8: Done←6 Act(Step), sends activity 8; is too large; commits 7: Failed(too_large); settles too_large; reads behind 8; reads record again; again nothing; settles duplicate
		stands at execution 1, failed of too_large
		# a message that fits into no turn
		start s → runs; commits 1-2: Started Sub(go); is too large; records; commits 1-2: Started Failed(too_large); settles dead too_large
		stands at execution 0, 
		# the first turn of a child
		start s → runs; commits 1-4: Started Ev(go) Sub(go) Completed, sends parent; is too large; records; commits 1-2: Started Failed(too_large), sends parent; settles too_large
		stands at execution 1, failed of too_large
	`)
}

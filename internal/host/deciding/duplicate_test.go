package deciding

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Two processes have the same messages, and one of them dies after its commit.

// waitsOn starts another instance, and waits forever.
func waitsOn(ctx *engine.Context, _ []byte) ([]byte, error) {
	if err := detaches(ctx, "other"); err != nil {
		return nil, err
	}
	return ctx.Await(ctx.ExternalEvent("never"))
}

// behindGo waits for the event "go" before it runs next.
func behindGo(next engine.Func) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return next(ctx, in)
	}
}

// W-03: Lambda delivers a batch to two processes at its first receive. For each kind of message,
// the second process sends what the dead process committed.
func TestADuplicateSendsWhatADeadProcessCommitted(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, batch := range [][]wire.Item{{event("e")}, {terminate("t")}, {cancel("c")}, purges("p")} {
		i := p.anew("", waits("go"))
		i.take(ofParent(start("s")))
		duplicates := i.received(1, batch...)
		i.dies = 1
		i.take(batch...)
		i.now = i.now.Add(-59 * time.Second)
		i.deliver(duplicates...)
	}

	i := p.anew("a turn that does not fit into a commit", behindGo(waitsOn))
	i.take(ofParent(start("s")))
	duplicates := i.received(1, event("e"))
	i.committing = func(*Commit) error {
		i.dies = 1
		return &store.TooLargeError{Instance: "a", Limit: "a byte"}
	}
	i.take(event("e"))
	i.now = i.now.Add(-59 * time.Second)
	i.deliver(duplicates...)

	i = p.anew("E-09: a requeued start that raises an event", waits("go"))
	i.take(ofParent(start("s")))
	raises := using(start("s2"))
	raises.Events = []wire.StartEvent{{ID: "e", Name: "go", Data: []byte("1")}}
	i.dies = 1
	i.take(raises)
	i.now = i.now.Add(5 * time.Minute)
	raises.Hops = 1
	i.take(raises)
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed, sends parent; dies ahead of its dispatch; comes back: e
		event e → reads behind 5; reads record again; again parent; settles duplicate
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; dies ahead of its dispatch; comes back: t
		terminate t → reads behind 4; reads record again; again parent; settles late
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2], sends parent; dies ahead of its dispatch; comes back: c
		cancel c → reads behind 5; reads record again; again parent; settles duplicate
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate end-p, purge p → commits 3: Failed(terminated), sends parent; dies ahead of its dispatch; comes back: end-p p
		terminate end-p, purge p → reads behind 4; reads record again; again parent; settles late; sends deletion, hides, settles purged
		# a turn that does not fit into a commit
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; is too large; commits 3: Failed(too_large), sends parent; dies ahead of its dispatch; comes back: e
		event e → reads behind 4; reads record again; again parent; settles late
		# E-09: a requeued start that raises an event
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start s2 → runs; commits 3-4: Ev(go) Completed, sends parent; dies ahead of its dispatch; comes back: s2
		start s2 → reads behind 5; reads record again; again parent; settles duplicate; settles exists
	`)
}

// W-03: this is also true across a continue-as-new, and if the second process has the instance in
// its cache.
func TestADuplicateSendsWhatFollowsAContinueAsNew(t *testing.T) {
	t.Parallel()
	p := newDriver(t, continues(activity(nil)))
	p.keeps = true
	p.take(start("s"))
	duplicates, other := p.received(1, event("e")), p.beside()
	other.dies = 1
	other.take(event("e"))
	p.deliver(duplicates...)
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: e
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; has lost; reads behind 2; reads record again; reads history 1; again nothing; runs; commits 2: Act(Work), sends activity 2; settles duplicate
	`)
}

// W-13: two processes have the same wake. One clears the mark, and dies before it sends the wake
// that would continue its turn. The other process continues the turn.
func TestADuplicateOfAWakeContinues(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.settings.Turn.Executions = 1
	p.take(start("s"))
	p.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) {
		if len(in) < 3 {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return in, nil
	})
	duplicates := p.received(1, wake(1, "w"))
	p.dies = 1
	p.take(wake(1, "w"))
	p.deliver(duplicates...)
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		wake w → again nothing; runs; commits 2: ContinuedAsNew, clears the mark, goes on as new; dies ahead of its dispatch; comes back: w
		wake w → reads behind 2; reads record again; reads history 1; again nothing; again nothing; runs; commits 2: ContinuedAsNew, goes on as new; wakes itself at event 1; settles wake
	`)
}

// a pending activity exceeds its time limit and fails. The instance continues as new, and its
// process dies. The other process continues from there, and so does the redelivered message. Found
// by seed 10335 of the simulation.
func TestA13ADuplicateContinuesAfterALimitThatADeadProcessCommitted(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for receives := 1; receives <= 2; receives++ {
		i := p.anew("", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "2" {
				return activity(nil)(ctx, in)
			}
			_, _ = activity(&history.Retry{TotalTimeoutMS: 40_000})(ctx, in)
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		})
		i.take(start("s"))
		limit := wire.Item{Kind: wire.ActivityPending, ExecutionID: 1, SourceEventID: 2, Attempt: 1}
		duplicates := i.received(receives, limit)
		i.dies = 1
		i.take(limit)
		i.deliver(duplicates...)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: of 2
		pending 2 → reads behind 2; reads record again; reads history 1; again nothing; settles becomes ActivityFailed total_timeout; runs; commits 2: Act(Work), sends activity 2; settles late
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: of 2
		pending 2×2 → reads history 1; again nothing; settles becomes ActivityFailed total_timeout; runs; commits 2: Act(Work), sends activity 2; settles late
	`)
}

// W-08: a process handles a batch slowly, and the visibility of the messages expires. Another
// process receives the first message, commits its turn, and dies before the dispatch. The slow
// process then commits the other messages. Before it dispatches them, it sends what the dead
// process left unsent: sentence 3 of the protocol.
func TestTheCommitOfADeadProcessIsDispatchedBeforeNewFacts(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, warm := range []bool{false, true} {
		for _, second := range [][]wire.Item{{event("e2")}, {terminate("t")}, purges("p"), {wake(0, "w")}} {
			i := p.anew("", behindGo(waitsOn))
			i.keeps = warm
			i.take(start("s"))
			batch := i.received(1, append([]wire.Item{event("e1")}, second...)...)
			die := func() {
				other := i.beside()
				other.dies = 1
				other.again(event("e1"))
			}
			p.forget(1)
			if warm {
				i.committing = func(*Commit) error { die(); return nil }
			} else {
				die()
			}
			i.deliver(batch...)
		}
	}
	p.expect(`
		event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		event e1, event e2 → reads behind 6; reads record again; again detached 4; runs; commits 6: Ev(go); settles duplicate recorded
		event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		event e1, terminate t → reads behind 6; reads record again; again detached 4; runs; writes nothing; settles duplicate; commits 6: Failed(terminated); settles recorded
		event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		event e1, terminate end-p, purge p → reads behind 6; reads record again; again detached 4; runs; writes nothing; settles duplicate; commits 6: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		event e1, wake w → reads behind 6; reads record again; again detached 4; again nothing; runs; writes nothing; settles duplicate; settles wake
		event e1, event e2 → runs; commits 3-6: Ev(go) Chained(Other) Sub(never) Ev(go), sends detached 4; …
			event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		… has lost; reads behind 6; reads record again; again detached 4; runs; commits 6: Ev(go); settles duplicate recorded
		event e1, terminate t → runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; …
			event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		… has lost; reads behind 6; reads record again; again detached 4; runs; writes nothing; settles duplicate; commits 6: Failed(terminated); settles recorded
		event e1, terminate end-p, purge p → runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; …
			event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		… has lost; reads behind 6; reads record again; again detached 4; runs; writes nothing; settles duplicate; commits 6: Failed(terminated); settles recorded; sends deletion, hides, settles purged
		event e1, wake w → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; …
			event e1×2 → again nothing; runs; commits 3-5: Ev(go) Chained(Other) Sub(never), sends detached 4; dies ahead of its dispatch; comes back: e1
		… has lost; reads behind 6; reads record again; again detached 4; again nothing; runs; writes nothing; settles duplicate; settles wake
	`)
}

// The same is true after a turn that was too large, if the dead process made half of it; after a
// continue-as-new, where the completion is late instead of a duplicate; and after a wake.
func TestTheHalfThatADeadProcessCommittedIsDispatchedBeforeTheOther(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("a half", behindGo(func(ctx *engine.Context, in []byte) ([]byte, error) {
		left := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return ctx.Await(left)
	}))
	i.take(start("s"))
	batch := i.received(1, event("e1"), event("e2"))
	i.committing = func(*Commit) error {
		i.dies = 1
		return &store.TooLargeError{Instance: "a", Limit: "three events"}
	}
	i.again(event("e1"), event("e2"))
	i.deliver(batch...)

	i = p.anew("a continue-as-new", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) == "2" {
			return waitsOn(ctx, in)
		}
		if _, err := activity(nil)(ctx, in); err != nil {
			return nil, err
		}
		return nil, ctx.ContinueAsNew("", []byte("2"), nil)
	})
	i.take(start("s"))
	batch = i.received(1, result(2), event("e"))
	i.dies = 2
	i.again(result(2))
	i.deliver(batch...)

	i = p.anew("a sweeper's wake without a fact, whose mark was cleared", panics)
	i.take(start("s"))
	i.deploy(waitsOn)
	batch = i.received(1, wake(1, "w"), event("e"))
	i.dies = 1
	i.again(wake(1, "w"))
	i.deliver(batch...)
	p.expect(`
		# a half
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e1×2, event e2×2 → again nothing; runs; commits 3-6: Ev(go) Act(Step) Sub(go) Ev(go), sends activity 4; is too large; again nothing; runs; commits 3-5: Ev(go) Act(Step) Sub(go), sends activity 4; dies ahead of its dispatch; comes back: e1 e2
		event e1, event e2 → reads behind 6; reads record again; again activity 4; runs; commits 6: Ev(go); settles duplicate recorded
		# a continue-as-new
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		result of 2×2 → again nothing; runs; commits 3-4: Done←2 ContinuedAsNew, goes on as new; runs; commits 2-3: Chained(Other) Sub(never), sends detached 2; dies ahead of its dispatch; comes back: of 2
		result of 2, event e → reads behind 4; reads record again; reads history 1; again detached 2; runs; commits 4: Ev(go); settles late recorded
		# a sweeper's wake without a fact, whose mark was cleared
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		wake w×2 → again nothing; again nothing; runs; commits 2-3: Chained(Other) Sub(never), clears the mark, sends detached 2; dies ahead of its dispatch; comes back: w
		wake w, event e → reads behind 4; reads record again; again detached 2; again nothing; runs; commits 4: Ev(go); settles recorded; settles wake
	`)
}

// M-03: a batch has new messages and a repeat of a message from before the last turn. The repeat
// sends nothing again.
func TestARepeatInABatchWithNewFactsStartsNoSecondAttempt(t *testing.T) {
	t.Parallel()
	p := newDriver(t, behindGo(behindGo(func(ctx *engine.Context, in []byte) ([]byte, error) {
		left := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return ctx.Await(left)
	})))
	p.each(start("s"), event("e1"), event("e2"))
	p.take(event("e1"), event("e3"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-4: Ev(go) Sub(go); settles recorded
		event e2 → runs; commits 5-7: Ev(go) Act(Step) Sub(go), sends activity 6; settles recorded
		event e1, event e3 → runs; commits 8: Ev(go); settles duplicate recorded
	`)
}

// W-03: a process commits a turn and runs the inline activity that it schedules. Another process,
// which has an operator's wake, does the same, is faster, and dies before its dispatch. The slower
// process repeats its turn and sends the messages of that turn, even if the result was too large
// and it had to split the turn.
func TestTheLoserOfAnInlineResultSendsWhatTheWinnerDidNot(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, halves := range []bool{false, true} {
		i := p.anew("", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
			if _, err := inlines(1)(ctx, in); err != nil {
				return nil, err
			}
			return chain(1)(ctx, in)
		})
		other, batch := i.beside(), []wire.Item{start("s")}
		second := func(*Commit) error {
			other.dies = 1
			other.take(wake(0, "w"))
			return nil
		}
		if halves {
			faster := second
			batch = append(batch, event("e"))
			second = func(*Commit) error {
				i.committing = faster
				return &store.TooLargeError{Instance: "a", Limit: "a byte"}
			}
		}
		i.committing = func(*Commit) error { i.committing = second; return nil }
		i.take(batch...)
	}
	p.expect(`
		start s → runs; commits 1-3: Started Act(Step) Act(Inline), sends activity 2; runs inline Inline; runs; commits 4-5: Done←3 Act(Step), sends activity 5; …
			wake w → again activity 2; runs; reads behind 4; runs inline Inline; runs; commits 4-5: Done←3 Act(Step), sends activity 5; dies ahead of its dispatch; comes back: w
		… has lost; reads behind 6; reads record again; again activity 5; runs; writes nothing; settles duplicate
		start s, event e → runs; commits 1-3: Started Act(Step) Act(Inline), sends activity 2; runs inline Inline; runs; commits 4-6: Done←3 Act(Step) Ev(go), sends activity 5; is too large; reads behind 4; reads record again; again nothing; runs; reads behind 4; runs inline Inline; runs; commits 4-5: Done←3 Act(Step), sends activity 5; …
			wake w → again activity 2; runs; reads behind 4; runs inline Inline; runs; commits 4-5: Done←3 Act(Step), sends activity 5; dies ahead of its dispatch; comes back: w
		… has lost; reads behind 6; reads record again; again activity 5; runs; writes nothing; settles duplicate; runs; commits 6: Ev(go); settles recorded
	`)
}

// continuesAndDetaches starts another instance in each of n executions, and waits in the last one.
func continuesAndDetaches(n int) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := detaches(ctx, "child-"+string(in)); err != nil {
			return nil, err
		}
		if len(in) < n {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return ctx.Await(ctx.ExternalEvent("go"))
	}
}

// I-03: two processes have the start, because its visibility expired too early. One commits the end
// of the first execution and dies before its dispatch. The other process, which has the first
// delivery, runs the next executions. The redelivered start sends the messages of the first
// execution, although two other executions have followed it.
func TestATurnThatContinuedThroughExecutionsIsSentAgainFromItsStart(t *testing.T) {
	t.Parallel()
	p := newDriver(t, continuesAndDetaches(4))
	duplicates := p.received(1, start("s"))
	p.dies = 1
	p.again(start("s"))
	p.deliver(duplicates...)
	p.deliver(p.received(3, start("s"))...)
	p.expect(`
		start s×2 → runs; commits 1-3: Started Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; dies ahead of its dispatch; comes back: s
		start s → reads behind 2; reads record again; reads history 1; again detached 2; runs; commits 2-3: Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; runs; commits 2-3: Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; runs; commits 2-3: Chained(Other) Sub(go), sends detached 2; settles duplicate
		start s×3 → reads history 3; reads history 2; reads history 1; again detached 2 and detached 2 and detached 2 and detached 2; runs; writes nothing; settles duplicate
	`)
}

// I-03: two processes have a redelivered start. One process runs as many executions as an
// invocation may run, sends a wake for the next execution, and deletes the start. The other
// process, with its own delivery of the start, continues with that execution and dies before the
// dispatch. The wake finds nothing to do, and sends what the dead process did not send.
func TestAWakeThatFindsItsWorkDoneSendsWhatTheOtherProcessDidNot(t *testing.T) {
	t.Parallel()
	p := newDriver(t, continuesAndDetaches(3))
	p.settings.Turn.Executions = 2
	duplicates := p.received(2, start("s"))
	p.again(start("s"))
	p.dies = 1
	p.deliver(duplicates...)
	p.take(in(3, wire.Item{Kind: wire.Wake, Number: ContinueNumber, ID: "go-on", SchedulingEventID: 1}))
	p.expect(`
		start s×2 → runs; commits 1-3: Started Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; runs; commits 2-3: Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; wakes itself at event 1; settles recorded
		start s×2 → reads history 2; reads history 1; again detached 2 and detached 2; runs; commits 2-3: Chained(Other) Sub(go), sends detached 2; dies ahead of its dispatch; comes back: s
		wake go-on → reads history 2; reads history 1; again detached 2 and detached 2 and detached 2; runs; writes nothing; settles wake
	`)
}

// I-03: the same, but the slower process does only part of the work: it runs the inline activity of
// the wake, and dies before the dispatch while a second inline activity is open.
func TestAWakeThatFindsItsWorkStartedSendsWhatTheOtherProcessDidNot(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := inlines(1)(ctx, in); err != nil {
			return nil, err
		}
		step := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		if _, err := inlines(1)(ctx, in); err != nil {
			return nil, err
		}
		return ctx.Await(step)
	})
	duplicates := p.received(2, start("s"))
	p.left = p.settings.Turn.InlineTime / 2
	p.again(start("s"))
	p.left, p.dies = 0, 1
	p.deliver(duplicates...)
	p.take(in(1, wire.Item{Kind: wire.Wake, Number: ContinueNumber, ID: "go-on", SchedulingEventID: 2}))
	p.expect(`
		start s×2 → runs; commits 1-2: Started Act(Inline); wakes itself at event 2; settles recorded
		start s×2 → again nothing; runs; reads behind 3; runs inline Inline; runs; commits 3-5: Done←2 Act(Step) Act(Inline), sends activity 4; dies ahead of its dispatch; comes back: s
		wake go-on → again activity 4; runs; reads behind 6; runs inline Inline; runs; commits 6: Done←5; settles wake
	`)
}

// I-03: two wakes of an operator are received twice during a rollout. The process that received
// them last runs the broken code, marks the instance again, and acknowledges both wakes for both
// processes. The other process has the fixed code, but does not try these wakes again: if it died
// after its commit, nothing would send the messages of that commit. Found by seed 551366 with the
// bias "torn reads" of the simulation. A later wake is tried (seed 210020672, bias "damages").
func TestAWakeThatAnotherProcessTriedIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	p := newDriver(t, panics)
	p.take(start("s"))
	duplicates := p.received(1, wake(0, "before"), wake(0, "again"))
	p.again(wake(0, "before"), wake(0, "again"))
	p.deploy(chain(1))
	p.deliver(duplicates...)
	p.stands()
	p.take(wake(0, "before"), wake(0, "again"), wake(0, "behind"))
	p.expect(`
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		wake before×2, wake again×2 → again nothing; again nothing; runs; writes the record, marks panic; settles wake wake
		wake before, wake again → settles obsolete_wake; settles obsolete_wake; again nothing
		stands at execution 1, stuck, mark panic with stamp 2 after 2 tries
		wake before, wake again, wake behind → settles obsolete_wake; settles obsolete_wake; again nothing; runs; commits 2: Act(Step), clears the mark, sends activity 2; settles wake
	`)
}

// M-16, W-11: a message ends an execution as continued-as-new. Another process commits the first
// round of the next execution, and dies before its dispatch. The message lost the race for that
// commit, but it started the execution, so it sends the messages of the commit.
func TestAMessageThatLostToAnotherResendsWhatItStarted(t *testing.T) {
	t.Parallel()
	p := newDriver(t, continues(func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := inlines(1)(ctx, in); err != nil {
			return nil, err
		}
		return chain(1)(ctx, in)
	}))
	p.take(start("s"))
	loses := func(c *Commit) error {
		c.Turns[0].Token = "of the other process"
		if err := p.kept.Commit(t.Context(), store.Commit{Turns: c.Turns, Record: c.Change}); err != nil {
			t.Error(err)
		}
		return store.ErrConflict
	}
	p.committing = func(*Commit) error {
		p.committing = func(*Commit) error { p.committing = loses; return nil }
		return nil
	}
	p.take(event("e"))
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Act(Inline); runs inline Inline; runs; commits 3-4: Done←2 Act(Step), sends activity 4; has lost; reads behind 5; reads record again; reads history 1; again activity 4; runs; writes nothing; settles duplicate
	`)
}

// N-02, K-07: the instance continues as new between the read of its record and that of
// its history. A message for the instance is applied to the new execution.
func TestNoMessageIsLateIfItsInstanceContinuesAsNewWhileItIsRead(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, item := range []wire.Item{event("second"), cancel("c"), terminate("t")} {
		i := p.anew("", continues(waits("go")))
		i.take(start("s"))
		p.forget(1)
		i.described = func() { i.beside().take(event("first")) }
		i.take(item)
	}
	p.expect(`
		event second → …
			event first → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Sub(go); settles recorded
		… has lost; runs; commits 3-4: Ev(go) Completed; settles recorded
		cancel c → …
			event first → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Sub(go); settles recorded
		… has lost; runs; commits 3-4: CancelRequested Failed(cancelled), closes [2]; settles recorded
		terminate t → …
			event first → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Sub(go); settles recorded
		… has lost; commits 3: Failed(terminated); settles recorded
	`)
}

// W-03, W-05: an invocation runs one execution of a chain. Each redelivered message runs one more,
// and its process dies after the commit. Each message resends everything that followed from its
// fact, however many executions that includes.
func TestAMessageResendsExecutionsThatOthersRan(t *testing.T) {
	t.Parallel()
	const events = 4
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		if len(in) < events {
			return nil, ctx.ContinueAsNew("", append([]byte("1"), in...), nil)
		}
		return nil, detaches(ctx, "other")
	})
	p.settings.Turn.Executions = 1
	p.take(start("s"))
	var all []wire.Item
	for n := range events {
		all = append(all, event(fmt.Sprint("e", n)))
	}
	p.dies = 1
	p.take(all...)
	for n := range events - 1 {
		p.dies = 1
		p.again(all[n+1])
	}
	p.deliver(p.received(3, all...)...)
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e0, event e1, event e2, event e3 → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: e0 e1 e2 e3
		event e1×2 → reads history 1; again nothing; runs; commits 5-6: Sub(go) ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: e1
		event e2×2 → reads history 2; reads history 1; again nothing; runs; commits 4-5: Sub(go) ContinuedAsNew, goes on as new; dies ahead of its dispatch; comes back: e2
		event e3×2 → reads history 3; reads history 2; reads history 1; again nothing; runs; commits 3-5: Sub(go) Chained(Other) Completed, sends detached 4; dies ahead of its dispatch; comes back: e3
		event e0×3, event e1×3, event e2×3, event e3×3 → reads history 3; reads history 2; reads history 1; again detached 4; settles duplicate duplicate duplicate duplicate
	`)
}

// W-07: the queue moved a message to the dead-letter queue between its commit and its dispatch.
// Other messages continued the instance through two executions. When the message is redriven, it
// sends what it left unsent, in whichever execution that is.
func TestARedrivenMessageResendsItsTurnAfterOthersOvertookIt(t *testing.T) {
	t.Parallel()
	p := newDriver(t, behindGo(func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := detaches(ctx, "child-"+string(in)); err != nil || len(in) == 3 {
			return in, err
		}
		return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
	}))
	p.take(start("s"))
	p.dies = 1
	p.take(event("e1"))
	p.each(event("e2"), event("e3"))
	back := p.received(1, event("e1"))
	back[0].Attributes = map[string]string{wire.RedriveAttribute: "1"}
	p.deliver(back...)
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e1 → runs; commits 3-5: Ev(go) Chained(Other) ContinuedAsNew, sends detached 4, goes on as new; dies ahead of its dispatch; comes back: e1
		event e2 → runs; commits 2-5: Sub(go) Ev(go) Chained(Other) ContinuedAsNew, sends detached 4, goes on as new; runs; commits 2: Sub(go); settles recorded
		event e3 → runs; commits 3-5: Ev(go) Chained(Other) Completed, sends detached 4; settles recorded
		event e1 redriven → reads history 1; reads history 2; again detached 4 and detached 4 and detached 4; settles duplicate
	`)
}

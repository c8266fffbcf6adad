package deciding

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// by makes the start that of a child of this parent.
func by(parent string, i wire.Item) wire.Item {
	i.Parent = &wire.Parent{Instance: parent, ExecutionID: 1, EventID: 2}
	return i
}

// P-03: a parent may use the existing instance with the id, and waits for it as for a child. What
// the parent does to its own children does not affect that instance.
func TestP03AParentMayUseAnExistingInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	adopts := using(by("p", start("c")))

	i := p.anew("it runs: the parent is attached once, and notified of its end", waits("go"))
	i.each(start("s"), adopts)
	i.again(adopts)
	i.each(by("p", cancel("c")), by("p", terminate("t")), event("e"), adopts)
	i = p.anew("it was cancelled", waits("go"))
	i.each(start("s"), cancel("c"), adopts)
	i = p.anew("it was terminated", waits("go"))
	i.each(start("s"), terminate("t"), adopts)
	i = p.anew("it is terminated, and purged", waits("go"))
	i.each(start("s"), adopts)
	i.take(purges("p")...)
	i = p.anew("none has it", waits("go"))
	i.each(adopts, event("e"))

	i = p.anew("parents are carried over into each execution", continues(waits("go")))
	i.take(start("s"))
	i.take(adopts, using(by("q", start("d"))), event("e1"))
	i.take(using(by("r", start("f"))), event("e2"))

	i = p.anew("it is stuck, and continues", panics)
	i.each(start("s"), adopts)
	i.deploy(func(*engine.Context, []byte) ([]byte, error) { return nil, errors.New("mended, and fails") })
	i.take(wake(1, "w"))

	other := adopts
	other.Name = "Other"
	i = p.anew("another orchestration has it, or had it", waits("go"))
	i.each(start("s"), other, event("e"), other)
	i = p.anew("it would wait for itself", waits("go"))
	i.each(start("s"), using(by("a", start("c"))), event("e"), using(by("a", start("c"))))
	i = p.anew("it may not use it", waits("go"))
	i.each(start("s"), by("p", start("c")), event("e"), by("p", start("c")))
	p.expect(`
		# it runs: the parent is attached once, and notified of its end
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c → runs; commits 3: ParentAttached; settles recorded
		start c×2 → again nothing; runs; writes nothing; settles duplicate
		cancel c → settles misaddressed
		terminate t → settles misaddressed
		event e → runs; commits 4-5: Ev(go) Completed, sends parent; settles recorded
		start c → reads record; tells p, settles exists
		# it was cancelled
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2]; settles recorded
		start c → reads record; tells p cancelled, settles exists
		# it was terminated
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated); settles recorded
		start c → reads record; tells p terminated, settles exists
		# it is terminated, and purged
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c → runs; commits 3: ParentAttached; settles recorded
		terminate end-p, purge p → commits 4: Failed(terminated), sends parent; settles recorded; sends deletion, hides, settles purged
		# none has it
		start c → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed, sends parent; settles recorded
		# parents are carried over into each execution
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c, start d, event e1 → runs; commits 3-6: ParentAttached ParentAttached Ev(go) ContinuedAsNew, goes on as new; runs; commits 4: Sub(go); settles recorded recorded recorded
		start f, event e2 → runs; commits 5-7: ParentAttached Ev(go) Completed, sends parent and parent and parent; settles recorded recorded
		# it is stuck, and continues
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		start c → runs; commits 2 parked: ParentAttached; settles recorded
		wake w → again nothing; runs; commits 3: Failed(application), sends parent; settles wake
		# another orchestration has it, or had it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c → runs; writes nothing; reads record; tells p already_exists, settles exists
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start c → reads record; tells p already_exists, settles exists
		# it would wait for itself
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c → runs; writes nothing; tells a already_exists, settles exists
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start c → tells a already_exists, settles exists
		# it may not use it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start c → runs; writes nothing; tells p already_exists, settles exists
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start c → tells p already_exists, settles exists
	`)
}

// An event in a start reaches the existing instance once. The start raises no events if it may not
// use the instance, or if nothing could receive them.
func TestAStartRaisesItsEventsForAnExistingInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	with := func(id string, events ...string) wire.Item {
		i := using(start(id))
		for _, e := range events {
			i.Events = append(i.Events, wire.StartEvent{ID: id + e, Name: "go", Data: []byte("1")})
		}
		return i
	}
	two := with("second", "1", "2")

	i := p.anew("it runs", waits("go", "go"))
	i.each(start("s"), two)
	i = p.anew("none has it", waits("go", "go"))
	i.take(two)
	i = p.anew("another start wins in the same batch", waits("go", "go"))
	i.take(start("s"), two)
	i = p.anew("the start arrives twice", waits("go", "go"))
	i.each(start("s"), with("second", "1"))
	i.again(with("second", "1"))
	i = p.anew("its own start arrives twice", waits("go", "go"))
	i.take(with("s", "1"))
	i.again(with("s", "1"))
	i.take(with("s", "1"))
	i = p.anew("it is stuck", panics)
	i.each(start("s"), two)

	refuse := two
	refuse.OnConflict = wire.ConflictRefuse
	other := two
	other.Name = "Other"
	i = p.anew("it may not", waits("go", "go"))
	i.each(start("s"), refuse, other, with("third"))
	i = p.anew("it has ended", waits())
	i.each(start("s"), two)
	p.expect(`
		# it runs
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start second → runs; commits 3-6: Ev(go) Sub(go) Ev(go) Completed; settles recorded recorded; settles exists
		# none has it
		start second → runs; commits 1-6: Started Ev(go) Ev(go) Sub(go) Sub(go) Completed; settles recorded
		# another start wins in the same batch
		start s, start second → runs; commits 1-6: Started Sub(go) Ev(go) Sub(go) Ev(go) Completed; settles recorded recorded recorded; settles exists
		# the start arrives twice
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start second → runs; commits 3-4: Ev(go) Sub(go); settles recorded; settles exists
		start second×2 → again nothing; runs; writes nothing; settles duplicate; settles exists
		# its own start arrives twice
		start s → runs; commits 1-4: Started Ev(go) Sub(go) Sub(go); settles recorded
		start s×2 → again nothing; runs; writes nothing; settles duplicate
		start s → runs; writes nothing; settles duplicate
		# it is stuck
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		start second → runs; commits 2-3 parked: Ev(go) Ev(go); settles recorded recorded; settles exists
		# it may not
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start second → runs; writes nothing; settles exists
		start second → runs; writes nothing; settles exists
		start third → runs; writes nothing; settles exists
		# it has ended
		start s → runs; commits 1-2: Started Completed; settles recorded
		start second → settles exists
	`)
}

// M-07: an event that arrives before its start is requeued for the length of the window. An event
// in the batch of the start is handled after the start, and after the events that the start
// contains.
func TestM07EarlyEvents(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("before it", waits("go"))
	early := event("e")
	i.each(early)
	early.Hops, early.FirstSeenMS, early.SentMS = 3, startedAt.UnixMilli(), startedAt.UnixMilli()
	i.take(early)
	i.now = startedAt.Add(i.settings.Messages.EarlyWindow)
	i.take(early)
	i = p.anew("in one batch with it", waits("go", "f", "go"))
	brings := start("s")
	brings.Events = []wire.StartEvent{{ID: "1", Name: "go", Data: []byte("1")}, {ID: "2", Name: "f", Data: []byte("2")}}
	i.take(event("e"), brings)
	i.stands()
	p.expect(`
		# before it
		event e → settles early round
		event e → settles early round
		event e → settles dead unknown_instance
		# in one batch with it
		event e, start s → runs; commits 1-8: Started Ev(go) Ev(f) Sub(go) Sub(f) Sub(go) Ev(go) Completed; settles recorded recorded
		stands at execution 1, completed with [1,2,1]
	`)
}

// M-09, V-02: an orchestration that is not registered is started, and is stuck until its version is
// deployed; no other version is tried.
func TestM09AStartOfAnUnregisteredOrchestration(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	old := func(o *engine.Orchestration) { o.Version = "1.0" }
	i := p.anew("", waits("go"))
	versioned := start("s")
	versioned.OrchVersion = "1.0"
	i.take(versioned)
	i.stands()
	i.deploy(waits("go"), old)
	i.take(wake(1, "w"))
	i.deploy(panics)
	i.take(event("e"))
	i.stands()
	i.deploy(waits("go"), old)
	i.take(wake(i.record().Stamp, "w2"))
	i = p.anew("the newest version is pinned", waits("go"))
	i.deploy(waits("go"), old)
	i.take(start("s"))
	i.deploy(panics)
	i.take(event("e"))
	p.expect(`
		start s → runs; commits 1 parked: Started, marks not_registered; settles recorded
		stands at execution 1, stuck, mark not_registered with stamp 1 after 1 tries
		wake w → again nothing; runs; commits 2: Sub(go), clears the mark; settles wake
		event e → runs; commits 3 parked: Ev(go), marks not_registered; settles recorded
		stands at execution 1, stuck, mark not_registered with stamp 3 after 1 tries
		wake w2 → again nothing; runs; commits 4: Completed; settles wake
		# the newest version is pinned
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3 parked: Ev(go), marks not_registered; settles recorded
	`)
}

// M-02: completions are recorded in the order of arrival. M-01: a completion that arrives twice
// counts once. K-08: a completion and a cancel are recorded in the order of arrival too. E-04: of
// two events with the same sender id, one counts.
func TestM02CompletionsAreRecordedInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "A", Input: in}), ctx.Activity(engine.ActivityCall{Name: "B", Input: in}))
		return in, err
	})
	i.take(start("s"))
	i.take(result(3), result(2))
	i = p.anew("twice", chain(2))
	i.each(start("s"), result(2), result(2))
	i.take(result(4), result(4))
	i = p.anew("a completion before a cancel", chain(2))
	i.take(start("s"))
	i.take(result(2), cancel("c"))
	i = p.anew("and after it", chain(2))
	i.take(start("s"))
	i.take(cancel("c"), result(2))
	i = p.anew("three cancels", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		_, err := ctx.Await(ctx.ExternalEvent("never"))
		clean := ctx.Shield()
		if _, e := clean.Await(clean.ExternalEvent("go")); e != nil {
			return nil, e
		}
		return nil, err
	})
	i.each(start("s"), cancel("1"), cancel("2"), cancel("3"), event("e"), cancel("4"))
	i = p.anew("one sender's id", waits("go", "go"))
	i.take(start("s"))
	i.take(event("e"), event("e"))
	i.take(event("e"))
	i = p.anew("E-08: the same across a continue-as-new", continues(waits("go")))
	i.each(start("s"), event("e"), event("e"))
	i.again(event("e"))
	i = p.anew("N-03: nothing of an earlier execution reaches the next", func(ctx *engine.Context, in []byte) ([]byte, error) {
		slow := ctx.Activity(engine.ActivityCall{Name: "Slow", Input: in})
		if string(in) == "1" {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		}
		return ctx.Await(slow)
	})
	i.each(start("s"), event("e"), result(2), in(2, result(2)))
	p.expect(`
		start s → runs; commits 1-3: Started Act(A) Act(B), sends activity 2 and activity 3; settles recorded
		result of 3, result of 2 → runs; commits 4-6: Done←3 Done←2 Completed; settles recorded recorded
		# twice
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		result of 2 → runs; writes nothing; settles duplicate
		result of 4, result of 4 → runs; commits 5-6: Done←4 Completed; settles recorded duplicate
		# a completion before a cancel
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2, cancel c → runs; commits 3-6: Done←2 Act(Step) CancelRequested Failed(cancelled), closes [4]; settles recorded recorded
		# and after it
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		cancel c, result of 2 → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2], sends stop 2; settles recorded late
		# three cancels
		start s → runs; commits 1-2: Started Sub(never); settles recorded
		cancel 1 → runs; commits 3-4: CancelRequested Sub(go), closes [2]; settles recorded
		cancel 2 → runs; writes nothing; settles duplicate
		cancel 3 → runs; writes nothing; settles duplicate
		event e → runs; commits 5-6: Ev(go) Failed(cancelled); settles recorded
		cancel 4 → settles late
		# one sender's id
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e, event e → runs; commits 3-4: Ev(go) Sub(go); settles recorded duplicate
		event e → runs; writes nothing; settles duplicate
		# E-08: the same across a continue-as-new
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) ContinuedAsNew, goes on as new; runs; commits 2: Sub(go); settles recorded
		event e → runs; writes nothing; settles duplicate
		event e×2 → reads history 1; again nothing; runs; writes nothing; settles duplicate
		# N-03: nothing of an earlier execution reaches the next
		start s → runs; commits 1-3: Started Act(Slow) Sub(go), sends activity 2; settles recorded
		event e → runs; commits 4-5: Ev(go) ContinuedAsNew, closes [2], sends stop 2, goes on as new; runs; commits 2: Act(Slow), sends activity 2; settles recorded
		result of 2 → settles late
		result of 2 → runs; commits 3-4: Done←2 Completed; settles recorded
	`)
}

// K-07: a stuck instance is terminated without running its code. K-05: if a cancel follows the
// start in one batch, operations that the turn both scheduled and cancelled are not sent. L-03: an
// instance whose history reaches its limit fails. L-07: so does an instance in a loop, if loops are
// set to fail.
func TestK07EachWayToEndAnInstance(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("a terminate of a stuck instance", panics)
	i.each(start("s"), terminate("t"))
	if m := i.record().Failure.Message; m != "terminated" {
		t.Errorf("it was terminated with the reason %q", m)
	}
	i.stands()
	i = p.anew("a reason that is given", waits("go"))
	enough := terminate("t")
	enough.Reason = "enough"
	i.each(start("s"), enough)
	if m := i.record().Failure.Message; m != "enough" {
		t.Errorf("it was terminated with the reason %q", m)
	}
	i = p.anew("a cancel after the start", chain(1))
	i.take(start("s"), cancel("c"))
	i = p.anew("a history with as many events as it may have: a duplicate ends nothing, news does", waits("go", "go", "go"))
	i.settings.Limits.Events = 4
	i.each(start("s"), event("e"), event("e"), wake(9, "w"), event("e2"))
	i.stands()
	i = p.anew("a history with as many bytes as it may have, and a wake", waits("go", "go"))
	i.settings.Limits.Bytes = 1
	i.each(start("s"), wake(0, "w"))
	i.stands()
	i = p.anew("no limit", waits("go", "go"))
	i.settings.Limits.Events, i.settings.Limits.Bytes = -1, -1
	i.each(start("s"), event("e"), event("e2"))
	i = p.anew("a loop that is to fail", waits("go", "go"))
	i.settings.Loop = loops(true)
	deep := event("deep")
	deep.Depth = 50
	i.each(start("s"), event("fresh"), deep)
	i.stands()
	i = p.anew("a loop that continues as new is interrupted", continuesAndDetaches(9))
	i.settings.Loop = loops(false)
	deep = start("s")
	deep.Depth = 50
	i.take(deep)
	p.expect(`
		# a terminate of a stuck instance
		start s → runs; commits 1 parked: Started, marks panic; settles recorded
		terminate t → commits 2: Failed(terminated); settles recorded
		stands at execution 1, terminated of terminated
		# a reason that is given
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated); settles recorded
		# a cancel after the start
		start s, cancel c → runs; commits 1-4: Started Act(Step) CancelRequested Failed(cancelled), closes [2]; settles recorded recorded
		# a history with as many events as it may have: a duplicate ends nothing, news does
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Sub(go); settles recorded
		event e → runs; writes nothing; settles duplicate
		wake w → reads behind 5; reads record again; again nothing; again nothing; records; commits 5: Failed(limit); settles wake
		event e2 → settles late
		stands at execution 1, failed of limit
		# a history with as many bytes as it may have, and a wake
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		wake w → again nothing; records; commits 3: Failed(limit); settles wake
		stands at execution 1, failed of limit
		# no limit
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Sub(go); settles recorded
		event e2 → runs; commits 5-6: Ev(go) Completed; settles recorded
		# a loop that is to fail
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event fresh → runs; commits 3-4: Ev(go) Sub(go); settles recorded
		event deep → records; commits 5-6: Ev(go) Failed(limit); says looping failed; settles recorded
		stands at execution 1, failed of limit
		# a loop that continues as new is interrupted
		start s → runs; commits 1-3: Started Chained(Other) ContinuedAsNew, sends detached 2, goes on as new; wakes itself at event 1; settles recorded
	`)
}

// V-04, V-05: a history with a patch that this build does not have is left to other builds for the
// length of the window; after that, the instance is stuck.
func TestV05APatchWhoseCodeIsGoneIsStuckAfterItsWindow(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Patched("p"); err != nil {
			return nil, err
		}
		return waits("go", "go")(ctx, in)
	})
	p.take(start("s"))
	p.deploy(waits("go", "go"))
	round := event("e")
	p.take(round)
	round.Hops, round.FirstSeenMS = 1, startedAt.UnixMilli()
	p.take(round)
	p.now = p.now.Add(p.settings.Messages.PatchWindow)
	p.take(round)
	if since := time.UnixMilli(p.record().Problem.SinceMS); !since.Equal(p.now.Add(-time.Minute)) {
		t.Errorf("it is stuck since %s, and it is %s", since, p.now)
	}
	p.stands()
	p.take(event("e2"))
	p.expect(`
		start s → runs; commits 1-3: Started SystemCall Sub(go); settles recorded
		event e → runs; is for a build with the patch "p"; comes back: e
		event e → runs; is for a build with the patch "p"; comes back: e
		event e → runs; commits 4 parked: Ev(go), marks nondeterminism; settles recorded
		stands at execution 1, stuck, mark nondeterminism with stamp 1 after 1 tries
		event e2 → runs; commits 5 parked: Ev(go); settles recorded
	`)
}

// A start records an actor, headers and a fairness group in the history. Search attributes and the
// custom status follow the commits, and a status that changes back to an earlier value is written
// again.
func TestO03StatesFollowTheCommits(t *testing.T) {
	t.Parallel()
	set := func(ctx *engine.Context, step string) error {
		ctx.SetState(history.ListedState, []byte(`"`+step+`"`))
		return ctx.SetSearchAttributes(history.SearchAttributes{"step": history.SearchTextOf(step)})
	}
	p := newDriver(t, func(ctx *engine.Context, _ []byte) ([]byte, error) {
		for _, step := range []string{"a", "b", "a"} {
			if err := set(ctx, step); err != nil {
				return nil, err
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	s := start("s")
	s.Actor, s.Headers, s.FairnessGroup = "ada", map[string]string{"k": "v"}, "tenant"
	p.take(s)
	p.stands()
	p.committing = func(*Commit) error { return store.ErrUnavailable }
	p.take(event("lost"))
	p.stands()
	p.described = func() { p.beside().take(event("first")) }
	p.take(event("second"))
	p.stands()
	turns, err := p.kept.Read(t.Context(), "a", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if e := turns[0].Events[0]; e.Actor != "ada" || e.Start.Headers["k"] != "v" || e.Start.FairnessGroup != "tenant" {
		t.Errorf("it begins with %+v of %+v", e.Start, e)
	}
	if got := p.record().SearchAttributes.String(); got != `step = "a"` {
		t.Errorf("it is found by %s", got)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		stands at execution 1, running, status "a"
		event lost → runs; commits 3-4: Ev(go) Sub(go); store: unavailable, try again; comes back: lost
		stands at execution 1, running, status "a"
		event second → …
			event first → runs; commits 3-4: Ev(go) Sub(go); settles recorded
		… runs; commits 5-6: Ev(go) Sub(go); settles recorded
		stands at execution 1, running, status "a"
	`)
}

// Results of inline activities share a commit, up to the batch size; an event that arrives
// meanwhile is recorded after them. If a turn is short of time, its messages are recorded, and a
// wake continues the turn.
func TestResultsOfInlineActivitiesShareCommits(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	batched := func(n int) engine.Func {
		return func(ctx *engine.Context, in []byte) ([]byte, error) {
			for range 3 {
				if _, err := ctx.Inline(engine.ActivityCall{Name: "In", Input: in, Retry: &history.Retry{Batch: n}}); err != nil {
					return nil, err
				}
			}
			return waits("go")(ctx, in)
		}
	}
	for _, n := range []int{0, 2, 10} {
		i := p.anew("", batched(n))
		i.take(start("s"), event("e"))
		i = p.anew("short of time", batched(n))
		i.left = i.settings.Turn.InlineTime - time.Second
		i.take(start("s"), event("e"))
	}
	p.expect(`
		start s, event e → runs; commits 1-2: Started Act(In); runs inline In; runs; commits 3-4: Done←2 Act(In); runs inline In; runs; commits 5-6: Done←4 Act(In); runs inline In; runs; commits 7-10: Done←6 Sub(go) Ev(go) Completed; settles recorded recorded
		# short of time
		start s, event e → runs; records; commits 1-3 parked: Started Act(In) Ev(go); wakes itself at event 3; settles recorded recorded
		start s, event e → runs; commits 1-2: Started Act(In); runs inline In; runs; runs inline In; runs; commits 3-6: Done←2 Act(In) Done←4 Act(In); runs inline In; runs; commits 7-10: Done←6 Sub(go) Ev(go) Completed; settles recorded recorded
		# short of time
		start s, event e → runs; records; commits 1-3 parked: Started Act(In) Ev(go); wakes itself at event 3; settles recorded recorded
		start s, event e → runs; commits 1-2: Started Act(In); runs inline In; runs; runs inline In; runs; runs inline In; runs; commits 3-10: Done←2 Act(In) Done←4 Act(In) Done←6 Sub(go) Ev(go) Completed; settles recorded recorded
		# short of time
		start s, event e → runs; records; commits 1-3 parked: Started Act(In) Ev(go); wakes itself at event 3; settles recorded recorded
	`)
}

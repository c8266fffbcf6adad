package deciding

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// failed is the failure of the activity of an event.
func failed(of int64) wire.Item {
	return wire.Item{Kind: wire.ActivityFailed, ExecutionID: 1, SourceEventID: of, Attempt: 1, Details: &wire.Failure{Kind: history.FailureApplication, Attempt: 1, Message: "broken"}}
}

// goesOnBy is a redrive by that start.
func goesOnBy(id string, from int64) wire.Item {
	i := redrive(history.Origin{EventID: from})
	i.ID = id
	return i
}

// O-10: what ends a redriven child waits for the start that redrives it, for as long as that may
// take, and ends nothing that another execution of the parent has started.
func TestO10WhatEndsARedrivenChildMayComeAheadOfItsStart(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nil)
	by := func(execution int64, item wire.Item) wire.Item {
		item = ofParent(item)
		item.Parent.ExecutionID, item.FirstSeenMS, item.SentMS = execution, p.now.UnixMilli(), p.now.UnixMilli()
		return item
	}
	redriven := by(2, goesOnBy("child", 0))
	redriven.OnConflict = wire.ConflictUseOrRedrive
	i := p.anew("it overtakes the start, goes round, and finds the child", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(2, cancel("c")))
	i.again(by(2, cancel("c")))
	i.again(by(2, terminate("e")))
	i.each(redriven, by(2, cancel("c")))

	i = p.anew("no start comes", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(2, cancel("c")))
	i.now = i.now.Add(i.settings.Messages.EarlyWindow)
	i.each(by(2, cancel("c")))

	i = p.anew("it is of the execution that the child is of", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(1, cancel("c")))
	p.expect(`
		# it overtakes the start, goes round, and finds the child
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		cancel c → settles early round
		cancel c×2 → again parent; settles early round
		terminate e×2 → again parent; settles early round
		start child → begins 2 again; runs; commits 1-3: Started Sub(go) Redriven; settles recorded
		cancel c → runs; commits 4-5: CancelRequested Failed(cancelled), closes [2], sends parent; settles recorded
		# no start comes
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		cancel c → settles early round
		cancel c → settles late
		# it is of the execution that the child is of
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		cancel c → settles late
	`)
}

// O-10: a child that goes on while its parent is redriven is a child of the parent's next execution, which
// can end it. Another execution that only uses it, as one that has continued as new may, cannot.
func TestO10ARedrivenParentEndsTheChildThatItHadStartedBefore(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nil)
	by := func(execution int64, item wire.Item) wire.Item {
		item = ofParent(item)
		item.Parent.ExecutionID, item.FirstSeenMS, item.SentMS = execution, p.now.UnixMilli(), p.now.UnixMilli()
		return item
	}
	// since is the first of the executions that have taken the start of the child over.
	since := func(execution int64, item wire.Item) wire.Item {
		item.Origin = &history.Origin{ExecutionID: execution}
		return item
	}
	attaches := by(2, goesOnBy("child", 0))
	attaches.OnConflict = wire.ConflictUseOrRedrive
	uses := by(2, start("other"))
	uses.OnConflict = wire.ConflictUseExisting
	i := p.anew("it cancels it", waits("go"))
	i.each(by(1, start("s")), attaches, since(1, by(2, cancel("c"))))
	i = p.anew("it terminates it, redriven twice", waits("go"))
	attaches3 := by(3, goesOnBy("child3", 0))
	attaches3.OnConflict = wire.ConflictUseOrRedrive
	i.each(by(1, start("s")), attaches, attaches3, since(1, by(3, terminate("t"))))
	i = p.anew("both in one batch", waits("go"))
	i.each(by(1, start("s")))
	i.take(attaches, since(1, by(2, cancel("c"))))
	i = p.anew("the cancel overtakes the start", waits("go"))
	i.each(by(1, start("s")), since(1, by(2, cancel("c"))), since(1, by(2, terminate("t"))), attaches)
	i.again(since(1, by(2, cancel("c"))))
	i = p.anew("no start comes", waits("go"))
	i.each(by(1, start("s")), since(1, by(2, cancel("c"))))
	i.now = i.now.Add(i.settings.Messages.EarlyWindow)
	i.each(since(1, by(2, cancel("c"))))
	i = p.anew("it cancelled it where it took its start over", waits("go"))
	alone := since(1, by(2, cancel("c")))
	alone.Origin.EventID = 1
	i.each(by(1, start("s")), alone)
	i.again(alone)
	i = p.anew("so it did, and the child has ended meanwhile", waits("go"))
	i.each(by(1, start("s")), terminate("t"), alone)
	i = p.anew("an execution that has continued as new only uses it", waits("go"))
	i.each(by(1, start("s")), uses, by(2, cancel("c")), since(2, by(2, cancel("d"))))
	p.expect(`
		# it cancels it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start child → runs; commits 3: ParentAttached; settles recorded
		cancel c → runs; commits 4-5: CancelRequested Failed(cancelled), closes [2], sends parent and parent; settles recorded
		# it terminates it, redriven twice
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start child → runs; commits 3: ParentAttached; settles recorded
		start child3 → runs; commits 4: ParentAttached; settles recorded
		terminate t → commits 5: Failed(terminated), sends parent and parent and parent; settles recorded
		# both in one batch
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start child, cancel c → runs; commits 3: ParentAttached; settles recorded; acknowledges that; runs; commits 4-5: CancelRequested Failed(cancelled), closes [2], sends parent and parent; settles recorded
		# the cancel overtakes the start
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → settles early round
		terminate t → settles early round
		start child → runs; commits 3: ParentAttached; settles recorded
		cancel c×2 → again nothing; runs; commits 4-5: CancelRequested Failed(cancelled), closes [2], sends parent and parent; settles recorded
		# no start comes
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → settles early round
		cancel c → settles misaddressed
		# it cancelled it where it took its start over
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → runs; commits 3-4: CancelRequested Failed(cancelled), closes [2], sends parent; settles recorded
		cancel c×2 → again parent; settles duplicate
		# so it did, and the child has ended meanwhile
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		cancel c → settles late
		# an execution that has continued as new only uses it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start other → runs; commits 3: ParentAttached; settles recorded
		cancel c → settles misaddressed
		cancel d → settles misaddressed
	`)
}

// O-10: what completed stays, what failed is begun anew, and a repeat begins nothing.
func TestO10ARedriveGoesOnWhereTheInstanceFailed(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nil)
	i := p.anew("", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := ctx.SetSearchAttributes(history.SearchAttributes{"lane": history.SearchNumberOf(7)}); err != nil {
			return nil, err
		}
		if err := ctx.SetCustomStatus([]byte(`"packing"`)); err != nil {
			return nil, err
		}
		return chain(3)(ctx, in)
	})
	i.each(start("s"), result(2), result(4), failed(6))
	i.now = i.now.Add(day)
	i.take(goesOnBy("r1", 0))
	if r := i.record(); r.FirstExecution != 1 || r.StartID != "r1" || r.SearchAttributes["lane"] != history.SearchNumberOf(7) || r.Origin == nil || r.Origin.ExecutionID != 1 || r.Origin.EventID != 6 {
		t.Errorf("the record is %+v", r)
	}
	i.each(goesOnBy("r1", 0), in(2, result(6)))
	i.stands()

	i = p.anew("from an event: its round happens again", chain(3))
	i.each(start("s"), result(2), result(4), result(6))
	p.forget(4)
	i.each(goesOnBy("r1", 5), in(2, result(4)), in(2, result(7)), goesOnBy("r2", 3), in(3, result(2)), in(3, result(5)), in(3, result(7)), goesOnBy("r3", 2))

	i = p.anew("what completed beside a failure stays completed", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		return in, err
	})
	i.each(start("s"), failed(2), result(3), goesOnBy("r", 0))

	i = p.anew("what was open keeps its links", activity(nil))
	i.each(start("s"), terminate("t"), goesOnBy("r", 0), result(2))

	i = p.anew("what was out of time may still come", activity(&history.Retry{TotalTimeoutMS: 60_000}))
	i.each(start("s"), pending(1), goesOnBy("r", 0), result(2))

	i = p.anew("what was sent to others is not sent again, and a timer goes on", func(ctx *engine.Context, in []byte) ([]byte, error) {
		timer := ctx.Timer(10 * time.Hour)
		if err := ctx.RaiseEvent("other", "told", in, nil); err != nil {
			return nil, err
		}
		if _, err := chain(1)(ctx, in); err != nil {
			return nil, err
		}
		return ctx.Await(timer)
	})
	i.each(start("s"), failed(4), goesOnBy("r", 0))

	i = p.anew("its process dies: the instance is as it was, or the redrive sends what is open", chain(1))
	i.each(start("s"), failed(2))
	i.dies = 1
	i.take(goesOnBy("r", 0))
	i.again(goesOnBy("r", 0))
	p.expect(`
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		result of 4 → runs; commits 5-6: Done←4 Act(Step), sends activity 6; settles recorded
		failure of 6 → runs; commits 7-8: Failed(application)←6 Failed(application); settles recorded
		start r1 → begins 2 again; runs; commits 1-7: Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Redriven, sends activity 6; settles recorded
		start r1 → runs; writes nothing; settles duplicate
		result of 6 → runs; commits 8-9: Done←6 Completed; settles recorded
		stands at execution 2, completed with 1, status "packing"
		# from an event: its round happens again
		start r1 → begins 2 again; runs; commits 1-5: Started Act(Step) Done←2 Act(Step) Redriven, sends activity 4; settles recorded
		result of 4 → runs; commits 6-7: Done←4 Act(Step), sends activity 7; settles recorded
		result of 7 → runs; commits 8-9: Done←7 Completed; settles recorded
		start r2 → begins 3 again; runs; commits 1-3: Started Act(Step) Redriven, sends activity 2; settles recorded
		result of 2 → runs; commits 4-5: Done←2 Act(Step), sends activity 5; settles recorded
		result of 5 → runs; commits 6-7: Done←5 Act(Step), sends activity 7; settles recorded
		result of 7 → runs; commits 8-9: Done←7 Completed; settles recorded
		start r3 → begins 4 again; runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		# what completed beside a failure stays completed
		start s → runs; commits 1-3: Started Act(Step) Act(Step), sends activity 2 and activity 3; settles recorded
		failure of 2 → runs; commits 4: Failed(application)←2; settles recorded
		result of 3 → runs; commits 5-6: Done←3 Failed(application); settles recorded
		start r → begins 2 again; runs; commits 1-5: Started Act(Step) Act(Step) Redriven Done←3, sends activity 2; settles recorded
		# what was open keeps its links
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		terminate t → commits 3: Failed(terminated), closes [2], sends stop 2; settles recorded
		start r → begins 2 again; runs; commits 1-3: Started Act(Work) Redriven, sends activity 2; settles recorded
		result of 2 → runs; commits 4-5: Done←2 Completed; settles recorded
		# what was out of time may still come
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 Failed(total_timeout); settles recorded
		start r → begins 2 again; runs; commits 1-3: Started Act(Work) Redriven, sends activity 2; settles recorded
		result of 2 → runs; commits 4-5: Done←2 Completed; settles recorded
		# what was sent to others is not sent again, and a timer goes on
		start s → runs; commits 1-4: Started Timer SystemCall Act(Step), sends timer 2 and ExternalRaised 3 and activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application), closes [2]; settles recorded
		start r → begins 2 again; runs; commits 1-5: Started Timer SystemCall Act(Step) Redriven, sends timer 2 and activity 4; settles recorded
		# its process dies: the instance is as it was, or the redrive sends what is open
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r → begins 2 again; runs; commits 1-3: Started Act(Step) Redriven, sends activity 2; dies ahead of its dispatch; comes back: r
		start r×2 → again activity 2; runs; writes nothing; settles duplicate
	`)
}

// An orchestration that fails where it would be stuck has failed already: a redrive that its code
// contradicts is refused as any other, so the failure that is there stays and the redrive can come again.
// Where the code comes to disagree behind what was taken over, the next execution fails.
func TestO10ARedriveThatTheCodeContradictsIsRefusedWhereItFailsWhenStuck(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nil)
	fails := func(o *engine.Orchestration) { o.FailWhenStuck = true }
	for _, parent := range []bool{false, true} {
		i := p.anew("", chain(2))
		i.each(start("s"), result(2), failed(4))
		i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) { return activity(nil)(ctx, in) }, fails)
		r := goesOnBy("r", 0)
		if parent {
			r = ofParent(r)
		}
		i.take(r, event("late"))
		i.stands()
	}
	i := p.anew("the code agrees with it, and panics behind it", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := chain(2)(ctx, in)
		panic(err)
	}, fails)
	i.each(goesOnBy("r", 0), in(2, result(4)))
	i.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; runs; reads behind 1; settles dead redrive_refused; acknowledges that; settles late
		stands at execution 1, failed of application
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; runs; reads behind 1; tells parent stuck, settles redrive_refused; acknowledges that; settles late
		stands at execution 1, failed of application
		# the code agrees with it, and panics behind it
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r → begins 2 again; runs; commits 1-5: Started Act(Step) Done←2 Act(Step) Redriven, sends activity 4; settles recorded
		result of 4 → runs; commits 6-7: Done←4 Failed(panic); settles recorded
		stands at execution 2, failed of panic
	`)
}

// The code that is deployed disagrees with what is to be taken over: nothing is changed, and what
// follows the redrive comes back. For its parent it goes on all the same, and is stuck.
func TestO10ARedriveThatTheCodeContradictsIsRefused(t *testing.T) {
	t.Parallel()
	p := newPlay(t, nil)
	for _, parent := range []bool{false, true} {
		i := p.anew("", chain(2))
		i.each(start("s"), result(2), failed(4))
		i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) { return activity(nil)(ctx, in) })
		r := goesOnBy("r", 0)
		if parent {
			r = ofParent(r)
		}
		i.take(r, event("late"))
		i.stands()
	}
	i := p.anew("an earlier delivery's commit may land late: it looks once more", chain(2))
	i.each(start("s"), result(2), failed(4))
	land := i.late()
	i.take(goesOnBy("r", 0))
	i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) { return activity(nil)(ctx, in) })
	i.again(goesOnBy("r", 0))
	i.lands(land)
	i.deploy(chain(2))
	round := goesOnBy("r", 0)
	round.Hops++
	i.take(round)
	i.stands()
	i = p.anew("the queue has given it up, and it was sent again", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) { return activity(nil)(ctx, in) })
	for _, mark := range []string{"1", inbox.HopMark} {
		back := i.received(1, goesOnBy("r", 0))
		back[0].Attributes = map[string]string{wire.RedriveAttribute: mark}
		i.deliver(back...)
	}
	i.stands()
	i = p.anew("nothing failed, for a parent", waits("go"))
	i.each(start("s"), event("e"), ofParent(goesOnBy("r", 0)))
	i = p.anew("it uses what has completed", waits("go"))
	i.each(start("s"), event("e"))
	uses := ofParent(goesOnBy("r", 0))
	uses.OnConflict = wire.ConflictUseOrRedrive
	i.take(uses)
	i = p.anew("it takes over more than a commit holds", chain(1))
	i.each(start("s"), failed(2))
	i.committing = func(*Commit) error { return tooLargeError() }
	i.take(goesOnBy("r", 0))
	i.stands()
	p.expect(`
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; runs; reads behind 1; settles dead redrive_refused; acknowledges that; settles late
		stands at execution 1, failed of application
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; runs; commits 1-6 parked: Started Act(Step) Done←2 Act(Step) Redriven Ev(go), marks nondeterminism, sends activity 4; settles recorded recorded
		stands at execution 2, stuck, mark nondeterminism with stamp 1 after 1 tries
		# an earlier delivery's commit may land late: it looks once more
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r → begins 2 again; runs; commits 1-5: Started Act(Step) Done←2 Act(Step) Redriven, sends activity 4; store: outcome of the write is unknown; comes back: r
		start r×2 → again nothing; begins 2 again; runs; reads behind 1; settles redrive_refused round
		the late write lands
		start r → reads behind 6; reads record again; reads history 1; again activity 4; runs; writes nothing; settles duplicate
		stands at execution 2, running
		# the queue has given it up, and it was sent again
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r redriven → again nothing; begins 2 again; runs; reads behind 1; settles redrive_refused round
		start r redriven → again nothing; begins 2 again; runs; reads behind 1; settles dead redrive_refused
		stands at execution 1, failed of application
		# nothing failed, for a parent
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start r → reads behind 1; tells parent stuck, settles redrive_refused
		# it uses what has completed
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start r → reads record; tells parent, settles exists
		# it takes over more than a commit holds
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r → begins 2 again; runs; commits 1-3: Started Act(Step) Redriven, sends activity 2; is too large; reads behind 1; settles dead too_large
		stands at execution 1, failed of application
	`)
}

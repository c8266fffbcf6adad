package deciding

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// failed returns the failure of the activity that an event scheduled.
func failed(of int64) wire.Item {
	return wire.Item{Kind: wire.ActivityFailed, ExecutionID: 1, SourceEventID: of, Attempt: 1, Details: &wire.Failure{Kind: history.FailureApplication, Attempt: 1, Message: "broken"}}
}

// continuesBy returns a redrive with that start.
func continuesBy(id string, from int64) wire.Item {
	i := redrive(history.Origin{EventID: from})
	i.ID = id
	return i
}

// O-10: a request to end a redriven child waits for the start that redrives the child, however long
// that takes. It does not end a child that another execution of the parent started.
func TestO10ARequestToEndARedrivenChildMayOvertakeItsStart(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	by := func(execution int64, item wire.Item) wire.Item {
		item = ofParent(item)
		item.Parent.ExecutionID, item.FirstSeenMS, item.SentMS = execution, p.now.UnixMilli(), p.now.UnixMilli()
		return item
	}
	redriven := by(2, continuesBy("child", 0))
	redriven.OnConflict = wire.ConflictUseOrRedrive
	i := p.anew("it overtakes the start, is requeued, and finds the child", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(2, cancel("c")))
	i.again(by(2, cancel("c")))
	i.again(by(2, terminate("e")))
	i.each(redriven, by(2, cancel("c")))

	i = p.anew("no start arrives", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(2, cancel("c")))
	i.now = i.now.Add(i.settings.Messages.EarlyWindow)
	i.each(by(2, cancel("c")))

	i = p.anew("it is of the execution that the child is of", waits("go"))
	i.each(by(1, start("s")), terminate("t"), by(1, cancel("c")))
	p.expect(`
		# it overtakes the start, is requeued, and finds the child
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		terminate t → commits 3: Failed(terminated), sends parent; settles recorded
		cancel c → settles early round
		cancel c×2 → again parent; settles early round
		terminate e×2 → again parent; settles early round
		start child → begins 2 again; records; commits 1-3 parked: Started Sub(go) Redriven; runs; commits 4: Resumed; settles recorded
		cancel c → runs; commits 5-6: CancelRequested Failed(cancelled), closes [2], sends parent; settles recorded
		# no start arrives
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

// O-10: a child that continues while its parent is redriven becomes a child of the parent's next
// execution, which can end it. An execution that only uses the instance, for example after a
// continue-as-new, cannot end it.
func TestO10ARedrivenParentCanEndAnEarlierChild(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	by := func(execution int64, item wire.Item) wire.Item {
		item = ofParent(item)
		item.Parent.ExecutionID, item.FirstSeenMS, item.SentMS = execution, p.now.UnixMilli(), p.now.UnixMilli()
		return item
	}
	// since is the first of the executions that copied the start of the child.
	since := func(execution int64, item wire.Item) wire.Item {
		item.Origin = &history.Origin{ExecutionID: execution}
		return item
	}
	attaches := by(2, continuesBy("child", 0))
	attaches.OnConflict = wire.ConflictUseOrRedrive
	uses := by(2, start("other"))
	uses.OnConflict = wire.ConflictUseExisting
	i := p.anew("it cancels it", waits("go"))
	i.each(by(1, start("s")), attaches, since(1, by(2, cancel("c"))))
	i = p.anew("it terminates it, redriven twice", waits("go"))
	attaches3 := by(3, continuesBy("child3", 0))
	attaches3.OnConflict = wire.ConflictUseOrRedrive
	i.each(by(1, start("s")), attaches, attaches3, since(1, by(3, terminate("t"))))
	i = p.anew("both in one batch", waits("go"))
	i.each(by(1, start("s")))
	i.take(attaches, since(1, by(2, cancel("c"))))
	i = p.anew("the cancel overtakes the start", waits("go"))
	i.each(by(1, start("s")), since(1, by(2, cancel("c"))), since(1, by(2, terminate("t"))), attaches)
	i.again(since(1, by(2, cancel("c"))))
	i = p.anew("no start arrives", waits("go"))
	i.each(by(1, start("s")), since(1, by(2, cancel("c"))))
	i.now = i.now.Add(i.settings.Messages.EarlyWindow)
	i.each(since(1, by(2, cancel("c"))))
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
		# no start arrives
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		cancel c → settles early round
		cancel c → settles misaddressed
		# an execution that has continued as new only uses it
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		start other → runs; commits 3: ParentAttached; settles recorded
		cancel c → settles misaddressed
		cancel d → settles misaddressed
	`)
}

// O-10: completed operations stay, failed operations are started again, and a repeated redrive
// starts nothing.
func TestO10ARedriveContinuesWhereTheInstanceFailed(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	i := p.anew("", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if err := ctx.SetSearchAttributes(history.SearchAttributes{"lane": history.SearchNumberOf(7)}); err != nil {
			return nil, err
		}
		if err := ctx.SetState(history.ListedState, []byte(`"packing"`)); err != nil {
			return nil, err
		}
		return chain(3)(ctx, in)
	})
	i.each(start("s"), result(2), result(4), failed(6))
	i.now = i.now.Add(day)
	i.take(continuesBy("r1", 0))
	if r := i.record(); r.FirstExecution != 1 || r.StartID != "r1" || r.SearchAttributes["lane"] != history.SearchNumberOf(7) || r.Origin == nil || r.Origin.ExecutionID != 1 || r.Origin.EventID != 6 {
		t.Errorf("the record is %+v", r)
	}
	i.each(continuesBy("r1", 0), in(2, result(6)))
	i.stands()

	i = p.anew("from an event: its round happens again", chain(3))
	i.each(start("s"), result(2), result(4), result(6))
	p.forget(4)
	i.each(continuesBy("r1", 5), in(2, result(4)), in(2, result(8)), continuesBy("r2", 3), in(3, result(2)), in(3, result(6)), in(3, result(8)), continuesBy("r3", 2))

	i = p.anew("operations that completed next to a failure stay completed", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Join(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		return in, err
	})
	i.each(start("s"), failed(2), result(3), continuesBy("r", 0))

	i = p.anew("open operations keep their links", activity(nil))
	i.each(start("s"), terminate("t"), continuesBy("r", 0), result(2))

	i = p.anew("the result of a timed-out activity may still arrive", activity(&history.Retry{TotalTimeoutMS: 60_000}))
	i.each(start("s"), pending(1), continuesBy("r", 0), result(2))

	i = p.anew("messages to other instances are not sent again, and a timer continues", func(ctx *engine.Context, in []byte) ([]byte, error) {
		timer := ctx.Timer(10 * time.Hour)
		if err := ctx.RaiseEvent("other", "told", in, nil); err != nil {
			return nil, err
		}
		if _, err := chain(1)(ctx, in); err != nil {
			return nil, err
		}
		return ctx.Await(timer)
	})
	i.each(start("s"), failed(4), continuesBy("r", 0))

	i = p.anew("its process dies: the redrive runs the code, and sends the open operations", chain(1))
	i.each(start("s"), failed(2))
	i.dies = 1
	i.take(continuesBy("r", 0))
	i.dies = 1
	i.again(continuesBy("r", 0))
	i.again(continuesBy("r", 0))
	p.expect(`
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		result of 4 → runs; commits 5-6: Done←4 Act(Step), sends activity 6; settles recorded
		failure of 6 → runs; commits 7-8: Failed(application)←6 Failed(application); settles recorded
		start r1 → begins 2 again; records; commits 1-7 parked: Started Act(Step) Done←2 Act(Step) Done←4 Act(Step) Redriven; runs; commits 8: Resumed, sends activity 6; settles recorded
		start r1 → runs; writes nothing; settles duplicate
		result of 6 → runs; commits 9-10: Done←6 Completed; settles recorded
		stands at execution 2, completed with 1, status "packing"
		# from an event: its round happens again
		start r1 → begins 2 again; records; commits 1-5 parked: Started Act(Step) Done←2 Act(Step) Redriven; runs; commits 6: Resumed, sends activity 4; settles recorded
		result of 4 → runs; commits 7-8: Done←4 Act(Step), sends activity 8; settles recorded
		result of 8 → runs; commits 9-10: Done←8 Completed; settles recorded
		start r2 → begins 3 again; records; commits 1-3 parked: Started Act(Step) Redriven; runs; commits 4: Resumed, sends activity 2; settles recorded
		result of 2 → runs; commits 5-6: Done←2 Act(Step), sends activity 6; settles recorded
		result of 6 → runs; commits 7-8: Done←6 Act(Step), sends activity 8; settles recorded
		result of 8 → runs; commits 9-10: Done←8 Completed; settles recorded
		start r3 → begins 4 again; runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		# operations that completed next to a failure stay completed
		start s → runs; commits 1-3: Started Act(Step) Act(Step), sends activity 2 and activity 3; settles recorded
		failure of 2 → runs; commits 4: Failed(application)←2; settles recorded
		result of 3 → runs; commits 5-6: Done←3 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-5 parked: Started Act(Step) Act(Step) Redriven Done←3; runs; commits 6: Resumed, sends activity 2; settles recorded
		# open operations keep their links
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		terminate t → commits 3: Failed(terminated), closes [2], sends stop 2; settles recorded
		start r → begins 2 again; records; commits 1-3 parked: Started Act(Work) Redriven; runs; commits 4: Resumed, sends activity 2; settles recorded
		result of 2 → runs; commits 5-6: Done←2 Completed; settles recorded
		# the result of a timed-out activity may still arrive
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 Failed(total_timeout); settles recorded
		start r → begins 2 again; records; commits 1-3 parked: Started Act(Work) Redriven; runs; commits 4: Resumed, sends activity 2; settles recorded
		result of 2 → runs; commits 5-6: Done←2 Completed; settles recorded
		# messages to other instances are not sent again, and a timer continues
		start s → runs; commits 1-4: Started Timer SystemCall Act(Step), sends timer 2 and ExternalRaised 3 and activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application), closes [2]; settles recorded
		start r → begins 2 again; records; commits 1-5 parked: Started Timer SystemCall Act(Step) Redriven; runs; commits 6: Resumed, sends timer 2 and activity 4; settles recorded
		# its process dies: the redrive runs the code, and sends the open operations
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; dies ahead of its dispatch; comes back: r
		start r×2 → again nothing; runs; commits 4: Resumed, sends activity 2; dies ahead of its dispatch; comes back: r
		start r×2 → again activity 2; runs; writes nothing; settles duplicate
	`)
}

// The deployed code contradicts the copied events: the instance is stuck, and sends nothing until a
// build agrees. An orchestration that fails instead of getting stuck fails again. Its parent
// receives one end for each start.
func TestO10ARedriveThatTheCodeContradictsIsStuck(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	fails := func(o *engine.Orchestration) { o.FailWhenStuck = true }
	other := func(ctx *engine.Context, in []byte) ([]byte, error) { return activity(nil)(ctx, in) }
	i := p.anew("it continues when a build agrees", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(other)
	i.take(continuesBy("r", 0), event("late"))
	i.stands()
	i.each(continuesBy("r", 0), event("later"))
	i.deploy(chain(2))
	i.take(wake(1, "w"))
	i.stands()
	i.each(in(2, result(4)))
	i = p.anew("it is terminated, and continues from another event", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(other)
	i.each(continuesBy("r", 0), terminate("t"))
	i.deploy(chain(2))
	i.each(continuesBy("r2", 2))
	i = p.anew("it fails instead of getting stuck", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(other, fails)
	i.take(ofParent(continuesBy("r", 0)), event("late"))
	i.stands()
	i = p.anew("the code agrees with it, and panics after it", chain(2))
	i.each(start("s"), result(2), failed(4))
	i.deploy(func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := chain(2)(ctx, in)
		panic(err)
	}, fails)
	i.each(continuesBy("r", 0), in(2, result(4)))
	i.stands()
	p.expect(`
		# it continues when a build agrees
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; records; commits 1-6 parked: Started Act(Step) Done←2 Act(Step) Redriven Ev(go); runs; writes the record, marks nondeterminism; settles recorded recorded
		stands at execution 2, stuck, mark nondeterminism with stamp 1 after 1 tries
		start r → reads record again; settles duplicate
		event later → runs; commits 7 parked: Ev(go); settles recorded
		wake w → again nothing; runs; commits 8: Resumed, clears the mark, sends activity 4; settles wake
		stands at execution 2, running
		result of 4 → runs; commits 9-10: Done←4 Completed; settles recorded
		# it is terminated, and continues from another event
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-5 parked: Started Act(Step) Done←2 Act(Step) Redriven; runs; writes the record, marks nondeterminism; settles recorded
		terminate t → commits 6: Failed(terminated), closes [4]; settles recorded
		start r2 → begins 3 again; runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		# it fails instead of getting stuck
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r, event late → begins 2 again; records; commits 1-6 parked: Started Act(Step) Done←2 Act(Step) Redriven Ev(go); runs; commits 7: Failed(stuck), closes [4], sends parent; settles recorded recorded
		stands at execution 2, failed of stuck
		# the code agrees with it, and panics after it
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		failure of 4 → runs; commits 5-6: Failed(application)←4 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-5 parked: Started Act(Step) Done←2 Act(Step) Redriven; runs; commits 6: Resumed, sends activity 4; settles recorded
		result of 4 → runs; commits 7-8: Done←4 Failed(panic); settles recorded
		stands at execution 2, failed of panic
	`)
}

// An impossible redrive is refused, and changes nothing. The commit of an earlier delivery may land
// late, so a redelivery checks again.
func TestO10AnImpossibleRedriveIsRefused(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	large := func(*Commit) error { return tooLargeError() }
	i := p.anew("it copies more than a commit holds", chain(1))
	i.each(start("s"), failed(2))
	i.committing = large
	i.take(continuesBy("r", 0))
	i.stands()
	i = p.anew("an earlier delivery's commit may land late: the redelivery checks again", chain(1))
	i.each(start("s"), failed(2))
	land := i.late()
	i.take(continuesBy("r", 0))
	i.committing = large
	i.again(continuesBy("r", 0))
	i.committing = nil
	i.lands(land)
	round := continuesBy("r", 0)
	round.Hops++
	i.take(round)
	i.stands()
	i = p.anew("the queue has given it up, and it was sent again", chain(1))
	i.each(start("s"), failed(2))
	for _, mark := range []string{"1", inbox.HopMark} {
		i.committing = large
		back := i.received(1, continuesBy("r", 0))
		back[0].Attributes = map[string]string{wire.RedriveAttribute: mark}
		i.deliver(back...)
	}
	i.stands()
	i = p.anew("nothing failed, for a parent", waits("go"))
	i.each(start("s"), event("e"), ofParent(continuesBy("r", 0)))
	i = p.anew("it uses a completed instance", waits("go"))
	i.each(start("s"), event("e"))
	uses := ofParent(continuesBy("r", 0))
	uses.OnConflict = wire.ConflictUseOrRedrive
	i.take(uses)
	p.expect(`
		# it copies more than a commit holds
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; is too large; reads behind 1; settles dead too_large
		stands at execution 1, failed of application
		# an earlier delivery's commit may land late: the redelivery checks again
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r → begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; store: outcome of the write is unknown; comes back: r
		start r×2 → again nothing; begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; is too large; again nothing; reads behind 1; settles redrive_refused round
		the late write lands
		start r → reads behind 4; reads record again; reads history 1; again nothing; runs; commits 4: Resumed, sends activity 2; settles duplicate
		stands at execution 2, running
		# the queue has given it up, and it was sent again
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		failure of 2 → runs; commits 3-4: Failed(application)←2 Failed(application); settles recorded
		start r redriven → again nothing; begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; is too large; again nothing; reads behind 1; settles redrive_refused round
		start r redriven → again nothing; begins 2 again; records; commits 1-3 parked: Started Act(Step) Redriven; is too large; again nothing; reads behind 1; settles dead too_large
		stands at execution 1, failed of application
		# nothing failed, for a parent
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start r → reads behind 1; tells parent stuck, settles redrive_refused
		# it uses a completed instance
		start s → runs; commits 1-2: Started Sub(go); settles recorded
		event e → runs; commits 3-4: Ev(go) Completed; settles recorded
		start r → reads record; tells parent, settles exists
	`)
}

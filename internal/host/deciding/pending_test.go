package deciding

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

const day = 24 * time.Hour

// failure returns the kind of the failure of an activity.
func failure(retry *history.Retry) engine.Func {
	return func(ctx *engine.Context, in []byte) ([]byte, error) {
		out, err := activity(retry)(ctx, in)
		if f, is := errors.AsType[*engine.FailureError](err); is {
			return fmt.Appendf(nil, "%q", fmt.Sprintf("%s %d %s", f.Failure.Kind, f.Failure.Attempt, f.Failure.Message)), nil
		}
		return out, err
	}
}

func pending(attempt int) wire.Item {
	return wire.Item{Kind: wire.ActivityPending, ExecutionID: 1, SourceEventID: 2, Attempt: attempt, SentMS: startedAt.UnixMilli()}
}

var beat = wire.Item{Kind: wire.ActivityHeartbeat, ExecutionID: 1, SourceEventID: 2}

// unheard reports that the outcome of an attempt that runs at most once is unknown.
func unheard(attempt int) wire.Item {
	return wire.Item{Kind: wire.ActivityFailed, ExecutionID: 1, SourceEventID: 2, Attempt: attempt,
		Details: &wire.Failure{Kind: history.FailureInterrupted, Attempt: attempt, Retryable: true, Message: "not heard of"}}
}

// a pending activity is completed once, with its token. A-13: the activity is checked when it
// becomes pending, and when its time limit is over. A-11: an activity with a heartbeat timeout is
// also checked once per timeout; an attempt without heartbeats is followed by another attempt.
func TestA13APendingActivityIsCheckedWhenALimitMayBeOver(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	begin := func(title string, retry history.Retry) *driver {
		i := p.anew(title, failure(&retry))
		i.take(start("s"))
		p.forget(1)
		return i
	}

	i := begin("no limit, and it is completed twice", history.Retry{})
	i.each(pending(1), result(2), result(2))

	i = begin("within its limit, and looked at afterwards", history.Retry{TotalTimeoutMS: (30 * day).Milliseconds()})
	i.take(pending(1))
	i.now = i.now.Add(10 * day)
	i.each(result(2), pending(1))

	i = p.anew("it was completed, and the instance continues: a redelivered message may have become the recorded event", chain(2))
	i.each(start("s"), result(2), pending(1))
	i.again(pending(1))

	i = begin("its limit is over", history.Retry{TotalTimeoutMS: (30 * day).Milliseconds(), MaxAttempts: 3})
	i.take(pending(1))
	i.now = startedAt.Add(30 * day)
	i.take(pending(1))
	i.take(result(2))
	i.stands()

	i = begin("heartbeats, and then none", history.Retry{HeartbeatTimeoutMS: time.Hour.Milliseconds(), MaxAttempts: 2})
	i.take(pending(1))
	i.now = i.now.Add(50 * time.Minute)
	i.each(beat, pending(1))
	i.now = i.now.Add(time.Hour)
	i.take(pending(1))
	later := pending(2)
	later.SentMS = i.now.UnixMilli()
	i.take(later)
	i.now = i.now.Add(2 * time.Hour)
	i.take(later)
	i.stands()

	i = begin("its message comes again, ahead of the result of the next attempt: no attempt follows", history.Retry{HeartbeatTimeoutMS: time.Hour.Milliseconds(), MaxAttempts: 3})
	i.now = i.now.Add(2 * time.Hour)
	late := pending(1)
	late.SentMS = startedAt.UnixMilli()
	i.take(late)
	i.deliver(append(i.received(2, late), i.received(1, result(2))...)...)
	i.stands()

	i = begin("its limit is over, and its result is in the same batch", history.Retry{TotalTimeoutMS: time.Hour.Milliseconds()})
	i.now = i.now.Add(2 * time.Hour)
	i.take(pending(1), result(2))
	i.stands()

	i = begin("a heartbeat is kept for as long as it counts", history.Retry{HeartbeatTimeoutMS: (40 * day).Milliseconds()})
	i.now = startedAt.Add(20 * day)
	i.take(beat)
	i.now = startedAt.Add(59 * day)
	i.take(pending(1))
	i.now = startedAt.Add(60*day + time.Second)
	i.take(pending(1))
	i.stands()

	i = begin("what proves nothing", history.Retry{TotalTimeoutMS: 60_000})
	i.deliver(forged(i.received(1, pending(1))[0]), forged(i.received(1, beat)[0]))

	i = p.anew("it was cancelled: nothing waits for it any longer", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		slow := ctx.Activity(engine.ActivityCall{Name: "Work", Retry: &history.Retry{TotalTimeoutMS: 60_000}})
		if _, err := ctx.Select(false, slow, ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("end"))
	})
	i.each(start("s"), event("e"), pending(1), beat)

	i = begin("a process that has it warm looks at what is stored before it brings another attempt", history.Retry{HeartbeatTimeoutMS: 1000, MaxAttempts: 2})
	i.keeps = true
	i.each(event("warm"), pending(1))
	i.again(pending(1))
	p.expect(`
		# no limit, and it is completed twice
		pending 2 → settles pending
		result of 2 → runs; commits 3-4: Done←2 Completed; settles recorded
		result of 2 → settles late
		# within its limit, and looked at afterwards
		pending 2 → asks for limits 2 in 719h59m0s, settles pending
		result of 2 → runs; commits 3-4: Done←2 Completed; settles recorded
		pending 2 → settles late
		# it was completed, and the instance continues: a redelivered message may have become the recorded event
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2 → runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		pending 2 → settles late
		pending 2×2 → again activity 4; settles becomes ActivityFailed total_timeout; runs; writes nothing; settles duplicate
		# its limit is over
		pending 2 → asks for limits 2 in 719h59m0s, settles pending
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 Completed; settles recorded
		result of 2 → settles late
		stands at execution 1, completed with "total_timeout 1 activity \"Work\" did not complete within its TotalTimeout of 720h0m0s"
		# heartbeats, and then none
		pending 2 → reads activity 2; asks for limits 2 in 59m0s, settles pending
		heartbeat of 2 → reads activity 2; beats for activity 2, kept for 337h0m0s, settles heartbeat
		pending 2 → reads activity 2; asks for limits 2 in 59m0s, settles pending
		pending 2 → reads activity 2; sends attempt behind 1 of activity 2, settles heartbeat_timeout
		pending 2 → reads activity 2; asks for limits 2 in 1h0m0s, settles pending
		pending 2 → reads activity 2; settles becomes ActivityFailed heartbeat_timeout; runs; commits 3-4: Failed(heartbeat_timeout)←2 Completed; settles recorded
		stands at execution 1, completed with "heartbeat_timeout 2 attempt 2 of the pending activity \"Work\" sent no heartbeat for 1h0m0s"
		# its message comes again, ahead of the result of the next attempt: no attempt follows
		pending 2 → reads activity 2; sends attempt behind 1 of activity 2, settles heartbeat_timeout
		pending 2×2, result of 2 → again nothing; reads activity 2; reads behind 3; settles late; runs; commits 3-4: Done←2 Completed; settles recorded
		stands at execution 1, completed with 1
		# its limit is over, and its result is in the same batch
		pending 2, result of 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Done←2 Completed; settles recorded duplicate
		stands at execution 1, completed with 1
		# a heartbeat is kept for as long as it counts
		heartbeat of 2 → reads activity 2; beats for activity 2, kept for 1296h0m0s, settles heartbeat
		pending 2 → reads activity 2; asks for limits 2 in 24h0m0s, settles pending
		pending 2 → reads activity 2; settles becomes ActivityFailed heartbeat_timeout; runs; commits 3-4: Failed(heartbeat_timeout)←2 Completed; settles recorded
		stands at execution 1, completed with "heartbeat_timeout 1 attempt 1 of the pending activity \"Work\" sent no heartbeat for 960h0m0s"
		# what proves nothing
		pending 2, heartbeat of 2 → settles dead forged; settles dead forged
		# it was cancelled: nothing waits for it any longer
		start s → runs; commits 1-3: Started Act(Work) Sub(go), sends activity 2; settles recorded
		event e → runs; commits 4-5: Ev(go) Sub(end), closes [2], sends stop 2; settles recorded
		pending 2 → settles late
		heartbeat of 2 → settles late
		# a process that has it warm looks at what is stored before it brings another attempt
		event warm → runs; commits 3: Ev(go); settles recorded
		pending 2 → reads activity 2; sends attempt behind 1 of activity 2, settles heartbeat_timeout
		pending 2×2 → again nothing; reads activity 2; reads behind 4; sends attempt behind 1 of activity 2, settles heartbeat_timeout
	`)
}

// M-04, A-01: a completion is redelivered because its turn could not be committed. The last commit
// is the one that scheduled its activity. That commit is not resent: otherwise each failure of the
// store would run the activity once more.
func TestARedeliveredCompletionStartsNoSecondAttempt(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	for _, item := range []wire.Item{result(2), pending(1)} {
		i := p.anew("", chain(2))
		i.take(start("s"))
		i.again(item)
		i.deliver(i.received(3, item)...)
	}
	p.expect(`
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		result of 2×2 → again nothing; runs; commits 3-4: Done←2 Act(Step), sends activity 4; settles recorded
		result of 2×3 → again activity 4; runs; writes nothing; settles duplicate
		start s → runs; commits 1-2: Started Act(Step), sends activity 2; settles recorded
		pending 2×2 → again nothing; settles pending
		pending 2×3 → again nothing; settles pending
	`)
}

// A-11, M-04: a process whose clock is ahead decides that the time of a pending activity is over,
// and dies after its commit. The message is redelivered to a process whose clock is right. That
// process starts no further attempt, and sends the messages of the commit. Found by seed 737 with
// the bias "torn reads" of the simulation.
func TestAnActivityThatFailedByAnotherClockGetsNoFurtherAttempt(t *testing.T) {
	t.Parallel()
	p := newDriver(t, func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, _ = activity(&history.Retry{MaxAttempts: 2, HeartbeatTimeoutMS: 60_000, TotalTimeoutMS: 600_000})(ctx, in)
		return chain(1)(ctx, in)
	})
	p.take(start("s"))
	other, look := p.beside(), pending(1)
	other.now, other.dies = other.now.Add(10*time.Minute), 1
	other.take(look)
	p.again(look)

	i := p.anew("one for which no other process has done anything", failure(&history.Retry{MaxAttempts: 2, HeartbeatTimeoutMS: 30_000}))
	i.take(start("s"))
	i.again(look)
	p.expect(`
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2 → settles becomes ActivityFailed total_timeout; runs; commits 3-4: Failed(total_timeout)←2 Act(Step), sends activity 4; dies ahead of its dispatch; comes back: of 2
		pending 2×2 → again activity 4; settles becomes ActivityFailed total_timeout; runs; writes nothing; settles duplicate
		# one for which no other process has done anything
		start s → runs; commits 1-2: Started Act(Work), sends activity 2; settles recorded
		pending 2×2 → again nothing; reads activity 2; reads behind 3; sends attempt behind 1 of activity 2, settles heartbeat_timeout
	`)
}

// the outcome of an attempt that runs at most once is unknown: the retry policy starts
// another attempt, or the activity fails. A result that is already known, or arrives in the same
// batch, counts.
func TestA16AnAttemptWithoutAKnownResult(t *testing.T) {
	t.Parallel()
	p := newDriver(t, nil)
	once := history.Retry{AtMostOnce: true, MaxAttempts: 2}
	begin := func(title string, retry *history.Retry) *driver {
		i := p.anew(title, failure(retry))
		i.take(start("s"))
		p.forget(1)
		return i
	}
	i := begin("another attempt, and the last", &once)
	i.each(unheard(1), unheard(2))
	i.stands()

	i = begin("a result in the same batch", &once)
	i.take(result(2), unheard(1))
	i = begin("a failure in the same batch", &once)
	failed := unheard(1)
	failed.Details = &wire.Failure{Kind: history.FailureApplication, Attempt: 1, Message: "refused"}
	i.take(unheard(1), failed)
	i.stands()
	i = begin("its acknowledgement was lost: it comes again ahead of the result of the next attempt", &once)
	i.take(unheard(1))
	i.deliver(append(i.received(2, unheard(1)), i.received(1, event("e"), result(2))...)...)
	i.stands()
	i = begin("nothing was heard of the last attempt, and its result is in the same batch", &once)
	i.take(unheard(2), result(2))
	i.stands()
	i = begin("a result that proves nothing is no result", &once)
	i.deliver(append(i.received(1, unheard(1)), forged(i.received(1, result(2))[0]))...)
	i = begin("a result before", &once)
	i.each(result(2), unheard(1))
	i = begin("a policy that says nothing of at most once", nil)
	i.take(unheard(1))
	i = begin("it comes back", &once)
	i.again(unheard(1))

	i = begin("a process that does not know of the result yet", &once)
	i.keeps = true
	i.take(event("warm"))
	i.beside().take(result(2))
	i.take(unheard(1))

	i = p.anew("nothing waits for it any longer", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		slow := ctx.Activity(engine.ActivityCall{Name: "Work", Retry: &once})
		if _, err := ctx.Select(false, slow, ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.ExternalEvent("end"))
	})
	i.each(start("s"), event("e"), unheard(1))
	p.expect(`
		# another attempt, and the last
		failure of 2 → says attempts interrupted, sends attempt behind 1 of activity 2, settles interrupted
		failure of 2 → says attempts interrupted; runs; commits 3-4: Failed(interrupted)←2 Completed; settles recorded
		stands at execution 1, completed with "interrupted 2 not heard of"
		# a result in the same batch
		result of 2, failure of 2 → runs; commits 3-4: Done←2 Completed; settles recorded duplicate
		# a failure in the same batch
		failure of 2, failure of 2 → runs; commits 3-4: Failed(application)←2 Completed; settles recorded duplicate
		stands at execution 1, completed with "application 1 refused"
		# its acknowledgement was lost: it comes again ahead of the result of the next attempt
		failure of 2 → says attempts interrupted, sends attempt behind 1 of activity 2, settles interrupted
		failure of 2×2, event e, result of 2 → again nothing; runs; commits 3-5: Ev(go) Done←2 Completed; settles recorded recorded duplicate
		stands at execution 1, completed with 1
		# nothing was heard of the last attempt, and its result is in the same batch
		failure of 2, result of 2 → runs; commits 3-4: Done←2 Completed; settles recorded duplicate
		stands at execution 1, completed with 1
		# a result that proves nothing is no result
		failure of 2, result of 2 → says attempts interrupted, sends attempt behind 1 of activity 2, settles interrupted; runs; writes nothing; settles dead forged
		# a result before
		result of 2 → runs; commits 3-4: Done←2 Completed; settles recorded
		failure of 2 → settles late
		# a policy that says nothing of at most once
		failure of 2 → runs; commits 3-4: Failed(interrupted)←2 Completed; settles recorded
		# it comes back
		failure of 2×2 → again nothing; reads behind 3; says attempts interrupted, sends attempt behind 1 of activity 2, settles interrupted
		# a process that does not know of the result yet
		event warm → runs; commits 3: Ev(go); settles recorded
		result of 2 → runs; commits 4-5: Done←2 Completed; settles recorded
		failure of 2 → is stale; reads behind 6; reads record again; again nothing; settles duplicate
		# nothing waits for it any longer
		start s → runs; commits 1-3: Started Act(Work) Sub(go), sends activity 2; settles recorded
		event e → runs; commits 4-5: Ev(go) Sub(end), closes [2], sends stop 2; settles recorded
		failure of 2 → runs; commits 6: Failed(interrupted)←2; settles recorded
	`)
}

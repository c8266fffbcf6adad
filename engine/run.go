package engine

import (
	"sync/atomic"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// Run replays the events that were fed and not yet visited, then processes the arrivals
// one by one. It stops before an arrival if inline activities are open (Turn.State is
// then RunInline). If Feed found corruption, Run returns that error and does nothing.
func (x *Execution) Run(in Input) (Turn, error) {
	if x.corrupt != nil {
		return Turn{}, x.corrupt
	}
	if x.cfg.Options.Guard != nil && !in.Park {
		return x.runGuarded(in)
	}
	return x.runNow(in), nil
}

func (x *Execution) runNow(in Input) Turn {
	x.run = runState{nowMS: in.NowMS, seed: in.Seed, from: x.events.len(), left: in.Arrivals, suspended: x.ledger.suspendedID != 0}
	verdicts := make([]Verdict, len(in.Arrivals))
	if !in.Park && x.ledger.suspendedID == 0 {
		if x.stuck == nil {
			x.replay()
		}
		x.unwindEnded()
		x.failInstead()
	}
	for i := range in.Arrivals {
		a := &in.Arrivals[i]
		x.run.left = in.Arrivals[i+1:]
		switch {
		case x.run.continued:
			verdicts[i] = x.carry(a, &x.run.carried)
		case in.Park || x.stuck != nil || x.ledger.ended:
			verdicts[i] = x.parkSuspended(a)
		case x.ledger.suspendedID != 0:
			verdicts[i] = x.takeSuspended(a)
		case len(x.openInline.open()) > 0:
			// The result of an inline activity is always processed; every other arrival
			// waits until none is open.
			if !a.Inline {
				return x.finish(in, verdicts)
			}
			verdicts[i] = x.take(a)
		case a.Event.Kind == history.OrchestrationSuspended, suspendedIn(a.With) != nil:
			verdicts[i] = x.park(a)
		default:
			verdicts[i] = x.take(a)
		}
		x.unwindEnded()
		x.failInstead()
		x.taken.Add(1)
	}
	return x.finish(in, verdicts)
}

// unwindEnded unwinds the remaining coroutines in the run in which the code ends. If a
// deferred function blocks, the instance is stuck as for any code that blocks, and its
// end is not recorded.
func (x *Execution) unwindEnded() {
	if x.end != nil && x.ledger.ended && len(x.coroutines) > 0 {
		x.unwindAll()
	}
}

func (x *Execution) finish(in Input, verdicts []Verdict) Turn {
	t := x.turn(verdicts)
	t.Suspended, t.SuspendedFor, t.SuspendedUntilMS = x.suspended(), x.suspendedFor(), x.suspendedUntil()
	t.Queued = x.queued()
	t.Parked = in.Park && len(t.Events) > 0 || t.Suspended != nil || t.State == Stuck
	if x.run.continued {
		t.Next, t.Queued = x.nextExecution(x.run.carried), false
		t.Suspended, t.SuspendedFor, t.SuspendedUntilMS = suspendedIn(t.Next), saidIn(t.Next), untilIn(t.Next)
	}
	t.Resumed = x.run.suspended && t.Suspended == nil
	return t
}

// turn collects what was done in this run.
func (x *Execution) turn(verdicts []Verdict) Turn {
	t := Turn{
		Verdicts:      verdicts,
		Events:        x.events.slice(x.run.from, x.events.len()),
		Cancelled:     x.run.cancelled,
		Reasons:       x.cancelReasons(),
		States:        x.encodedStates(),
		StatesChanged: x.run.statesSet,
		StatesWas:     x.run.statesWas,
		Search:        x.search,
		SearchSet:     x.run.searchSet,
		SearchWas:     x.run.searchWas,
		Logs:          x.run.logs,
		Stuck:         x.stuck,
		Instead:       x.run.instead,
		Recovered:     x.run.recovered && x.stuck == nil,
	}
	switch {
	case x.events.len() == 0:
		t.State = NotStarted
	case x.ledger.ended:
		t.State = Ended
	case x.stuck != nil:
		t.State = Stuck
	case x.ledger.suspendedID != 0:
		t.State = Suspended
	default:
		t.State = Waiting
		if t.Inline = x.inlineCalls(); len(t.Inline) > 0 {
			t.State = RunInline
		}
	}
	return t
}

// runGuarded runs under the guard. If the code blocks outside durable operations, this
// execution is abandoned to the blocked goroutine. A fresh execution then makes the turn
// again, without the arrival at which the code blocked.
func (x *Execution) runGuarded(in Input) (Turn, error) {
	fed, parkedTo := x.events, x.parkedTo // The abandoned goroutine may still append.
	x.taken.Store(0)
	t, stack := x.runWatched(in)
	if stack == "" {
		return t, nil
	}
	return x.withoutBlocked(in, fed, parkedTo, int(x.taken.Load()), stack)
}

// runWatched runs under the guard, and returns the stack of the blocked goroutine if the
// guard gave up. If the abandoned code continues later, its goroutine unwinds the
// coroutines of the execution.
func (x *Execution) runWatched(in Input) (Turn, string) {
	const finished, left = 1, 2
	var outcome atomic.Int32
	var t Turn
	over := make(chan struct{})
	stack := x.cfg.Options.Guard.Run(func() {
		defer close(over)
		t = x.runNow(in)
		if !outcome.CompareAndSwap(0, finished) {
			x.unwindAll()
		}
	}, x.progress.Load)
	if stack == "" || !outcome.CompareAndSwap(0, left) {
		return t, ""
	}
	x.closed.Store(true)
	x.reportBlocked(stack, false, over)
	return Turn{}, stack
}

func (x *Execution) withoutBlocked(in Input, fed pieces[history.Event], parkedTo int64, taken int, stack string) (Turn, error) {
	blocked := &StuckError{Kind: StuckBlocked, Stack: stack, Message: "the code blocks outside durable operations, or never yields" + at(panics.Place(stack)) + "; " +
		"wait with durable timers, events and activities instead of sleeps, channels, locks or I/O"}
	again := func(arrivals []Arrival) (*Execution, Turn, bool) {
		y := New(x.cfg)
		if err := y.Feed(fed.slice(0, fed.len()), false); err != nil {
			return y, Turn{}, false
		}
		y.parkedTo = parkedTo
		part := in
		part.Arrivals = arrivals
		if len(arrivals) == 0 {
			return y, Turn{}, true
		}
		t, stack := y.runWatched(part)
		return y, t, stack == ""
	}
	y, done, ok := again(in.Arrivals[:taken])
	if !ok {
		taken = 0
		y, done, _ = again(nil)
	}
	defer func() {
		y.Close()
		x.instead.Store(y)
	}()
	from := fed.len()
	y.fail(blocked)
	y.stuck.EventID = int64(y.events.len()) + 1
	if taken == len(in.Arrivals) {
		y.stuck.EventID = int64(y.events.len())
	}
	rest := in
	rest.Arrivals = in.Arrivals[taken:]
	logs, cancelled := done.Logs, done.Cancelled
	t := y.runNow(rest)
	t.Verdicts = append(done.Verdicts, t.Verdicts...)
	t.Events = y.events.slice(from, y.events.len())
	t.Logs = append(logs, t.Logs...)
	t.Cancelled, t.Reasons = append(cancelled, t.Cancelled...), ReasonsBoth(done.Reasons, t.Reasons)
	t.SetBefore(&done)
	return t, nil
}

package turnstile

import (
	"fmt"
	"time"
)

// Sleep waits for d. The wait is durable: it can take months, and no process runs in the meantime.
// Durations are whole milliseconds, rounded up. A duration of zero or less is recorded like any
// other and returns without delay, so that a computed duration does not change the shape of the
// history. Sleep records one event, and a second one when the timer fires.
//
// A timer never fires early, unless an operator fires it; [Now] still returns the actual time. In
// package embedded, on SQLite and in turnstiletest, timers have a resolution of a millisecond. On
// AWS a timer fires up to a second late, because SQS waits for whole seconds; a timer of more than
// 15 minutes (the parameter TimerBorder) fires up to about a minute late.
//
// Errors: [*CancelledError]; [*InvalidArgumentError], with nothing recorded, for a duration above
// [MaxTimer].
func Sleep(ctx Context, d time.Duration) error {
	_, err := After(ctx, d).Await(ctx)
	return err
}

// SleepUntil is [Sleep] until a point in time, for example one from an input or an event: "remind
// me on the first of May". A time that has passed is recorded like any other and returns without
// delay. SleepUntil records one event, and a second one when the timer fires. Replay compares the
// time, so a different time is a change of the code, like a different duration of Sleep.
//
// Errors: [*CancelledError]; [*InvalidArgumentError], with nothing recorded, for a time in the
// year 2200 or later.
func SleepUntil(ctx Context, t time.Time) error {
	_, err := At(ctx, t).Await(ctx)
	return err
}

// After starts a timer of d; see [Sleep]. Use it with [Select]. It records one
// event, and one when the time has come.
//
// A duration above [MaxTimer] records nothing: awaiting the future returns an
// [*InvalidArgumentError] without delay.
func After(ctx Context, d time.Duration) Future[struct{}] {
	if err := validTimer("After", d); err != nil {
		return failed[struct{}](ctx.engine("After"), d.String(), err)
	}
	d = time.Duration(milliseconds(d)) * time.Millisecond
	return Future[struct{}]{op: ctx.engine("After").Timer(d), kind: ofTimer, name: d.String()}
}

// lastYear is the last year that EventBridge Scheduler accepts.
const lastYear = 2199

// At starts a timer that fires at a point in time; see [SleepUntil]. Use it with
// [Select]. It records one event, and one when the time has come.
//
// A time in the year 2200 or later records nothing: awaiting the future returns an
// [*InvalidArgumentError] without delay.
func At(ctx Context, t time.Time) Future[struct{}] {
	run, name := ctx.engine("At"), t.UTC().Format(time.RFC3339Nano)
	if t.UTC().Year() > lastYear {
		return failed[struct{}](run, name, &InvalidArgumentError{Call: "At", Argument: "time", Problem: fmt.Sprintf("is %s; it must be in the year %d or earlier", name, lastYear)})
	}
	ms := t.UnixMilli()
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		ms++ // never early
	}
	return Future[struct{}]{op: run.TimerAt(ms), kind: ofTimer, name: name}
}

func validTimer(call string, d time.Duration) error {
	if d <= MaxTimer {
		return nil
	}
	return &InvalidArgumentError{Call: call, Argument: "duration", Problem: fmt.Sprintf("is %s; it must be at most %s (MaxTimer)", d, MaxTimer)}
}

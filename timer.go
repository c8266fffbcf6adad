package turnstile

import (
	"fmt"
	"time"
)

// Sleep waits for d, durably: days are as good as seconds, and nothing runs
// meanwhile. Durations are whole milliseconds, rounded up. Zero and less is
// recorded like any other and returns without delay, so that a computed
// duration does not change the shape of the history. It records one event, and
// one when the time has come.
//
// Timers of more than some minutes are exact to a minute or so on AWS.
//
// Errors: [*CancelledError]; [*InvalidArgumentError], and nothing recorded, for
// more than [MaxTimer].
func Sleep(ctx Context, d time.Duration) error {
	_, err := After(ctx, d).Await(ctx)
	return err
}

// MaxTimer is the longest timer: a hundred years. Beyond it lie times that
// EventBridge Scheduler does not know (its years end with 2199), and mistakes of
// unit.
const MaxTimer = 100 * 365 * 24 * time.Hour

// After starts a timer of d; see [Sleep]. Use it with [Select]. It records one
// event, and one when the time has come.
//
// More than [MaxTimer] records nothing: awaiting the future returns an
// [*InvalidArgumentError], without delay.
func After(ctx Context, d time.Duration) Future[struct{}] {
	if err := validTimer("After", d); err != nil {
		return failed[struct{}](ctx.engine("After"), d.String(), err)
	}
	d = time.Duration(milliseconds(d)) * time.Millisecond
	return Future[struct{}]{op: ctx.engine("After").Timer(d), kind: ofTimer, name: d.String()}
}

func validTimer(call string, d time.Duration) error {
	if d <= MaxTimer {
		return nil
	}
	return &InvalidArgumentError{Call: call, Argument: "duration", Problem: fmt.Sprintf("is %s, a timer can have at most %s (MaxTimer)", d, MaxTimer)}
}

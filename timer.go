package turnstile

import "time"

// Sleep waits for d, durably: days are as good as seconds, and nothing runs
// meanwhile. Durations are whole milliseconds, rounded up. Zero and less is
// recorded like any other and returns without delay, so that a computed
// duration does not change the shape of the history. It records one event, and
// one when the time has come.
//
// Timers of more than some minutes are exact to a minute or so on AWS.
//
// Errors: *CancelledError.
func Sleep(ctx Context, d time.Duration) error {
	_, err := Await(ctx, After(ctx, d))
	return err
}

// After starts a timer of d; see Sleep. Use it with Select. It records one
// event, and one when the time has come.
func After(ctx Context, d time.Duration) Future[struct{}] {
	d = time.Duration(milliseconds(d)) * time.Millisecond
	return Future[struct{}]{op: ctx.engine("After").Timer(d), kind: ofTimer, name: d.String()}
}

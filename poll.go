package turnstile

import (
	"fmt"
	"time"
)

// PollPolicy says after which delays [Poll] looks again. The delay before look
// n ≥ 2 is InitialInterval × Coefficient^(n−2), but at most MaxInterval.
type PollPolicy struct {
	// InitialInterval is the delay before the second look; 0 means one second.
	InitialInterval time.Duration
	// MaxInterval is the longest delay; 0 means no bound.
	MaxInterval time.Duration
	// Coefficient multiplies the delay after each look; 0 means 2, 1 keeps it.
	Coefficient float64
	// MaxAttempts bounds the looks; 0 means no bound.
	MaxAttempts int
}

// Poll calls look again and again until what it returns satisfies enough, and
// returns that. Call and Inline of an activity are such functions:
//
//	job, err := turnstile.Poll(ctx, JobStatus.Call, id, Job.Finished,
//		turnstile.PollPolicy{InitialInterval: time.Second, MaxInterval: time.Minute})
//
// It records what look records, and two events for each delay; so an endless
// one belongs into an execution that continues as new (Info). To bound its time
// give it a scope [WithTimeout].
//
// Errors: that of look, at once, for its retry policy has been at work already;
// [*PollError], with the last value, after MaxAttempts; [*CancelledError].
func Poll[In, Out any](ctx Context, look func(Context, In) (Out, error), in In, enough func(Out) bool, policy PollPolicy) (Out, error) {
	var zero Out
	if look == nil || enough == nil {
		panic(&MisuseError{Call: "Poll", Problem: "a function is nil"})
	}
	delay, coefficient := policy.InitialInterval, policy.Coefficient
	if delay <= 0 {
		delay = time.Second
	}
	if coefficient == 0 {
		coefficient = 2
	}
	for n := 1; ; n++ {
		value, err := look(ctx, in)
		if err != nil {
			return zero, err
		}
		if enough(value) {
			return value, nil
		}
		if n == policy.MaxAttempts {
			return value, &PollError{Attempts: n}
		}
		if policy.MaxInterval > 0 {
			delay = min(delay, policy.MaxInterval)
		}
		if err := Sleep(ctx, delay); err != nil {
			return zero, err
		}
		delay = longer(delay, coefficient)
	}
}

// longer multiplies a delay, without running over. One multiplication of
// floating point gives the same on every machine, unlike a power.
func longer(d time.Duration, coefficient float64) time.Duration {
	ms := float64(milliseconds(d)) * coefficient
	if ms >= float64(MaxTimer.Milliseconds()) {
		return MaxTimer
	}
	return max(time.Duration(ms)*time.Millisecond, 0)
}

// PollError says that a [Poll] had looked as often as it may.
type PollError struct{ Attempts int }

func (e *PollError) Error() string {
	return fmt.Sprintf("not there yet after %d attempts", e.Attempts)
}

package turnstile

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// PollPolicy says after which delays [Poll] looks again. The delay before look
// n ≥ 2 is InitialInterval × BackoffCoefficient^(n−2), but at most MaxInterval.
type PollPolicy struct {
	// InitialInterval is the delay before the second look; 0 means one second.
	// Intervals are at most [MaxTimer].
	InitialInterval time.Duration
	// MaxInterval is the longest delay; 0 means no bound.
	MaxInterval time.Duration
	// BackoffCoefficient multiplies the delay after each look, from 1 on; 0 means 2, 1
	// keeps it.
	BackoffCoefficient float64
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
// Errors: that of look, at once, because its retry policy has retried it already;
// [*PollError], with the last value, after MaxAttempts; [*CancelledError];
// [*InvalidArgumentError], before the first look, for a policy that cannot be.
func Poll[In, Out any](ctx Context, look func(Context, In) (Out, error), in In, enough func(Out) bool, policy PollPolicy) (Out, error) {
	var zero Out
	if look == nil || enough == nil {
		panic(&MisuseError{Call: "Poll", Problem: "a function is nil"})
	}
	if err := policy.valid(); err != nil {
		return zero, err
	}
	delay, coefficient := policy.InitialInterval, policy.BackoffCoefficient
	if delay == 0 {
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

// valid returns what cannot be about a policy, all of it.
func (p *PollPolicy) valid() error {
	problems := append(validDuration("Poll", "InitialInterval", p.InitialInterval), validDuration("Poll", "MaxInterval", p.MaxInterval)...)
	if p.MaxAttempts < 0 {
		problems = append(problems, &InvalidArgumentError{Call: "Poll", Argument: "MaxAttempts", Problem: fmt.Sprintf("is %d, it must be 0, for no bound, or more", p.MaxAttempts)})
	}
	if c := p.BackoffCoefficient; c != 0 && !(c >= 1 && c <= math.MaxFloat64) {
		problems = append(problems, &InvalidArgumentError{Call: "Poll", Argument: "BackoffCoefficient", Problem: fmt.Sprintf("is %v, it must be 1 or more, so that delays do not shrink; 0 means 2", c)})
	}
	return errors.Join(problems...)
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

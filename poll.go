package turnstile

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// PollPolicy sets the delays between the calls of a [Poll]. The delay before call n ≥ 2 is
// InitialInterval × BackoffCoefficient^(n−2), but at most MaxInterval.
type PollPolicy struct {
	// InitialInterval is the delay before the second call; 0 means one second. Intervals are at
	// most [MaxTimer].
	InitialInterval time.Duration
	// MaxInterval is the longest delay; 0 means no limit.
	MaxInterval time.Duration
	// BackoffCoefficient multiplies the delay after each call. It is at least 1, which keeps the
	// delay constant; 0 means 2.
	BackoffCoefficient float64
	// MaxAttempts is the maximum number of calls; 0 means no limit.
	MaxAttempts int
}

// Poll calls look repeatedly until enough returns true for its result, and returns that result. The
// methods Call and Inline of an activity can serve as look:
//
//	job, err := turnstile.Poll(ctx, JobStatus.Call, id, Job.Finished,
//		turnstile.PollPolicy{InitialInterval: time.Second, MaxInterval: time.Minute})
//
// Poll records what look records, and two events for each delay. So an orchestration that polls
// without end must continue as new (see [Info]). To limit the duration of a Poll, call it with a
// context from [WithTimeout].
//
// Errors: the error of look, immediately, because its retry policy has already retried it;
// [*PollError], with the last value, after MaxAttempts; [*CancelledError]; [*InvalidArgumentError]
// for an invalid policy, before the first call.
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

// valid returns all problems of a policy.
func (p *PollPolicy) valid() error {
	problems := append(validDuration("Poll", "InitialInterval", p.InitialInterval), validDuration("Poll", "MaxInterval", p.MaxInterval)...)
	if p.MaxAttempts < 0 {
		problems = append(problems, &InvalidArgumentError{Call: "Poll", Argument: "MaxAttempts", Problem: fmt.Sprintf("is %d; it must be 0 (no limit) or more", p.MaxAttempts)})
	}
	if c := p.BackoffCoefficient; c != 0 && !(c >= 1 && c <= math.MaxFloat64) {
		problems = append(problems, &InvalidArgumentError{Call: "Poll", Argument: "BackoffCoefficient", Problem: fmt.Sprintf("is %v; it must be 1 or more, so that delays do not shrink; 0 means 2", c)})
	}
	return errors.Join(problems...)
}

// longer multiplies a delay without overflow. A single floating-point multiplication gives the same
// result on every machine, unlike a power.
func longer(d time.Duration, coefficient float64) time.Duration {
	ms := float64(milliseconds(d)) * coefficient
	if ms >= float64(MaxTimer.Milliseconds()) {
		return MaxTimer
	}
	return max(time.Duration(ms)*time.Millisecond, 0)
}

// PollError is returned by [Poll] after MaxAttempts calls without a sufficient result.
type PollError struct{ Attempts int }

func (e *PollError) Error() string {
	return fmt.Sprintf("no sufficient result after %d attempts", e.Attempts)
}

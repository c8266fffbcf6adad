package turnstile

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// ActivityOption is an option of [Activity.With].
type ActivityOption interface {
	applyToActivity(*activityOptions)
}

// activityOptions are the values that the options of a declaration set.
type activityOptions struct {
	history.Retry
	problems []error
}

// RetryPolicy sets how many attempts an activity gets, and the delays between them. Retries add no
// events to the history, because the worker retries without a turn; for Inline, the turn itself
// retries. The delay before attempt n ≥ 2 is InitialInterval × BackoffCoefficient^(n−2), but at
// most MaxInterval. A policy without intervals backs off by 1 s, 2 s, 4 s, … up to a minute.
//
// [App.Err] reports an invalid policy, such as one with a negative interval, in the process that
// implements the activity or orchestration. Calls return the same [*InvalidArgumentError] without
// recording anything.
type RetryPolicy struct {
	// MaxAttempts is the total number of attempts, 0 to 1,000,000; 0 and 1 mean one attempt.
	MaxAttempts int
	// InitialInterval is the delay before the second attempt; 0 means 1 second. To retry without a
	// delay, set it to a millisecond: intervals are whole milliseconds, at most [MaxTimer].
	InitialInterval time.Duration
	// MaxInterval is the longest delay, at least InitialInterval; 0 means one minute without an
	// InitialInterval, and no limit with one.
	MaxInterval time.Duration
	// BackoffCoefficient multiplies the delay after each attempt. It is at least 1; 0 means 2.
	BackoffCoefficient float64
	// Jitter is the share of the delay, 0 to 1, that is random, so that attempts that failed
	// together are not all retried at the same moment.
	Jitter float64
	// NonRetryableCodes are codes ([WithCode]) of errors that are not retried; none may be empty.
	// An error marked with [NonRetryable] is never retried.
	NonRetryableCodes []string
}

// Retry sets the retry policy of an activity, or of a sub-orchestration (see
// [Orchestration.Start]). Without it there is one attempt.
func Retry(policy RetryPolicy) Option { return retry(policy) }

// Option is an option of both [Activity.With] and [Orchestration.With]. [Retry] and [Limit] return
// one.
type Option interface {
	ActivityOption
	OrchestrationOption
}

type retry RetryPolicy

func (p retry) applyToOrchestration(o *orchestrationOptions) {
	policy := RetryPolicy(p).withDefaults()
	o.retry = &policy
	o.problems = append(o.problems, RetryPolicy(p).problems()...)
}

func (p retry) applyToActivity(o *activityOptions) {
	RetryPolicy(p).withDefaults().record(&o.Retry)
	o.problems = append(o.problems, RetryPolicy(p).problems()...)
}

// record stores the policy in the form of the history.
func (p RetryPolicy) record(r *history.Retry) {
	r.MaxAttempts = p.MaxAttempts
	r.InitialMS = milliseconds(p.InitialInterval)
	r.MaxMS = milliseconds(p.MaxInterval)
	r.Coefficient = p.BackoffCoefficient
	r.Jitter = p.Jitter
	r.FinalCodes = slices.Clone(p.NonRetryableCodes)
}

// These delays apply to a policy that has several attempts and no intervals. They are recorded with
// the scheduled operation, so that the history contains the actual values.
const (
	defaultInitialInterval = time.Second
	defaultMaxInterval     = time.Minute
)

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.MaxAttempts > 1 && p.InitialInterval == 0 {
		p.InitialInterval = defaultInitialInterval
		if p.MaxInterval == 0 {
			p.MaxInterval = defaultMaxInterval
		}
	}
	return p
}

// maxAttempts is the largest MaxAttempts. A larger number is a mistake, such as a wrong unit,
// because no interval would leave time for so many attempts.
const maxAttempts = 1_000_000

// problems returns all problems of a policy.
func (p RetryPolicy) problems() []error {
	var all []error
	wrong := func(field, problem string, values ...any) {
		all = append(all, &InvalidArgumentError{Call: "Retry", Argument: field, Problem: fmt.Sprintf(problem, values...)})
	}
	if p.MaxAttempts < 0 || p.MaxAttempts > maxAttempts {
		wrong("MaxAttempts", "is %d; it must be from 0 to %d; 0 and 1 mean one attempt, and TotalTimeout bounds the attempts by time", p.MaxAttempts, maxAttempts)
	}
	all = append(all, validDuration("Retry", "InitialInterval", p.InitialInterval)...)
	all = append(all, validDuration("Retry", "MaxInterval", p.MaxInterval)...)
	if 0 < p.MaxInterval && p.MaxInterval < p.InitialInterval {
		wrong("MaxInterval", "is %s, shorter than the InitialInterval of %s: it is the longest delay", p.MaxInterval, p.InitialInterval)
	}
	if c := p.BackoffCoefficient; c != 0 && !(c >= 1 && c <= math.MaxFloat64) {
		wrong("BackoffCoefficient", "is %v; it must be 1 or more, so that delays do not shrink; 0 means 2", c)
	}
	if !(p.Jitter >= 0 && p.Jitter <= 1) {
		wrong("Jitter", "is %v; it must be from 0 to 1: it is the share of a delay that is random", p.Jitter)
	}
	if slices.Contains(p.NonRetryableCodes, "") {
		wrong("NonRetryableCodes", "contain an empty code, which no error has: leave it out, or mark the errors with NonRetryable")
	}
	return all
}

// validDuration returns the problem of a duration that an option sets.
func validDuration(call, argument string, d time.Duration) []error {
	var problem string
	switch {
	case d < 0:
		problem = fmt.Sprintf("is %s; it cannot be negative; leave it out, or give 0, for none", d)
	case d > MaxTimer:
		problem = fmt.Sprintf("is %s; the maximum is %s (MaxTimer): is its unit right?", d, MaxTimer)
	default:
		return nil
	}
	return []error{&InvalidArgumentError{Call: call, Argument: argument, Problem: problem}}
}

// AttemptTimeout limits the duration of one attempt. After d the attempt's context ends, the
// attempt has failed with [KindTimeout], and the retry policy applies. Without it the worker's own
// limit applies, five minutes by default.
func AttemptTimeout(d time.Duration) ActivityOption { return attemptTimeout(d) }

type attemptTimeout time.Duration

func (d attemptTimeout) applyToActivity(o *activityOptions) {
	o.TimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("AttemptTimeout", "duration", time.Duration(d))...)
}

// TotalTimeout limits the duration of all attempts together, including the delays between them and
// the time in the queue, from when the activity was scheduled. When the time expires, the context
// of the running attempt ends and the activity fails with [KindTotalTimeout], whatever the retry
// policy says. A pending activity fails in the same way. Without the option there is no limit.
func TotalTimeout(d time.Duration) ActivityOption { return totalTimeout(d) }

type totalTimeout time.Duration

func (d totalTimeout) applyToActivity(o *activityOptions) {
	o.TotalTimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("TotalTimeout", "duration", time.Duration(d))...)
}

// HeartbeatTimeout limits the time between two calls of [Heartbeat] in an attempt. After d without
// a heartbeat the attempt's context ends, the attempt has failed with [KindHeartbeatTimeout], and
// the retry policy applies. If the worker dies, the attempt is delivered again soon after this
// time; without HeartbeatTimeout it is delivered again after the [AttemptTimeout]. Inline
// activities have no heartbeats.
func HeartbeatTimeout(d time.Duration) ActivityOption { return heartbeatTimeout(d) }

type heartbeatTimeout time.Duration

func (d heartbeatTimeout) applyToActivity(o *activityOptions) {
	o.HeartbeatTimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("HeartbeatTimeout", "duration", time.Duration(d))...)
}

// AtMostOnce makes sure that no attempt starts twice: a conditional write claims the attempt before
// it starts. If a worker dies during the attempt, the attempt has failed with [KindInterrupted],
// and only a retry policy with attempts left starts another one. Without AtMostOnce an interrupted
// attempt starts again. The option works for Call and Start; with Inline it is a [*MisuseError],
// and the instance is stuck.
func AtMostOnce() ActivityOption { return atMostOnce{} }

type atMostOnce struct{}

func (atMostOnce) applyToActivity(o *activityOptions) { o.AtMostOnce = true }

// milliseconds rounds up, so that a short limit never becomes 0, which means none. The longest
// duration is rounded down, because it would overflow.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 && ms < math.MaxInt64/int64(time.Millisecond) {
		ms++
	}
	return ms
}

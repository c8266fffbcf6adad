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

// activityOptions are what the options of a declaration have set.
type activityOptions struct {
	history.Retry
	problems []error
}

// RetryPolicy says how often, and after which delays, a failed attempt of an
// activity is followed by another. Retries are made by the worker, or in the
// turn for Inline: they cost no history. The delay before attempt n ≥ 2 is
// InitialInterval × BackoffCoefficient^(n−2), but at most MaxInterval. A policy without
// intervals backs off: 1 s, 2 s, 4 s, … up to a minute.
//
// [App.Err] reports an invalid policy, such as one with a negative interval, in the process
// that implements the activity or orchestration, and a call of it returns the
// [*InvalidArgumentError] without recording anything.
type RetryPolicy struct {
	// MaxAttempts in all, 0 to 1,000,000; 0 and 1 mean one attempt.
	MaxAttempts int
	// InitialInterval is the delay before the second attempt; 0 means 1 second.
	// For no delay at all give a millisecond: intervals are whole milliseconds,
	// at most [MaxTimer].
	InitialInterval time.Duration
	// MaxInterval is the longest delay, at least InitialInterval; 0 means one
	// minute without an InitialInterval, and no bound with one.
	MaxInterval time.Duration
	// BackoffCoefficient multiplies the delay after each attempt, from 1 on; 0 means 2.
	BackoffCoefficient float64
	// Jitter is the share of the delay, 0 to 1, that is random: so many
	// attempts that failed together do not return together.
	Jitter float64
	// NonRetryableCodes are error codes (WithCode) that are not retried, none of them
	// empty. An error marked with NonRetryable never is.
	NonRetryableCodes []string
}

// Retry sets the retry policy of an activity, or of a sub-orchestration: see
// [Orchestration.Start]. Without it there is one attempt.
func Retry(policy RetryPolicy) Option { return retry(policy) }

// Option is what [Retry] and [Limit] return: an option of [Activity.With] and of
// [Orchestration.With].
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

// record sets the policy as histories have it.
func (p RetryPolicy) record(r *history.Retry) {
	r.MaxAttempts = p.MaxAttempts
	r.InitialMS = milliseconds(p.InitialInterval)
	r.MaxMS = milliseconds(p.MaxInterval)
	r.Coefficient = p.BackoffCoefficient
	r.Jitter = p.Jitter
	r.FinalCodes = slices.Clone(p.NonRetryableCodes)
}

// Delays of a policy that has attempts and names no intervals. They are
// recorded with what is scheduled, so that a history says what is done.
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

// maxAttempts is what a policy may ask for; more is a mistake, as a wrong unit
// is, for none of the intervals lets that many attempts be made.
const maxAttempts = 1_000_000

// problems returns what cannot be about a policy, all of it.
func (p RetryPolicy) problems() []error {
	var all []error
	wrong := func(field, problem string, values ...any) {
		all = append(all, &InvalidArgumentError{Call: "Retry", Argument: field, Problem: fmt.Sprintf(problem, values...)})
	}
	if p.MaxAttempts < 0 || p.MaxAttempts > maxAttempts {
		wrong("MaxAttempts", "is %d, it must be from 0 to %d; 0 and 1 mean one attempt, and TotalTimeout bounds the attempts by time", p.MaxAttempts, maxAttempts)
	}
	all = append(all, validDuration("Retry", "InitialInterval", p.InitialInterval)...)
	all = append(all, validDuration("Retry", "MaxInterval", p.MaxInterval)...)
	if 0 < p.MaxInterval && p.MaxInterval < p.InitialInterval {
		wrong("MaxInterval", "is %s, shorter than the InitialInterval of %s: it is the longest delay", p.MaxInterval, p.InitialInterval)
	}
	if c := p.BackoffCoefficient; c != 0 && !(c >= 1 && c <= math.MaxFloat64) {
		wrong("BackoffCoefficient", "is %v, it must be 1 or more, so that delays do not shrink; 0 means 2", c)
	}
	if !(p.Jitter >= 0 && p.Jitter <= 1) {
		wrong("Jitter", "is %v, it must be from 0 to 1: it is the share of a delay that is random", p.Jitter)
	}
	if slices.Contains(p.NonRetryableCodes, "") {
		wrong("NonRetryableCodes", "have an empty code, which no error has: leave it out, or mark the errors with NonRetryable")
	}
	return all
}

// validDuration returns what is wrong with a duration that an option sets.
func validDuration(call, argument string, d time.Duration) []error {
	var problem string
	switch {
	case d < 0:
		problem = fmt.Sprintf("is %s, it cannot be negative; leave it out, or give 0, for none", d)
	case d > MaxTimer:
		problem = fmt.Sprintf("is %s, it can be at most %s (MaxTimer): is its unit right?", d, MaxTimer)
	default:
		return nil
	}
	return []error{&InvalidArgumentError{Call: call, Argument: argument, Problem: problem}}
}

// AttemptTimeout bounds one attempt: its context ends, the attempt counts as
// failed by timeout ([KindTimeout]), and the retry policy decides what follows.
// Without it the worker's own limit holds, five minutes by default.
func AttemptTimeout(d time.Duration) ActivityOption { return attemptTimeout(d) }

type attemptTimeout time.Duration

func (d attemptTimeout) applyToActivity(o *activityOptions) {
	o.TimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("AttemptTimeout", "duration", time.Duration(d))...)
}

// TotalTimeout bounds all attempts together, with the delays between them and
// the time in the queue, from when the activity was scheduled. At its end the
// attempt's context ends and the activity fails ([KindTotalTimeout]), whatever
// the retry policy says; so does a pending one. Without it, attempts go on without a bound.
func TotalTimeout(d time.Duration) ActivityOption { return totalTimeout(d) }

type totalTimeout time.Duration

func (d totalTimeout) applyToActivity(o *activityOptions) {
	o.TotalTimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("TotalTimeout", "duration", time.Duration(d))...)
}

// HeartbeatTimeout bounds how long an attempt may go without a [Heartbeat]: its
// context ends, the attempt counts as failed ([KindHeartbeatTimeout]), and the
// retry policy decides what follows. If its worker dies, the attempt is
// delivered again soon after this time. Without it a worker that has died is
// found by [AttemptTimeout]. Inline runs have no heartbeats.
func HeartbeatTimeout(d time.Duration) ActivityOption { return heartbeatTimeout(d) }

type heartbeatTimeout time.Duration

func (d heartbeatTimeout) applyToActivity(o *activityOptions) {
	o.HeartbeatTimeoutMS = milliseconds(time.Duration(d))
	o.problems = append(o.problems, validDuration("HeartbeatTimeout", "duration", time.Duration(d))...)
}

// AtMostOnce never starts an attempt twice: a conditional write claims the attempt
// before it starts. An attempt that is claimed already, because a worker died in it,
// counts as failed ([KindInterrupted]), and only a retry policy brings another one.
// Without AtMostOnce an interrupted attempt starts again. It is for Call and Start:
// Inline is a [*MisuseError], and the instance is stuck.
func AtMostOnce() ActivityOption { return atMostOnce{} }

type atMostOnce struct{}

func (atMostOnce) applyToActivity(o *activityOptions) { o.AtMostOnce = true }

// milliseconds rounds up: a limit that was asked for never becomes none. The
// longest duration is rounded down, so that it is one in milliseconds too.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 && ms < math.MaxInt64/int64(time.Millisecond) {
		ms++
	}
	return ms
}

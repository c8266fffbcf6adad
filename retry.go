package turnstile

import (
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// ActivityOption is an option of [Activity.With].
type ActivityOption interface {
	applyToActivity(*history.Retry)
}

// RetryPolicy says how often, and after which delays, a failed attempt of an
// activity is followed by another. Retries are made by the worker, or in the
// turn for Inline: they cost no history. The delay before attempt n ≥ 2 is InitialInterval ×
// Coefficient^(n−2), but at most MaxInterval.
type RetryPolicy struct {
	// MaxAttempts in all; 0 and 1 mean one attempt.
	MaxAttempts int
	// InitialInterval is the delay before the second attempt; 0 means none.
	// Intervals are whole milliseconds.
	InitialInterval time.Duration
	// MaxInterval is the longest delay; 0 means no bound.
	MaxInterval time.Duration
	// Coefficient multiplies the delay after each attempt; 0 means 2.
	Coefficient float64
	// Jitter is the share of the delay, 0 to 1, that is random: so many
	// attempts that failed together do not return together.
	Jitter float64
	// FinalCodes are error codes (WithCode) that are not retried. An error
	// marked with Permanent never is.
	FinalCodes []string
}

// Retry sets the retry policy of an activity, or of a sub-orchestration: see
// [Orchestration.Start]. Without it there is one attempt.
func Retry(policy RetryPolicy) RetryOption { return retry(policy) }

// RetryOption is what [Retry] returns: an option of [Activity.With] and of
// [Orchestration.With].
type RetryOption interface {
	ActivityOption
	OrchestrationOption
}

type retry RetryPolicy

func (p retry) applyToOrchestration(o *orchestrationOptions) { o.retry = (*RetryPolicy)(&p) }

func (p retry) applyToActivity(r *history.Retry) {
	r.MaxAttempts = p.MaxAttempts
	r.InitialMS = milliseconds(p.InitialInterval)
	r.MaxMS = milliseconds(p.MaxInterval)
	r.Coefficient = p.Coefficient
	r.Jitter = p.Jitter
	r.FinalCodes = slices.Clone(p.FinalCodes)
}

// AttemptTimeout bounds one attempt: its context ends, the attempt counts as
// failed by timeout ([KindTimeout]), and the retry policy decides what follows.
// Without it the worker's own limit holds, five minutes by default.
func AttemptTimeout(d time.Duration) ActivityOption { return attemptTimeout(d) }

type attemptTimeout time.Duration

func (d attemptTimeout) applyToActivity(r *history.Retry) {
	r.TimeoutMS = milliseconds(time.Duration(d))
}

// TotalTimeout bounds all attempts together, with the delays between them and
// the time in the queue, from when the activity was scheduled. At its end the
// attempt's context ends and the activity fails ([KindTotalTimeout]), whatever
// the retry policy says; so does a pending one. Without it there is no bound.
func TotalTimeout(d time.Duration) ActivityOption { return totalTimeout(d) }

type totalTimeout time.Duration

func (d totalTimeout) applyToActivity(r *history.Retry) {
	r.TotalTimeoutMS = milliseconds(time.Duration(d))
}

// HeartbeatTimeout bounds how long an attempt may go without a [Heartbeat]: its
// context ends, the attempt counts as failed ([KindHeartbeatTimeout]), and the
// retry policy decides what follows. If its worker dies, the attempt is
// delivered again soon after this time. Without it a worker that has died is
// found by [AttemptTimeout]. Inline runs have no heartbeats.
func HeartbeatTimeout(d time.Duration) ActivityOption { return heartbeatTimeout(d) }

type heartbeatTimeout time.Duration

func (d heartbeatTimeout) applyToActivity(r *history.Retry) {
	r.HeartbeatTimeoutMS = milliseconds(time.Duration(d))
}

// AtMostOnce has no attempt begun twice: it is claimed, with a conditional
// write, before it begins. One whose claim is there already, because a worker
// died in it, counts as failed ([KindInterrupted]), and only a retry policy
// brings another. Without it an attempt that was interrupted is begun anew. It
// is for Call and Start: Inline is a [*MisuseError] that parks the instance.
func AtMostOnce() ActivityOption { return atMostOnce{} }

type atMostOnce struct{}

func (atMostOnce) applyToActivity(r *history.Retry) { r.AtMostOnce = true }

// milliseconds rounds up: a limit that was asked for never becomes none. The
// longest duration is rounded down, so that it is one in milliseconds too.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 && ms < math.MaxInt64/int64(time.Millisecond) {
		ms++
	}
	return ms
}

package turnstile

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// ActivityOption is an option of Activity.With.
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

// Retry sets the retry policy. Without it there is one attempt.
func Retry(p RetryPolicy) ActivityOption { return p }

func (p RetryPolicy) applyToActivity(r *history.Retry) {
	r.MaxAttempts = p.MaxAttempts
	r.InitialMS = milliseconds(p.InitialInterval)
	r.MaxMS = milliseconds(p.MaxInterval)
	r.Coefficient = p.Coefficient
	r.Jitter = p.Jitter
	r.FinalCodes = slices.Clone(p.FinalCodes)
}

// AttemptTimeout bounds one attempt: its context ends, the attempt counts as
// failed by timeout, and the retry policy decides what follows. Without it the
// worker's own limit holds.
func AttemptTimeout(d time.Duration) ActivityOption { return attemptTimeout(d) }

type attemptTimeout time.Duration

func (d attemptTimeout) applyToActivity(r *history.Retry) {
	r.TimeoutMS = milliseconds(time.Duration(d))
}

// milliseconds rounds up: a limit that was asked for never becomes none.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > 0 && d%time.Millisecond != 0 {
		ms++
	}
	return ms
}

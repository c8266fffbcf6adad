package activities

import (
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// defaultCoefficient applies if a retry policy specifies none.
const defaultCoefficient = 2

// Retryable reports whether another attempt follows a failed one: the policy has attempts left, the failure is
// retryable, and its code is not one of the policy's final codes.
func Retryable(r *history.Retry, f *history.Failure, attempt int) bool {
	return r != nil && attempt < r.MaxAttempts && f.Retryable && !finalCode(r, f)
}

func finalCode(r *history.Retry, f *history.Failure) bool {
	return r != nil && f.Code != "" && slices.Contains(r.FinalCodes, f.Code)
}

// Settled returns the failure to record for an activity that is not retried: a failure with one of the policy's final
// codes is recorded as not retryable.
func Settled(r *history.Retry, f *history.Failure) *history.Failure {
	if !finalCode(r, f) {
		return f
	}
	settled := *f
	settled.Retryable = false
	return &settled
}

// Delay returns how long to wait before an attempt, which is 2 or higher: min(max, initial × coefficient^(attempt−2)),
// with the share jitter of it random. random is at least 0 and below 1. The result is never negative, and at most 292
// years for a policy without a maximum.
func Delay(r *history.Retry, attempt int, random float64) time.Duration {
	if r == nil || attempt < 2 || r.InitialMS <= 0 {
		return 0 // also avoids 0 × ∞ = NaN if the power below overflows
	}
	coefficient := r.Coefficient
	if coefficient == 0 {
		coefficient = defaultCoefficient
	}
	ms := float64(r.InitialMS) * math.Pow(coefficient, float64(attempt-2))
	if r.MaxMS > 0 {
		ms = min(ms, float64(r.MaxMS))
	}
	ms *= 1 - r.Jitter*(1-random)
	if ns := ms * float64(time.Millisecond); ns < math.MaxInt64 {
		return time.Duration(max(ns, 0))
	}
	return math.MaxInt64
}

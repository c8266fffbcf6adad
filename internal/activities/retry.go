package activities

import (
	"math"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// defaultCoefficient of a retry policy that names none.
const defaultCoefficient = 2

// Retryable reports whether an attempt that failed is followed by another: the
// policy has attempts left, the failure is open to it, and its code is not
// among the final ones.
func Retryable(r *history.Retry, f *history.Failure, attempt int) bool {
	return r != nil && attempt < r.MaxAttempts && f.Retryable && (f.Code == "" || !slices.Contains(r.FinalCodes, f.Code))
}

// Delay returns how long to wait before an attempt, which is 2 or higher:
// min(max, initial × coefficient^(attempt−2)), of which the share jitter is
// random. random is from 0 to below 1. The result is never negative, and of a
// policy without bound at most 292 years.
func Delay(r *history.Retry, attempt int, random float64) time.Duration {
	if r == nil || attempt < 2 || r.InitialMS <= 0 {
		return 0 // also where the power below is infinite: nothing times infinity is no number
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

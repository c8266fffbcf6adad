// Package backoff computes how long the host waits before it tries again.
package backoff

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/random"
)

// The pauses between two attempts at a throttled call double from firstPause to longestPause.
// Jitter removes up to half of each, so that callers that were throttled together do not repeat
// their calls together.
const firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second

// Pause waits before attempt n+1 of a throttled call. It reports false if ctx has less time left than
// need, or ends during the pause.
func Pause(ctx context.Context, c clock.Clock, r *random.Source, n int, need time.Duration) bool {
	if !clock.HasTime(ctx, c, need) {
		return false
	}
	jitter, err := r.Share()
	if err != nil {
		return false
	}
	d := Grown(firstPause, longestPause, n-1)
	return clock.Sleep(ctx, c, d-time.Duration(jitter*float64(d)/2)) == nil
}

// Grown returns first × 2ⁿ, at most longest.
func Grown(first, longest time.Duration, n int) time.Duration {
	d := first
	for ; n > 0 && d < longest; n-- {
		d *= 2
	}
	return min(d, longest)
}

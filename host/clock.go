package host

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/clock"
)

// timeLeft returns how long the invocation still has, by the clock handed in;
// false when its context has no deadline.
func timeLeft(ctx context.Context, c clock.Clock) (time.Duration, bool) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0, false
	}
	return deadline.Sub(c.Now()), true
}

// hasTime reports whether the invocation still has at least need.
func hasTime(ctx context.Context, c clock.Clock, need time.Duration) bool {
	left, bounded := timeLeft(ctx, c)
	return ctx.Err() == nil && (!bounded || left >= need)
}

// Sleeper is a Clock that has to know when a turn waits for it: one of virtual
// time, which stands still while anything is being handled.
type Sleeper interface {
	clock.Clock
	// Sleep lets d pass and returns nil, or the error of ctx if that ends
	// before.
	Sleep(ctx context.Context, d time.Duration) error
}

// wait lets d pass, unless ctx ends before.
func wait(ctx context.Context, c clock.Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if s, ok := c.(Sleeper); ok {
		return s.Sleep(ctx, d)
	}
	passed := make(chan struct{})
	stop := c.AfterFunc(d, func() { close(passed) })
	defer stop()
	select {
	case <-passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// The pauses between two attempts at a call that is throttled double from
// firstPause to longestPause. Jitter takes up to half of each, so that those who
// were throttled together do not come again together.
const firstPause, longestPause = 100 * time.Millisecond, 5 * time.Second

// pause behind attempt n, unless ctx ends before.
func pause(ctx context.Context, c clock.Clock, r *random, n int) error {
	jitter, err := r.share()
	if err != nil {
		return err
	}
	d := grown(firstPause, longestPause, n-1)
	return wait(ctx, c, d-time.Duration(jitter*float64(d)/2))
}

// grown returns first × 2ⁿ, at most longest.
func grown(first, longest time.Duration, n int) time.Duration {
	d := first
	for ; n > 0 && d < longest; n-- {
		d *= 2
	}
	return min(d, longest)
}

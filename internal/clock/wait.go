package clock

import (
	"context"
	"time"
)

// Left returns how long the work that ctx belongs to still has, by the clock
// handed in; false when it has no deadline.
func Left(ctx context.Context, c Clock) (time.Duration, bool) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0, false
	}
	return deadline.Sub(c.Now()), true
}

// HasTime reports whether ctx still has at least need.
func HasTime(ctx context.Context, c Clock, need time.Duration) bool {
	left, bounded := Left(ctx, c)
	return ctx.Err() == nil && (!bounded || left >= need)
}

// Sleeper is a Clock that has to know when somebody waits for it: one of virtual
// time, which stands still while anything is being handled.
type Sleeper interface {
	Clock
	// Sleep lets d pass and returns nil, or the error of ctx if that ends
	// before.
	Sleep(ctx context.Context, d time.Duration) error
}

// Sleep lets d pass, unless ctx ends before: then it returns the error of ctx.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
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

// Awaiter is a Clock that has to know when a goroutine waits for another.
type Awaiter interface {
	Clock
	// Await returns when ready is closed, or d has passed; with d of zero it
	// waits for ready alone.
	Await(ready <-chan struct{}, d time.Duration)
}

// Await returns when ready is closed, or d has passed; with d of zero or less it
// waits for ready alone.
func Await(c Clock, ready <-chan struct{}, d time.Duration) {
	if a, ok := c.(Awaiter); ok {
		a.Await(ready, d)
		return
	}
	if d <= 0 {
		<-ready
		return
	}
	passed := make(chan struct{})
	stop := c.AfterFunc(d, func() { close(passed) })
	defer stop()
	select {
	case <-ready:
	case <-passed:
	}
}

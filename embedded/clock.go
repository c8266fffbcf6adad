package embedded

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// virtualClock stands still until it is told to go to its next timer.
type virtualClock struct {
	*clock.Virtual
	// handled counts what is being handled; nil where nobody asks.
	handled *gauge
	// due is told of a timer that is due as soon as it is set, and of each one
	// where time flows.
	due func()
	// flow is set where time passes by itself; else it stands still.
	flow *flow
}

func newVirtualClock(start time.Time, due func()) *virtualClock {
	return &virtualClock{Virtual: clock.NewVirtual(start), due: due}
}

// Now returns the time: where it flows, that which it has come to, but never
// later than the next timer.
func (c *virtualClock) Now() time.Time {
	if c.flow != nil {
		c.Set(c.flow.now())
	}
	return c.Virtual.Now()
}

func (c *virtualClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.Now()
	stop = c.Virtual.AfterFunc(d, f)
	if d <= 0 || c.flow != nil {
		c.due()
	}
	return stop
}

// Sleep lets d pass for something that is being handled, and that counts as
// idle meanwhile. It counts as busy again before time goes on.
func (c *virtualClock) Sleep(ctx context.Context, d time.Duration) error {
	var once sync.Once
	wake := func() { once.Do(c.handled.begin) }
	passed := make(chan struct{})
	stop := c.AfterFunc(d, func() {
		wake()
		close(passed)
	})
	defer stop()
	c.handled.end()
	select {
	case <-passed:
		return nil
	case <-ctx.Done():
		wake()
		return ctx.Err()
	}
}

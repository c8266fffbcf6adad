package embedded

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// virtualClock shows the same time until it is advanced to its next timer.
type virtualClock struct {
	*clock.Virtual
	// handled counts the batches that are being handled; nil if nothing needs the count.
	handled *gauge
	// due is called for a timer that is already due when it is set, and, if time passes by itself,
	// for each timer.
	due func()
	// flow is set if time passes by itself.
	flow *flow
}

func newVirtualClock(start time.Time, due func()) *virtualClock {
	return &virtualClock{Virtual: clock.NewVirtual(start), due: due}
}

// Now returns the time. While time passes by itself, the result is never later than the next
// timer.
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

// Sleep waits for d in a batch that is being handled. During the wait the batch counts as idle. It
// counts as busy again before time continues.
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

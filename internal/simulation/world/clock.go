package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// epoch is the start of every world.
var epoch = time.UnixMilli(1_900_000_000_000).UTC()

// queueClock is the clock of a queue. A queue has one alarm at a time and sets it often, so
// its function is created only once.
type queueClock struct {
	*clock.Virtual
	alarm clock.Alarm
	stop  func() bool
}

func newQueueClock(c *clock.Virtual) *queueClock {
	q := &queueClock{Virtual: c}
	q.stop = func() bool { return c.Disarm(&q.alarm) }
	return q
}

// AfterFunc implements the clock's method. The stop function of an alarm that is over must
// not be called after the next AfterFunc.
func (q *queueClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if q.Armed(&q.alarm) {
		return q.Virtual.AfterFunc(d, f)
	}
	q.Arm(&q.alarm, d, f)
	return q.stop
}

// skewed is the clock of a process, which is off by a constant.
type skewed struct {
	*clock.Virtual
	p   *Process
	off time.Duration
}

// AfterFunc calls f after d. The calls that f makes take no time: f runs concurrently with
// the process, which may be paused in the middle of a call.
func (c skewed) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return c.Virtual.AfterFunc(d, func() {
		c.p.alarmed = true
		defer func() { c.p.alarmed = false }()
		f()
	})
}

// Now returns the time that the process sees.
func (c skewed) Now() time.Time { return c.Virtual.Now().Add(c.off) }

// Sleep lets other processes continue while this one waits. In the search of a scope, time
// stands still.
func (c skewed) Sleep(ctx context.Context, d time.Duration) error {
	if c.p.W.Walk == nil {
		c.p.Pause(d)
	}
	if c.p.Dead {
		return ErrKilled
	}
	return ctx.Err()
}

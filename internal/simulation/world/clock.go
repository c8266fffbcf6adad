package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// epoch is when every world begins.
var epoch = time.UnixMilli(1_900_000_000_000).UTC()

// queueClock is the clock of a queue, which has one alarm at a time and sets it
// often: it is made once.
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

// AfterFunc implements the clock's method. The stop of an alarm that is over is
// not to be called after the next AfterFunc.
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

// AfterFunc calls f when d has passed. The calls that f makes take no time: it
// runs beside what the process does, which may rest in the middle of a call.
func (c skewed) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return c.Virtual.AfterFunc(d, func() {
		c.p.alarmed = true
		defer func() { c.p.alarmed = false }()
		f()
	})
}

// Now returns what the process takes for the time.
func (c skewed) Now() time.Time { return c.Virtual.Now().Add(c.off) }

// Sleep lets others go on while the process waits. Where a scope is searched,
// time stands still.
func (c skewed) Sleep(ctx context.Context, d time.Duration) error {
	if c.p.W.Walk == nil {
		c.p.Pause(d)
	}
	if c.p.Dead {
		return ErrKilled
	}
	return ctx.Err()
}

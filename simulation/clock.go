package simulation

import (
	"container/heap"
	"context"
	"time"
)

// clock is virtual time. It passes by advanceTo alone, and only one goroutine
// of a world runs at a time, so it needs no lock.
type clock struct {
	now    time.Time
	seq    int
	alarms alarms
}

type alarm struct {
	at    time.Time
	seq   int
	f     func()
	index int // -1 when it is not armed
}

// epoch is when every world begins.
var epoch = time.UnixMilli(1_900_000_000_000).UTC()

func newClock() *clock { return &clock{now: epoch} }

// Now returns the true time of the world.
func (c *clock) Now() time.Time { return c.now }

// AfterFunc calls f when d has passed.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	a := &alarm{}
	c.arm(a, d, f)
	return func() bool { return c.disarm(a) }
}

func (c *clock) arm(a *alarm, d time.Duration, f func()) {
	c.seq++
	a.at, a.seq, a.f = c.now.Add(max(d, 0)), c.seq, f
	heap.Push(&c.alarms, a)
}

func (c *clock) disarm(a *alarm) bool {
	if a.index < 0 {
		return false
	}
	heap.Remove(&c.alarms, a.index)
	return true
}

// queueClock is the clock of a queue, which has one alarm at a time and sets it
// often: it is made once.
type queueClock struct {
	*clock
	alarm alarm
	stop  func() bool
}

func newQueueClock(c *clock) *queueClock {
	q := &queueClock{clock: c, alarm: alarm{index: -1}}
	q.stop = func() bool { return c.disarm(&q.alarm) }
	return q
}

// AfterFunc is that of the clock. The stop of an alarm that is over is not to be
// called behind the next AfterFunc.
func (q *queueClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	if q.alarm.index >= 0 {
		return q.clock.AfterFunc(d, f)
	}
	q.arm(&q.alarm, d, f)
	return q.stop
}

// next returns when the next alarm is due.
func (c *clock) next() (time.Time, bool) {
	if len(c.alarms) == 0 {
		return time.Time{}, false
	}
	return c.alarms[0].at, true
}

// advanceTo lets time pass, and calls what is due on its way.
func (c *clock) advanceTo(t time.Time) {
	for len(c.alarms) > 0 && !c.alarms[0].at.After(t) {
		a := heap.Pop(&c.alarms).(*alarm)
		if a.at.After(c.now) {
			c.now = a.at
		}
		a.f()
	}
	if t.After(c.now) {
		c.now = t
	}
}

type alarms []*alarm

func (h alarms) Len() int { return len(h) }
func (h alarms) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].seq < h[j].seq
}
func (h alarms) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *alarms) Push(x any) {
	a := x.(*alarm)
	a.index = len(*h)
	*h = append(*h, a)
}
func (h *alarms) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	a.index = -1
	return a
}

// skewed is the clock of a process, which is off by a constant.
type skewed struct {
	*clock
	p   *process
	off time.Duration
}

// AfterFunc calls f when d has passed. The calls that f makes take no time: it
// runs beside what the process does, which may rest in the middle of a call.
func (c skewed) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return c.clock.AfterFunc(d, func() {
		c.p.alarmed = true
		defer func() { c.p.alarmed = false }()
		f()
	})
}

// Now returns what the process takes for the time.
func (c skewed) Now() time.Time { return c.clock.now.Add(c.off) }

// Sleep lets others go on while the process waits. Where a scope is searched,
// time stands still.
func (c skewed) Sleep(ctx context.Context, d time.Duration) error {
	if c.p.w.walk == nil {
		c.p.pause(d)
	}
	if c.p.dead {
		return errKilled
	}
	return ctx.Err()
}

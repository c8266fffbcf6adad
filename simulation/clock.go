package simulation

import (
	"container/heap"
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
	c.seq++
	a := &alarm{at: c.now.Add(max(d, 0)), seq: c.seq, f: f}
	heap.Push(&c.alarms, a)
	return func() bool {
		if a.index < 0 {
			return false
		}
		heap.Remove(&c.alarms, a.index)
		return true
	}
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
	off time.Duration
}

// Now returns what the process takes for the time.
func (c skewed) Now() time.Time { return c.clock.now.Add(c.off) }

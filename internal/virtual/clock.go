// Package virtual is the clock of virtual time: time that stands still until
// it is told to go on.
package virtual

import (
	"container/heap"
	"sync"
	"time"
)

// Clock stands still until it is told to go to its next timer. It is a clock
// for host and for the queues and timers in memory, and is safe for concurrent
// use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	lastSeq int64
	pending timerHeap
}

type clockTimer struct {
	at    time.Time
	seq   int64
	f     func()
	index int // in the heap; -1 when it has fired or was stopped
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time at which the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc has f called by the Fire that goes to d from now; stop keeps it
// from that and reports whether it came in time.
func (c *Clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	c.lastSeq++
	t := &clockTimer{at: c.now.Add(max(d, 0)), seq: c.lastSeq, f: f}
	heap.Push(&c.pending, t)
	c.mu.Unlock()
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.index < 0 {
			return false
		}
		heap.Remove(&c.pending, t.index)
		return true
	}
}

// Next returns when the next timer is due; false where there is none.
func (c *Clock) Next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return time.Time{}, false
	}
	return c.pending[0].at, true
}

// Fire runs the next timer if it is due, or, with jump, goes to its time
// first. It reports whether one ran.
func (c *Clock) Fire(jump bool) bool {
	c.mu.Lock()
	if len(c.pending) == 0 || !jump && c.pending[0].at.After(c.now) {
		c.mu.Unlock()
		return false
	}
	t := heap.Pop(&c.pending).(*clockTimer)
	if t.at.After(c.now) {
		c.now = t.at
	}
	c.mu.Unlock()
	t.f()
	return true
}

// Set moves the clock on to a time, no further than to its next timer. It
// never goes back.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 && c.pending[0].at.Before(at) {
		at = c.pending[0].at
	}
	if at.After(c.now) {
		c.now = at
	}
}

// timerHeap has the earliest timer first; of equal ones the one set first.
type timerHeap []*clockTimer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*clockTimer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.index = -1
	return t
}

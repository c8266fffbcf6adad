package embedded

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// Clock is what queues, timers, host and client take their time from.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// virtualClock stands still until it is told to go to its next timer.
type virtualClock struct {
	mu      sync.Mutex
	now     time.Time
	lastSeq int64
	pending timerHeap
	// handled counts what is being handled; nil where nobody asks.
	handled *gauge
	// due is told of a timer that is due as soon as it is set.
	due func()
}

type virtualTimer struct {
	at    time.Time
	seq   int64
	f     func()
	index int // in the heap; -1 when it has fired or was stopped
}

func newVirtualClock(start time.Time, due func()) *virtualClock {
	return &virtualClock{now: start, due: due}
}

func (c *virtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *virtualClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	c.lastSeq++
	t := &virtualTimer{at: c.now.Add(max(d, 0)), seq: c.lastSeq, f: f}
	heap.Push(&c.pending, t)
	c.mu.Unlock()
	if d <= 0 {
		c.due()
	}
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

// fire runs the next timer if it is due, or, with jump, goes to its time
// first. It reports whether one ran.
func (c *virtualClock) fire(jump bool) bool {
	c.mu.Lock()
	if len(c.pending) == 0 || !jump && c.pending[0].at.After(c.now) {
		c.mu.Unlock()
		return false
	}
	t := heap.Pop(&c.pending).(*virtualTimer)
	if t.at.After(c.now) {
		c.now = t.at
	}
	c.mu.Unlock()
	t.f()
	return true
}

// timerHeap has the earliest timer first; of equal ones the one set first.
type timerHeap []*virtualTimer

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
	t := x.(*virtualTimer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	t.index = -1
	return t
}

package memory

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// A delivery that fails is tried again after firstRetry, then twice as long
// each time up to maxRetry, until it succeeds or the timer is closed: a firing
// is never lost.
const (
	firstRetry = time.Second
	maxRetry   = time.Minute
)

type schedule struct {
	timer.Schedule
	// seq is the order of creation.
	seq int64
	// next is when to deliver by the wall clock: Due, later after a failure; retry is how
	// long to wait after the next failure.
	next  time.Time
	retry time.Duration
	// index is its place in the heap.
	index int
}

// compare orders schedules by delivery.
func compare(a, b *schedule) int {
	if c := a.next.Compare(b.next); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// dueHeap holds the schedules, the next to deliver first.
type dueHeap []*schedule

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return compare(h[i], h[j]) < 0 }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *dueHeap) Push(x any) {
	s := x.(*schedule)
	s.index = len(*h)
	*h = append(*h, s)
}
func (h *dueHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return s
}

func (h *dueHeap) add(s *schedule)    { heap.Push(h, s) }
func (h *dueHeap) remove(s *schedule) { heap.Remove(h, s.index) }

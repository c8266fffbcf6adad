package memory

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// A failed delivery is retried after firstRetry, then after twice the previous delay, up
// to maxRetry, until it succeeds or the timer is closed. So no firing is lost.
const (
	firstRetry = time.Second
	maxRetry   = time.Minute
)

type schedule struct {
	timer.Schedule
	// seq is the order of creation.
	seq int64
	// next is when to deliver by the wall clock: Due, or later after a failure. retry is
	// the delay after the next failure.
	next  time.Time
	retry time.Duration
	// index is its position in the heap.
	index int
}

// compare orders schedules by the time of delivery.
func compare(a, b *schedule) int {
	if c := a.next.Compare(b.next); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// dueHeap holds the schedules, the next delivery first.
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

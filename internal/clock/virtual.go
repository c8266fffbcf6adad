package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Virtual is a clock that stands still until it is told to go on. It is for tests
// and simulations, and safe for concurrent use; what it calls runs on the
// goroutine that tells it to go on.
type Virtual struct {
	mu      sync.Mutex
	now     time.Time
	lastSeq int64
	pending alarmHeap
}

// Alarm is set by [Virtual.Arm], as often as one likes. Its zero value is not
// armed.
type Alarm struct {
	at  time.Time
	seq int64
	f   func()
	// place in the heap, from 1; 0 when it is not armed.
	place int
}

// NewVirtual returns a clock that stands at start.
func NewVirtual(start time.Time) *Virtual { return &Virtual{now: start} }

// Now returns the time at which the clock stands.
func (c *Virtual) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc has f called when the clock goes to d from now; stop keeps it from
// that and reports whether it came in time.
func (c *Virtual) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	a := &Alarm{}
	c.Arm(a, d, f)
	return func() bool { return c.Disarm(a) }
}

// Arm is AfterFunc for an alarm that is not armed, and allocates nothing.
func (c *Virtual) Arm(a *Alarm, d time.Duration, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.place != 0 {
		panic("clock: this alarm is armed; disarm it first")
	}
	c.lastSeq++
	a.at, a.seq, a.f = c.now.Add(max(d, 0)), c.lastSeq, f
	heap.Push(&c.pending, a)
}

// Disarm keeps an alarm from going off and reports whether it came in time.
func (c *Virtual) Disarm(a *Alarm) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.place == 0 {
		return false
	}
	heap.Remove(&c.pending, a.place-1)
	return true
}

// Armed reports whether the alarm is armed.
func (c *Virtual) Armed(a *Alarm) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return a.place != 0
}

// Pending returns how many alarms are armed.
func (c *Virtual) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

// Next returns when the next alarm is due; false where there is none.
func (c *Virtual) Next() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return time.Time{}, false
	}
	return c.pending[0].at, true
}

// Fire runs the next alarm if it is due, or, with jump, goes to its time first.
// It reports whether one ran.
func (c *Virtual) Fire(jump bool) bool {
	c.mu.Lock()
	if len(c.pending) == 0 {
		c.mu.Unlock()
		return false
	}
	by := c.now
	if jump {
		by = c.pending[0].at
	}
	c.mu.Unlock()
	return c.fireBy(by)
}

// fireBy runs the next alarm, at its time, if it is due by then.
func (c *Virtual) fireBy(by time.Time) bool {
	c.mu.Lock()
	if len(c.pending) == 0 || c.pending[0].at.After(by) {
		c.mu.Unlock()
		return false
	}
	a := heap.Pop(&c.pending).(*Alarm)
	if a.at.After(c.now) {
		c.now = a.at
	}
	f := a.f
	c.mu.Unlock()
	f()
	return true
}

// Set moves the clock on to a time, no further than to its next alarm. It never
// goes back.
func (c *Virtual) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) > 0 && c.pending[0].at.Before(at) {
		at = c.pending[0].at
	}
	if at.After(c.now) {
		c.now = at
	}
}

// Advance lets d pass, and runs what is due on its way, what that arms among it.
func (c *Virtual) Advance(d time.Duration) { c.AdvanceTo(c.Now().Add(d)) }

// AdvanceTo is Advance up to a time.
func (c *Virtual) AdvanceTo(at time.Time) {
	for c.fireBy(at) {
	}
	c.Set(at)
}

// alarmHeap has the earliest alarm first; of equal ones the one set first.
type alarmHeap []*Alarm

func (h alarmHeap) Len() int { return len(h) }

func (h alarmHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}

func (h alarmHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

func (h *alarmHeap) Push(x any) {
	a := x.(*Alarm)
	*h = append(*h, a)
	a.place = len(*h)
}

func (h *alarmHeap) Pop() any {
	old := *h
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	a.place = 0
	return a
}

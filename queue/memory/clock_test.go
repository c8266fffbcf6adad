package memory_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/queue/memory"
)

// clock is a virtual clock: time passes by Advance alone.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	seq    int
	alarms []*alarm
}

type alarm struct {
	at  time.Time
	seq int
	f   func()
}

func newClock() *clock { return &clock{now: time.Unix(1_700_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	a := &alarm{c.now.Add(max(d, 0)), c.seq, f}
	c.alarms = append(c.alarms, a)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := slices.Index(c.alarms, a)
		if i < 0 {
			return false
		}
		c.alarms = slices.Delete(c.alarms, i, i+1)
		return true
	}
}

// Advance lets d pass, and calls what is due on its way.
func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		slices.SortFunc(c.alarms, func(a, b *alarm) int {
			return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq))
		})
		if len(c.alarms) == 0 || c.alarms[0].at.After(end) {
			break
		}
		a := c.alarms[0]
		c.alarms = c.alarms[1:]
		c.now = a.at
		c.mu.Unlock()
		a.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

func (c *clock) armed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alarms)
}

func TestOneTimerIsArmedForTheNextChangeAndNoneWithout(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := open(t, memory.Options{Clock: c})
	expect := func(want int) {
		t.Helper()
		if got := c.armed(); got != want {
			t.Fatalf("%d timers are armed, want %d", got, want)
		}
	}
	expect(0)
	send(t, q, queue.Outgoing{Body: "x", Delay: time.Second}, queue.Outgoing{Body: "y", Delay: time.Minute})
	expect(1)
	c.Advance(time.Second)
	expect(1)
	receive(t, q, "x")
	expect(1)
	c.Advance(time.Minute)
	expect(0)
	receive(t, q, "x", "y")
	expect(1)
	q.Close()
	expect(0)
}

package host

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// virtualClock is a clock whose time passes by Advance alone.
type virtualClock struct {
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

func newVirtualClock() *virtualClock {
	return &virtualClock{now: time.UnixMilli(1_700_000_000_000).UTC()}
}

func (c *virtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *virtualClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
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
func (c *virtualClock) Advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		slices.SortFunc(c.alarms, func(a, b *alarm) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
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

// advanceWithin advances to the next alarm if it is due within d.
func (c *virtualClock) advanceWithin(d time.Duration) bool {
	c.mu.Lock()
	next := time.Duration(-1)
	for _, a := range c.alarms {
		if left := a.at.Sub(c.now); left <= d && (next < 0 || left < next) {
			next = left
		}
	}
	c.mu.Unlock()
	if next >= 0 {
		c.Advance(next)
	}
	return next >= 0
}

// deadline is a context whose deadline is one of virtual time.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

func TestGrownDoublesUpToTheLongest(t *testing.T) {
	t.Parallel()
	for n, want := range []time.Duration{1, 2, 4, 5, 5} {
		if got := grown(time.Second, 5*time.Second, n); got != want*time.Second {
			t.Errorf("n %d: %s, want %s", n, got, want*time.Second)
		}
	}
	if got := grown(time.Second, time.Hour, 1000); got != time.Hour {
		t.Errorf("n 1000: %s", got)
	}
	if got := grown(time.Second, time.Hour, -1); got != time.Second {
		t.Errorf("n -1: %s", got)
	}
}

// Sleep lets d pass at once: whoever waits is the only one at work.
func (c *virtualClock) Sleep(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	return ctx.Err()
}

package clock

import (
	"sync"
	"time"
)

// longest is how long an alarm of the wall clock waits before it looks at the time again.
const longest = time.Minute

// At calls f once, when the clock shows a time, or soon if it does already; stop is that of
// AfterFunc. The timers of this machine stand still while it sleeps, and do not hear that its
// clock is set forward: an alarm of a clock that Jumps comes at most a minute after either.
func At(c Clock, at time.Time, f func()) (stop func() bool) {
	if j, ok := c.(interface{ Jumps() bool }); !ok || !j.Jumps() {
		return c.AfterFunc(max(at.Sub(c.Now()), 0), f)
	}
	a := &alarm{clock: c, at: at.Round(0), f: f} // Without the time that stands still.
	a.mu.Lock()
	defer a.mu.Unlock()
	a.arm()
	return a.cancel
}

// alarm is one of a clock that jumps.
type alarm struct {
	clock Clock
	at    time.Time
	f     func()

	mu   sync.Mutex
	stop func() bool
	over bool
}

// arm waits for the time, or for a minute. The caller holds the lock.
func (a *alarm) arm() {
	a.stop = a.clock.AfterFunc(min(max(a.at.Sub(a.clock.Now()), 0), longest), a.look)
}

func (a *alarm) look() {
	a.mu.Lock()
	switch {
	case a.over:
		a.mu.Unlock()
	case a.at.After(a.clock.Now()):
		a.arm()
		a.mu.Unlock()
	default:
		a.over = true
		a.mu.Unlock()
		a.f()
	}
}

func (a *alarm) cancel() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	came := a.over
	a.over = true
	a.stop()
	return !came
}

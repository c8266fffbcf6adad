// Package clock is where queues, timers, the host and the client take their time
// from: the wall clock, or a virtual one that stands still until it is told to go
// on.
package clock

import "time"

// Clock tells the time, and says when some has passed. Implementations are safe
// for concurrent use.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, when d has passed; with d of zero or less, soon.
	// It never calls f before it returns, and holds no lock of the clock's
	// while f runs. stop keeps f from being called and reports whether it came
	// in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// Wall is the time of this machine.
type Wall struct{}

// Now is [time.Now].
func (Wall) Now() time.Time { return time.Now() }

// Jumps says that Now goes on while the machine sleeps, and with a clock that is set, which
// AfterFunc does not see.
func (Wall) Jumps() bool { return true }

// AfterFunc is [time.AfterFunc].
func (Wall) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

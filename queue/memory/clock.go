package memory

import "time"

// Clock is where a queue takes its time from.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, when d has passed; with d of zero or less, soon.
	// It never calls f before it returns, and holds no lock of the clock's
	// while f runs. stop keeps f from being called and reports whether it came
	// in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// WallClock is the time of this machine.
type WallClock struct{}

// Now is time.Now.
func (WallClock) Now() time.Time { return time.Now() }

// AfterFunc is time.AfterFunc.
func (WallClock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return time.AfterFunc(d, f).Stop
}

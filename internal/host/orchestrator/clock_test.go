package orchestrator

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// virtualClock is a clock of virtual time. A turn that waits on it lets the time pass.
type virtualClock struct{ *clock.Virtual }

func newVirtualClock() *virtualClock {
	return &virtualClock{clock.NewVirtual(time.UnixMilli(1_700_000_000_000).UTC())}
}

// advanceWithin advances to the next alarm if it is due within d.
func (c *virtualClock) advanceWithin(d time.Duration) bool {
	next, ok := c.Next()
	if !ok || next.Sub(c.Now()) > d {
		return false
	}
	c.AdvanceTo(next)
	return true
}

// deadline is a context whose deadline is in virtual time.
type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// Sleep lets d pass at once, because nothing else runs while the caller waits.
func (c *virtualClock) Sleep(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	return ctx.Err()
}

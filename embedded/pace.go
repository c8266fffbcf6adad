package embedded

import (
	"context"
	"sync"
	"time"

	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
)

// WithRealTimePacing makes virtual time easy to watch: time passes as real time does, and jumps to
// the next timer when nothing has happened for the duration longest. So an activity takes its real
// time, and a wait of a month takes at most longest. It needs [WithVirtualTime].
func WithRealTimePacing(longest time.Duration) Option {
	return option(func(o *options) { o.pace = longest })
}

// flow is time that passes as real time does, from the time at which it was set.
type flow struct {
	mu    sync.Mutex
	stood time.Time // virtual
	since time.Time // real
}

func (f *flow) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stood.Add(time.Since(f.since))
}

func (f *flow) set(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stood, f.since = at, time.Now()
}

// shortenWaits drives a flowing clock: it runs timers when they are due, and jumps to the next one
// when nothing was handled for pace and nothing is queued.
func shortenWaits(ctx context.Context, clock *virtualClock, g *gauge, queues []*memoryqueue.Queue, pace time.Duration) {
	for ctx.Err() == nil {
		now := clock.Now()
		if clock.Fire(false) {
			continue
		}
		var passed <-chan time.Time // nil waits only for a poke
		next, any := clock.Next()
		idle := g.idle(queues)
		wait := next.Sub(now)
		if idle {
			wait = min(wait, pace)
		}
		if any {
			passed = time.After(max(wait, 0))
		}
		select {
		case <-ctx.Done():
		case <-g.poked:
		case <-passed:
			if next, any := clock.Next(); any && idle && g.idle(queues) {
				clock.flow.set(next)
			}
		}
	}
}

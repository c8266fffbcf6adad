package embedded

import (
	"context"
	"sync"
	"time"

	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
)

// gauge knows whether anything is being handled.
type gauge struct {
	mu    sync.Mutex
	busy  int
	begun uint64
	poked chan struct{}
	// ended is broadcast after each batch.
	ended *signal
}

func newGauge() *gauge { return &gauge{poked: make(chan struct{}, 1), ended: &signal{}} }

// begin comes before a receive, end after what was received has been settled.
func (g *gauge) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy++
	g.begun++
}

func (g *gauge) end() {
	g.mu.Lock()
	g.busy--
	g.mu.Unlock()
	g.poke()
	g.ended.broadcast()
}

func (g *gauge) poke() {
	select {
	case g.poked <- struct{}{}:
	default:
	}
}

func (g *gauge) state() (busy int, begun uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.busy, g.begun
}

// idle reports whether nothing is being handled and no queue has anything to
// receive. Only handlers and the clock's own functions send, callers outside
// aside: so if none ran while the queues were looked at, their emptiness was
// that of one moment.
func (g *gauge) idle(queues []*memoryqueue.Queue) bool {
	busy, begun := g.state()
	if busy > 0 {
		return false
	}
	for _, q := range queues {
		select {
		case <-q.Ready():
			return false
		default:
		}
	}
	busy, now := g.state()
	return busy == 0 && now == begun
}

// skipWaits lets a virtual clock jump whenever everything is idle, and when
// what is being handled has neither ended nor been joined by anything else for
// the time of stall: it waits for the clock itself then, an attempt for its
// timeout, or the watchdog for code that blocks.
func skipWaits(ctx context.Context, clock *virtualClock, g *gauge, queues []*memoryqueue.Queue, stall time.Duration) {
	for {
		for ctx.Err() == nil && clock.Fire(g.idle(queues)) {
		}
		stalled := time.NewTimer(stall)
		select {
		case <-ctx.Done():
			stalled.Stop()
			return
		case <-g.poked:
		case <-stalled.C:
			clock.Fire(true)
		}
		stalled.Stop()
	}
}

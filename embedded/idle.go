package embedded

import (
	"context"
	"sync"
	"time"

	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
)

// gauge counts the batches that are being handled.
type gauge struct {
	mu    sync.Mutex
	busy  int
	begun uint64
	poked chan struct{}
	// ended is broadcast after each batch.
	ended *signal
}

func newGauge() *gauge { return &gauge{poked: make(chan struct{}, 1), ended: &signal{}} }

// begin is called before a receive, end after the received messages have been settled.
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

// idle reports whether nothing is being handled and no queue has a message to receive. Apart from
// callers outside, only handlers and functions of the clock send messages. So if none of them ran
// during the check, all queues were empty at the same moment.
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

// skipWaits lets a virtual clock jump whenever everything is idle. It also jumps if no batch has
// started or ended for the duration stall. The batches then wait for the clock itself: an attempt
// for its timeout, for example, or the watchdog for code that blocks.
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

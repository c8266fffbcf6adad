package queues

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/queue"
)

// Sweeper sends a wire.Sweep when a mark is due, in place of the recurring schedule
// of the template: it runs only while something is marked.
type Sweeper struct {
	clock clock.Clock
	to    queue.Queue

	mu    sync.Mutex
	at    time.Time // of the sweep to come; zero for none
	stop  func() bool
	sweep int
	over  bool
}

// NewSweeper returns one that sends to the orchestrator queue.
func NewSweeper(c clock.Clock, orchestrator queue.Queue) *Sweeper {
	return &Sweeper{clock: c, to: orchestrator}
}

// At has a sweep come at a time, or before; it is orchestrator.Config.SweepAt.
func (s *Sweeper) At(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || !s.at.IsZero() && !at.Before(s.at) {
		return
	}
	if !s.at.IsZero() {
		s.stop()
	}
	s.at = at
	s.stop = s.clock.AfterFunc(max(at.Sub(s.clock.Now()), 0), s.send)
}

// Close ends it: no further sweep is sent.
func (s *Sweeper) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() {
		s.stop()
	}
	s.over, s.at = true, time.Time{}
}

func (s *Sweeper) send() {
	s.mu.Lock()
	s.at = time.Time{}
	s.sweep++
	item := wire.Item{V: wire.Version, Kind: wire.Sweep, ID: fmt.Sprintf("sweep-%d-%d", s.clock.Now().UnixMilli(), s.sweep)}
	over := s.over
	s.mu.Unlock()
	if body, err := item.Encode(); err == nil && !over {
		// A queue in memory takes it, unless it has been closed meanwhile.
		_ = s.to.Send(context.Background(), queue.Outgoing{Body: string(body), Group: wire.SweepGroup, DedupID: wire.DedupID(&item)})
	}
}

package queues

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// slot is how exactly a sweep comes for what has ended: ends of one slot share a sweep.
const slot = 5 * time.Minute

// again is after how long a sweep is sent again that the queue refused.
const again = 30 * time.Second

// Sweeper sends a wire.Sweep when a mark is due, or when instances that have ended were
// kept for long enough, in place of the recurring schedule of the template: it runs only
// while there is something to come.
type Sweeper struct {
	clock clock.Clock
	to    queue.Queue

	mu   sync.Mutex
	at   time.Time // of the sweep to come; zero for none
	stop func() bool
	// ended are the sweeps to come for what has ended, by their slot.
	ended map[int64]func() bool
	sweep int
	over  bool
}

// NewSweeper returns one that sends to the orchestrator queue.
func NewSweeper(c clock.Clock, orchestrator queue.Queue) *Sweeper {
	return &Sweeper{clock: c, to: orchestrator, ended: map[int64]func() bool{}}
}

// At has a sweep come at a time, or before; it is orchestrator.Config.SweepAt. One for
// what has ended comes up to five minutes later.
func (s *Sweeper) At(at time.Time, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ended && !s.over {
		s.endedAt(at)
		return
	}
	if s.over || !s.at.IsZero() && !at.Before(s.at) {
		return
	}
	if !s.at.IsZero() {
		s.stop()
	}
	s.at = at
	s.stop = clock.At(s.clock, at, s.send)
}

func (s *Sweeper) endedAt(at time.Time) {
	width := slot.Nanoseconds()
	n := (at.UnixNano() + width - 1) / width
	if !at.After(s.clock.Now()) {
		n = 0 // at once
	}
	if s.ended[n] != nil {
		return
	}
	s.ended[n] = clock.At(s.clock, time.Unix(0, n*width), func() {
		s.mu.Lock()
		delete(s.ended, n)
		s.mu.Unlock()
		s.sendItem(wire.Item{Ended: wire.AllEnded})
	})
}

// Close ends it: no further sweep is sent.
func (s *Sweeper) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() {
		s.stop()
	}
	for _, stop := range s.ended {
		stop()
	}
	s.over, s.at, s.ended = true, time.Time{}, map[int64]func() bool{}
}

func (s *Sweeper) send() {
	s.mu.Lock()
	s.at = time.Time{}
	s.mu.Unlock()
	s.sendItem(wire.Item{})
}

func (s *Sweeper) sendItem(item wire.Item) {
	s.mu.Lock()
	s.sweep++
	item.V, item.Kind, item.ID = wire.Version, wire.Sweep, fmt.Sprintf("sweep-%d-%d", s.clock.Now().UnixMilli(), s.sweep)
	over := s.over
	s.mu.Unlock()
	body, err := item.Encode()
	if err != nil || over {
		return
	}
	if err := s.to.Send(context.Background(), queue.Outgoing{Body: string(body), Group: wire.SweepGroup, DedupID: wire.DedupID(&item)}); err != nil {
		// The disk is full, for one. No other sweep may be due for long.
		s.At(s.clock.Now().Add(again), item.Ended != "")
	}
}

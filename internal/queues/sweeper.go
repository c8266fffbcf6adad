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

// slot is the interval to which sweeps for ended instances are rounded, so that instances of one slot share a sweep.
const slot = 5 * time.Minute

// again is the delay after which a sweep that the queue rejected is sent again.
const again = 30 * time.Second

// Sweeper sends a wire.Sweep when a problem is due to be handled, or when the retention of ended instances is over. It
// replaces the recurring schedule of the template, and runs only while a sweep is due.
type Sweeper struct {
	clock clock.Clock
	to    queue.Queue

	mu   sync.Mutex
	at   time.Time // of the next sweep; zero for none
	stop func() bool
	// ended are the scheduled sweeps for ended instances, by their slot.
	ended map[int64]func() bool
	sweep int
	over  bool
}

// NewSweeper returns a Sweeper that sends to the orchestrator queue.
func NewSweeper(c clock.Clock, orchestrator queue.Queue) *Sweeper {
	return &Sweeper{clock: c, to: orchestrator, ended: map[int64]func() bool{}}
}

// At schedules a sweep no later than at; it is orchestrator.Config.SweepAt. A sweep for ended instances may be up to
// five minutes late.
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

// Close stops it: no further sweep is sent.
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
		// For example, the disk is full. The next sweep may not be due for a long time.
		s.At(s.clock.Now().Add(again), item.Ended != "")
	}
}

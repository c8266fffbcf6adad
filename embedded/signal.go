package embedded

import (
	"context"
	"errors"
	"sync"

	"github.com/turnstile-go/turnstile/store"
)

// signal wakes everybody who waits, each time.
type signal struct {
	mu sync.Mutex
	ch chan struct{}
}

func newSignal() *signal { return &signal{ch: make(chan struct{})} }

// wait returns a channel that the next broadcast closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ch
}

func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.ch)
	s.ch = make(chan struct{})
}

// watchedStore tells of every change of a record, so that nobody has to poll.
type watchedStore struct {
	store.Store
	changed *signal
}

// CountByStatus implements store.StatusCounter where the store does.
func (s watchedStore) CountByStatus(ctx context.Context, q store.ListQuery) (map[store.Status]int, error) {
	if counter, ok := s.Store.(store.StatusCounter); ok {
		return counter.CountByStatus(ctx, q)
	}
	return nil, errors.ErrUnsupported
}

func (s watchedStore) Commit(ctx context.Context, c store.Commit) error {
	if c.Record != nil {
		defer s.changed.broadcast()
	}
	return s.Store.Commit(ctx, c)
}

func (s watchedStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	defer s.changed.broadcast()
	return s.Store.UpdateRecord(ctx, instance, change)
}

func (s watchedStore) Hide(ctx context.Context, instance string, executionID int64, marks string) error {
	defer s.changed.broadcast()
	return s.Store.Hide(ctx, instance, executionID, marks)
}

package embedded

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// signal wakes all waiters at each broadcast. The zero value is ready for use.
type signal struct {
	mu sync.Mutex
	// ch is nil while there is no waiter.
	ch chan struct{}
}

// wait returns a channel that the next broadcast closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

func (s *signal) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}

// changes wakes the waiters of an instance. Instances share signals, so it may also wake waiters of
// other instances; there are enough signals to make this rare.
type changes struct {
	seed    maphash.Seed
	signals [256]signal
	// any is the signal of waiters for a change of any instance.
	any signal
}

func newChanges() *changes { return &changes{seed: maphash.MakeSeed()} }

func (c *changes) of(instance string) *signal {
	return &c.signals[maphash.String(c.seed, instance)%uint64(len(c.signals))]
}

// wait returns a channel that the next change of an instance closes. For an empty id it is the next
// change of any instance.
func (c *changes) wait(instance string) <-chan struct{} {
	if instance == "" {
		return c.any.wait()
	}
	return c.of(instance).wait()
}

// tell reports a change of an instance.
func (c *changes) tell(instance string) {
	c.of(instance).broadcast()
	c.any.broadcast()
}

// watchedStore reports every change of a record and every answer to an update, so that clients do not
// have to poll.
type watchedStore struct {
	store.Store
	changed *changes
}

// CountByStatus implements store.StatusCounter if the store does.
func (s watchedStore) CountByStatus(ctx context.Context, q store.ListQuery, most int) (map[store.Status]int, map[store.Status]bool, error) {
	if counter, ok := s.Store.(store.StatusCounter); ok {
		return counter.CountByStatus(ctx, q, most)
	}
	return nil, nil, errors.ErrUnsupported
}

func (s watchedStore) Commit(ctx context.Context, c store.Commit) error {
	if c.Record != nil && len(c.Turns) > 0 {
		defer s.changed.tell(c.Turns[0].Instance)
	}
	return s.Store.Commit(ctx, c)
}

func (s watchedStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	defer s.changed.tell(instance)
	return s.Store.UpdateRecord(ctx, instance, change)
}

func (s watchedStore) PutAnswer(ctx context.Context, a store.Answer) error {
	defer s.changed.tell(a.Instance)
	return s.Store.PutAnswer(ctx, a)
}

func (s watchedStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	defer s.changed.tell(instance)
	return s.Store.Hide(ctx, instance, executionID, freeAt)
}

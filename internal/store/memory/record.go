package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// check returns an error if the condition of a record change does not hold. The caller holds the lock.
func (s *Store) check(instance string, change *store.RecordChange) error {
	found := s.find(instance)
	if !change.Holds(found) {
		return &store.RecordConflictError{Instance: instance, Found: found}
	}
	return nil
}

// find returns a copy of the record; nil if there is none. The caller holds the lock.
func (s *Store) find(instance string) *store.Record {
	r, ok := s.records[instance]
	if !ok {
		return nil
	}
	r = r.Stored()
	return &r
}

// Describe implements store.Store.
func (s *Store) Describe(ctx context.Context, instance string) (store.Record, error) {
	if err := ctx.Err(); err != nil {
		return store.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(instance); r != nil {
		return *r, nil
	}
	return store.Record{}, store.NotFound(instance)
}

// UpdateRecord implements store.Store.
func (s *Store) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(instance, &change); err != nil {
		return err
	}
	s.records[instance] = change.Apply(s.records[instance])
	return nil
}

// Hide implements store.Store.
func (s *Store) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.find(instance)
	if r == nil || r.ExecutionID != executionID || !r.Purged && !r.Status.Terminal() {
		return &store.RecordConflictError{Instance: instance, Found: r}
	}
	s.records[instance] = r.Hidden(freeAt)
	return nil
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, q store.ListQuery) (store.ListPage, error) {
	if err := ctx.Err(); err != nil {
		return store.ListPage{}, err
	}
	low, high, err := q.KeyRange()
	if err != nil {
		return store.ListPage{}, err
	}
	type entry struct {
		key, instance string
	}
	var entries []entry
	s.mu.Lock()
	defer s.mu.Unlock()
	for instance, r := range s.records {
		if key := r.ListKey(); q.Matches(&r) && low <= key && key < high {
			entries = append(entries, entry{key, instance})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(b.key, a.key) })
	var page store.ListPage
	for i, e := range entries {
		if i == q.Limit() {
			page.NextPageToken = q.TokenAfter(entries[i-1].key)
			break
		}
		page.Records = append(page.Records, *s.find(e.instance))
	}
	return page, nil
}

// CountByStatus implements store.StatusCounter. It counts all instances.
func (s *Store) CountByStatus(ctx context.Context, q store.ListQuery, _ int) (counts map[store.Status]int, more map[store.Status]bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	q.PageToken = ""
	low, high, err := q.KeyRange()
	if err != nil {
		return nil, nil, err
	}
	counts = map[store.Status]int{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if key := r.ListKey(); q.Matches(&r) && low <= key && key < high {
			counts[r.Status]++
		}
	}
	return counts, nil, nil
}

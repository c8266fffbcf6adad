// Package metering is a store that wraps another one and counts what each call would cost on DynamoDB:
// requests, capacity units and bytes. Around internal/store/memory it shows what a workload costs,
// without a table and without waiting.
package metering

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// Store charges Commit, Read, Describe, UpdateRecord, PutAnswer and ReadAnswer as DynamoDB would charge
// store/dynamo for them:
//
//   - A write costs one unit per started KB of each item; twice that in a transaction. A change of a
//     record counts the record before or after it, whichever is larger. A write whose condition fails
//     costs the same.
//   - An answer that replaces another one counts as the larger of the two.
//   - An index entry that is added or removed costs one more write, two in a transaction.
//   - A search attribute whose value changes costs the item by which the instance is found, and its
//     index entries.
//   - An isolated read costs two units for each 4 KB of the record and of the item in the slot, or two
//     if the slot is free.
//   - A read costs one unit for each 4 KB of a page of a Query, strongly consistent; pages hold 1 MB. A
//     read that finds nothing costs one unit (DynamoDB Local reports none).
//
// The sizes are those of the items that store/dynamo writes. Lists and purges are passed on without a
// charge. The store knows only the items that were committed through it, so it must be used from the
// first commit.
type Store struct {
	store.Store
	encoder *dynamo.Encoder
	meter   func(dynamo.Usage)

	mu    sync.Mutex
	slots map[execution][]slot
	// changed are the records that contain the name of a change made without a turn.
	changed map[string]bool
}

type execution struct {
	instance string
	id       int64
}

// slot is a stored item.
type slot struct {
	first, turn int64
	size        int
}

// New returns a store around inner that calls meter for each request that a store with this
// configuration would make.
func New(inner store.Store, config dynamo.Config, meter func(dynamo.Usage)) *Store {
	return &Store{
		Store: inner, encoder: dynamo.NewEncoder(config), meter: meter,
		slots: make(map[execution][]slot), changed: make(map[string]bool),
	}
}

const (
	writeUnit = 1 << 10
	readUnit  = 4 << 10
	page      = 1 << 20
)

func units(size, unit int) float64 { return float64(max((size+unit-1)/unit, 1)) }

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u := dynamo.Usage{Operation: "PutItem"}
	written := make(map[execution][]slot, len(c.Turns))
	for i := range c.Turns {
		t := &c.Turns[i]
		items, err := s.encoder.Turn(t)
		if err != nil {
			return err
		}
		for j := range items {
			sl := slot{first: items[j].First(), turn: t.First(), size: items[j].Size}
			key := execution{t.Instance, t.ExecutionID}
			written[key] = append(written[key], sl)
			u.Items++
			u.Bytes += sl.size
			u.WriteUnits += units(sl.size, writeUnit)
		}
	}
	instance := c.Turns[0].Instance
	var before record
	if c.Record != nil {
		before = s.record(ctx, instance)
	}
	err := s.Store.Commit(ctx, c)
	if _, large := errors.AsType[*store.TooLargeError](err); large {
		return err // No request is made.
	}
	u.Failed = err != nil
	if err == nil {
		for key, slots := range written {
			for _, sl := range slots {
				s.slots[key] = inserted(s.slots[key], sl)
			}
		}
	}
	if c.Record != nil {
		if err == nil && c.Record.Create != nil {
			delete(s.changed, instance)
		}
		after := s.record(ctx, instance)
		u.Items++
		u.Bytes += after.size
		search, items, bytes := searchCost(before, after)
		u.Items += items
		u.Bytes += bytes
		u.WriteUnits += cost(before, after) + search
	}
	if u.Items > 1 {
		u.Operation = "TransactWriteItems"
		u.WriteUnits *= 2
	}
	s.meter(u)
	return err
}

func inserted(slots []slot, sl slot) []slot {
	i, found := search(slots, sl.first)
	if found {
		slots[i] = sl
		return slots
	}
	return slices.Insert(slots, i, sl)
}

func search(slots []slot, first int64) (int, bool) {
	return slices.BinarySearchFunc(slots, first, func(sl slot, first int64) int { return cmp.Compare(sl.first, first) })
}

// UpdateRecord implements store.Store.
func (s *Store) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.record(ctx, instance)
	err := s.Store.UpdateRecord(ctx, instance, change)
	if err == nil {
		s.changed[instance] = true
	}
	after := s.record(ctx, instance)
	u := dynamo.Usage{Operation: "UpdateItem", Items: 1, Bytes: after.size, WriteUnits: cost(before, after), Failed: err != nil}
	if change.Create != nil {
		u.Operation = "PutItem"
	}
	if search, items, bytes := searchCost(before, after); items > 0 {
		u.Operation, u.Items, u.Bytes, u.WriteUnits = "TransactWriteItems", 1+items, u.Bytes+bytes, 2*(u.WriteUnits+search)
	}
	s.meter(u)
	return err
}

// Describe implements store.Store.
func (s *Store) Describe(ctx context.Context, instance string) (store.Record, error) {
	s.mu.Lock()
	r := s.record(ctx, instance)
	s.mu.Unlock()
	u := dynamo.Usage{Operation: "GetItem", ReadUnits: units(r.size, readUnit), Bytes: r.size}
	if r.size > 0 {
		u.Items = 1
	}
	s.meter(u)
	return s.Store.Describe(ctx, instance)
}

// PutAnswer implements store.Answers. If the same or a later answer is stored, the condition of the write
// fails.
func (s *Store) PutAnswer(ctx context.Context, a store.Answer) error {
	item, err := s.encoder.Answer(&a)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was, before, found := s.answer(ctx, a.AnswerKey)
	err = s.Store.PutAnswer(ctx, a)
	s.meter(dynamo.Usage{
		Operation: "PutItem", Items: 1, Bytes: item.Size, WriteUnits: units(max(before, item.Size), writeUnit),
		Failed: err != nil || found && !a.Replaces(&was),
	})
	return err
}

// ReadAnswer implements store.Answers.
func (s *Store) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	s.mu.Lock()
	_, size, found := s.answer(ctx, key)
	s.mu.Unlock()
	u := dynamo.Usage{Operation: "GetItem", ReadUnits: units(size, readUnit), Bytes: size}
	if found {
		u.Items = 1
	}
	s.meter(u)
	return s.Store.ReadAnswer(ctx, key)
}

// answer returns a stored answer and the size of its item.
func (s *Store) answer(ctx context.Context, key store.AnswerKey) (a store.Answer, size int, found bool) {
	a, err := s.Store.ReadAnswer(ctx, key)
	if err != nil {
		return store.Answer{}, 0, false
	}
	item, err := s.encoder.Answer(&a)
	return a, item.Size, err == nil
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	s.mu.Lock()
	slots := s.slots[execution{instance, executionID}]
	i, _ := search(slots, from)
	s.query(slots[i:])
	// Like store/dynamo: if no turn begins at `from`, the turn that contains it is searched for.
	if from > 1 && (i == len(slots) || slots[i].first != from || slots[i].turn != from) && i > 0 {
		s.query(slots[i-1 : i])
		if head, _ := search(slots, slots[i-1].turn); head < i-1 {
			s.query(slots[head : i-1])
		}
	}
	s.mu.Unlock()
	return s.Store.Read(ctx, instance, executionID, from)
}

// ReadIsolated implements store.Store: two units for each 4 KB of each item. Each item of a split turn
// is a separate request, with the record.
func (s *Store) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	s.mu.Lock()
	r := s.record(ctx, instance)
	slots := s.slots[execution{instance, executionID}]
	i, found := search(slots, eventID)
	for first := i; ; i++ {
		u := dynamo.Usage{Operation: "TransactGetItems", ReadUnits: 2 * units(r.size, readUnit), Bytes: r.size}
		if r.size > 0 {
			u.Items++
		}
		if !found {
			u.ReadUnits += 2
			s.meter(u)
			break
		}
		u.Items, u.Bytes, u.ReadUnits = u.Items+1, u.Bytes+slots[i].size, u.ReadUnits+2*units(slots[i].size, readUnit)
		s.meter(u)
		if i+1 == len(slots) || slots[i+1].turn != slots[first].turn {
			break
		}
	}
	s.mu.Unlock()
	return s.Store.ReadIsolated(ctx, instance, executionID, eventID)
}

// query charges a Query that returns the slots, one request per page.
func (s *Store) query(slots []slot) {
	u := dynamo.Usage{Operation: "Query"}
	flush := func() {
		u.ReadUnits = units(u.Bytes, readUnit)
		s.meter(u)
		u.Items, u.Bytes = 0, 0
	}
	for _, sl := range slots {
		if u.Bytes+sl.size > page {
			flush()
		}
		u.Items++
		u.Bytes += sl.size
	}
	if u.Items > 0 || len(slots) == 0 {
		flush()
	}
}

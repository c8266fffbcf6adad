package bill

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/turnstile-go/turnstile/store"
)

const (
	writeUnit = 1 << 10
	readUnit  = 4 << 10
)

// Store returns s with its calls counted as DynamoDB would charge for them, by the sizes of
// the items. It computes sizes without the SDK: those of turns are exact, those of records
// approximate. A write costs a unit for each KB, twice that in a transaction, which a turn
// needs if it changes the record; each index entry that is added or removed costs another
// write. A read costs a unit for each 4 KB.
//
// internal/store/metering charges by the items themselves; tools/bench/bill compares this
// one with it.
func (m *Meter) Store(s store.Store) store.Store {
	return meteredStore{s, m, &turnSizes{of: map[stored]int{}}, &gone{}, &answered{}}
}

type meteredStore struct {
	store.Store
	m     *Meter
	sizes *turnSizes
	gone  *gone
	// answered has the updates whose answers were stored, because a store does not list them.
	answered *answered
}

// turnSizes caches the sizes of turns, so that a turn that is read repeatedly is measured
// once. The key is the token, which is new for each content, and the first event, because a
// test may use a token twice.
type turnSizes struct {
	mu sync.Mutex
	of map[stored]int
}

type stored struct {
	token string
	first int64
}

func (s *turnSizes) size(turn *store.Turn) int {
	if turn.Token == "" {
		return TurnSize(turn)
	}
	s.mu.Lock()
	n, known := s.of[stored{turn.Token, turn.First()}]
	s.mu.Unlock()
	if !known {
		n = TurnSize(turn)
		s.mu.Lock()
		s.of[stored{turn.Token, turn.First()}] = n
		s.mu.Unlock()
	}
	return n
}

func (s meteredStore) Commit(ctx context.Context, c store.Commit) error {
	sum := 0.0
	for i := range c.Turns {
		t := &c.Turns[i]
		sum += units(s.sizes.size(t), writeUnit)
	}
	if c.Record == nil {
		err := s.Store.Commit(ctx, c)
		s.charge(sum, len(c.Turns) > 1)
		return err
	}
	instance := c.Turns[0].Instance
	before := s.record(ctx, instance)
	err := s.Store.Commit(ctx, c)
	s.charge(sum+changeUnits(before, s.record(ctx, instance)), true)
	return err
}

func (s meteredStore) charge(n float64, transaction bool) {
	if transaction {
		n *= 2
	}
	s.m.Request(WriteUnits, n)
}

func (s meteredStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	before := s.record(ctx, instance)
	err := s.Store.UpdateRecord(ctx, instance, change)
	s.charge(changeUnits(before, s.record(ctx, instance)), len(change.SearchAttributes) > 0)
	return err
}

func (s meteredStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	r, err := s.Store.Describe(ctx, instance)
	s.m.Request(ReadUnits, units(recordSize(&r), readUnit))
	return r, err
}

func (s meteredStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	turns, err := s.Store.Read(ctx, instance, executionID, from)
	bytes := 0
	for i := range turns {
		bytes += s.sizes.size(&turns[i])
	}
	s.m.Request(ReadUnits, units(bytes, readUnit))
	return turns, err
}

func (s meteredStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	s.m.Request(ReadUnits, 4)
	return s.Store.ReadIsolated(ctx, instance, executionID, eventID)
}

// record returns the record, or nil if there is none.
func (s meteredStore) record(ctx context.Context, instance string) *store.Record {
	r, err := s.Store.Describe(ctx, instance)
	if err != nil {
		return nil
	}
	return &r
}

// changeUnits returns the write units for a change of a record outside a transaction: the
// larger of the old and the new size, plus each entry of the three indexes that is added or
// removed, plus each search attribute with its entry.
func changeUnits(before, after *store.Record) float64 {
	n := units(max(recordSize(before), recordSize(after)), writeUnit)
	entry := func(of func(*store.Record) string) {
		b, a := "", ""
		if before != nil && !before.Purged {
			b = of(before)
		}
		if after != nil && !after.Purged {
			a = of(after)
		}
		if a != b && b != "" {
			n++
		}
		if a != b && a != "" {
			n++
		}
	}
	entry(func(r *store.Record) string { return r.ListKey() })
	entry(func(r *store.Record) string { return r.ListKey() + string(r.Status) })
	entry(func(r *store.Record) string { return r.ListKey() + r.Name })
	if after != nil {
		for name, v := range after.SearchAttributes {
			had := false
			if before != nil {
				was, ok := before.SearchAttributes[name]
				if had = ok; ok && was == v {
					continue
				}
			}
			if n += 2; had {
				n++
			}
		}
	}
	return n
}

// recordSize returns the approximate size of the item of a record, in bytes.
func recordSize(r *store.Record) int {
	if r == nil || r.Instance == "" {
		return 0
	}
	const rest = 330 // names of attributes, times, numbers, keys of indexes
	n := rest + 2*len(r.Instance) + len(r.StartID) + 2*len(r.Name) + len(r.Version) + 2*len(r.Status) +
		len(r.States) + len(r.Output) + len(r.Suspect) + len(r.Dispatched) + len(r.FairnessGroup)
	for _, v := range []any{r.Failure, r.Parent, r.Problem, r.Suspension, r.Origin} {
		if text, err := json.Marshal(v); err == nil && len(text) > len("null") {
			n += len(text) + len("failure")
		}
	}
	for name := range r.SearchAttributes {
		n += len(name) + 20
	}
	return n
}

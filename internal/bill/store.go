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

// Store returns s with its calls counted as DynamoDB would charge for them, by the
// sizes that items have there, computed without its SDK: turns to the byte, records
// nearly so. A write is a unit for each KB, twice that in a transaction, which a
// change of the record makes of it; an index entry that comes or goes is a write
// more. A read is a unit for each 4 KB.
//
// internal/store/metering charges by the items themselves; tools/bench/bill holds this one
// against it.
func (m *Meter) Store(s store.Store) store.Store {
	return meteredStore{s, m, &turnSizes{of: map[string]int{}}, &gone{}}
}

type meteredStore struct {
	store.Store
	m     *Meter
	sizes *turnSizes
	gone  *gone
}

// turnSizes are the sizes of turns by their tokens, which are new for each content:
// a turn that is read again and again is measured once.
type turnSizes struct {
	mu sync.Mutex
	of map[string]int
}

func (s *turnSizes) size(turn *store.Turn) int {
	if turn.Token == "" {
		return TurnSize(turn)
	}
	s.mu.Lock()
	n, known := s.of[turn.Token]
	s.mu.Unlock()
	if !known {
		n = TurnSize(turn)
		s.mu.Lock()
		s.of[turn.Token] = n
		s.mu.Unlock()
	}
	return n
}

func (s meteredStore) Commit(ctx context.Context, c store.Commit) error {
	sum := 0.0
	for i := range c.Turns {
		t := &c.Turns[i]
		if t.Ahead == "" {
			sum += units(s.sizes.size(t), writeUnit)
			continue
		}
		rest := *t
		rest.Events = t.Stored()
		sum += units(TurnSize(&rest), writeUnit)
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

func (s meteredStore) WriteAhead(ctx context.Context, part store.Turn) error {
	s.charge(units(TurnSize(&part), writeUnit), false)
	return s.Store.WriteAhead(ctx, part)
}

// Ahead counts as if nothing were found: what is found was begun by a process that has died.
func (s meteredStore) Ahead(ctx context.Context, instance string, executionID int64, name string) (int64, error) {
	s.m.Request(ReadUnits, 1)
	return s.Store.Ahead(ctx, instance, executionID, name)
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

// record returns how the record stands; nil where there is none.
func (s meteredStore) record(ctx context.Context, instance string) *store.Record {
	r, err := s.Store.Describe(ctx, instance)
	if err != nil {
		return nil
	}
	return &r
}

// changeUnits is what a change of a record costs, outside of a transaction: the
// larger of what it was and is, each entry of the three indexes that comes or goes,
// and each search attribute with its entry.
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

// recordSize is about the size of the item of a record.
func recordSize(r *store.Record) int {
	if r == nil || r.Instance == "" {
		return 0
	}
	const rest = 330 // names of attributes, times, numbers, keys of indexes
	n := rest + 2*len(r.Instance) + len(r.StartID) + 2*len(r.Name) + len(r.Version) + 2*len(r.Status) +
		len(r.CustomStatus) + len(r.Output) + len(r.Suspect) + len(r.Dispatched) + len(r.FairnessGroup)
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

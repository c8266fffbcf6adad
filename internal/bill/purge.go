package bill

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// listShards is the number of shards of an index (dynamo.DefaultShards). A list reads each of
// them, which costs at least half a unit.
const listShards = 8

func (s meteredStore) List(ctx context.Context, q store.ListQuery) (store.ListPage, error) {
	page, err := s.Store.List(ctx, q)
	n := listShards * 0.5
	for i := range page.Records {
		n += units(recordSize(&page.Records[i]), readUnit)
	}
	s.m.Request(ReadUnits, n)
	return page, err
}

// Hide reads the record first, because the search attributes are deleted with it.
func (s meteredStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	before := s.record(ctx, instance)
	err := s.Store.Hide(ctx, instance, executionID, freeAt)
	s.m.Request(ReadUnits, units(recordSize(before), readUnit))
	searched := 0
	if before != nil {
		searched = len(before.SearchAttributes)
	}
	s.charge(changeUnits(before, s.record(ctx, instance))+float64(2*searched), searched > 0)
	return err
}

// DeleteHistory reads the keys of what it deletes, and pays for the size of the deleted
// items.
func (s meteredStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (bool, error) {
	from := s.gone.upTo(instance) + 1
	before := s.stored(ctx, instance, from, upTo)
	done, err := s.Store.DeleteHistory(ctx, instance, upTo, limit)
	after := s.stored(ctx, instance, from, upTo)
	if done {
		s.gone.note(instance, upTo)
	}
	read, deleted := 0, 0.0
	for slot, size := range before {
		if _, left := after[slot]; !left {
			read += size
			deleted += units(size, writeUnit)
		}
	}
	if upTo > looked {
		for range looks {
			s.m.Request(ReadUnits, 0.5)
		}
	}
	s.m.Request(ReadUnits, units(read, readUnit))
	s.charge(deleted, false)
	return done, err
}

// For an instance with more executions than `looked`, DynamoDB's store first searches for the
// oldest remaining one. That takes `looks` reads if earlier executions were deleted page by
// page.
const (
	looked = 8
	looks  = 4
)

// gone records, by instance, the last execution up to which all histories are deleted.
// Execution numbers are never reused.
type gone struct {
	mu   sync.Mutex
	last map[string]int64
}

func (g *gone) upTo(instance string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last[instance]
}

func (g *gone) note(instance string, upTo int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		g.last = map[string]int64{}
	}
	g.last[instance] = max(g.last[instance], upTo)
}

type slot struct{ execution, first int64 }

// stored returns the sizes of the stored turns of executions.
func (s meteredStore) stored(ctx context.Context, instance string, from, upTo int64) map[slot]int {
	all := map[slot]int{}
	for execution := from; execution <= upTo; execution++ {
		turns, err := s.Store.Read(ctx, instance, execution, 1)
		if err != nil {
			continue // A history whose start is deleted counts as empty.
		}
		for i := range turns {
			all[slot{execution, turns[i].First()}] = s.sizes.size(&turns[i])
		}
	}
	return all
}

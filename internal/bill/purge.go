package bill

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// listShards are those of an index (dynamo.DefaultShards), of which a list reads each:
// half a unit and more.
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

// Hide reads the record first, for the search attributes that go with it.
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

// DeleteHistory reads the keys of what it deletes, and pays for what was there.
func (s meteredStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (bool, error) {
	before := s.stored(ctx, instance, upTo)
	done, err := s.Store.DeleteHistory(ctx, instance, upTo, limit)
	after := s.stored(ctx, instance, upTo)
	read, deleted := 0, 0.0
	for slot, size := range before {
		if _, left := after[slot]; !left {
			read += size
			deleted += units(size, writeUnit)
		}
	}
	s.m.Request(ReadUnits, units(read, readUnit))
	s.charge(deleted, false)
	return done, err
}

type slot struct{ execution, first int64 }

// stored returns the sizes of what is stored of executions.
func (s meteredStore) stored(ctx context.Context, instance string, upTo int64) map[slot]int {
	all := map[slot]int{}
	for execution := int64(1); execution <= upTo; execution++ {
		turns, err := s.Store.Read(ctx, instance, execution, 1)
		if err != nil {
			continue // What is left of a history whose beginning is deleted is none.
		}
		for i := range turns {
			all[slot{execution, turns[i].First()}] = s.sizes.size(&turns[i])
		}
	}
	return all
}

package storetest

import (
	"context"
	"reflect"
	"sync"
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

// isolated checks ReadIsolated for slots that are taken, free, and taken by a turn of several items.
func isolated(t *testing.T, o Options) {
	s := o.Open(t)
	r := running("order-7", 0)
	start := turn("order-7", 1, 1, 2, "start")
	must(t, s.Commit(t.Context(), store.Commit{Turns: []store.Turn{start}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}))
	large := withPayloads(turn("order-7", 1, 3, 5, "large"), 240_000, true)
	commit(t, s, large)
	for _, c := range []struct {
		name                 string
		instance             string
		executionID, eventID int64
		want                 store.Isolated
	}{
		{"the first turn", "order-7", 1, 1, store.Isolated{Record: &r, Stored: true}},
		{"a turn of several items", "order-7", 1, 3, store.Isolated{Record: &r, Stored: true}},
		{"behind the last turn", "order-7", 1, 8, store.Isolated{Record: &r}},
		{"an execution that never was", "order-7", 2, 1, store.Isolated{Record: &r}},
		{"an unknown instance", "order-8", 1, 1, store.Isolated{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.ReadIsolated(t.Context(), c.instance, c.executionID, c.eventID)
			if err != nil || got.Stored != c.want.Stored || !reflect.DeepEqual(got.Record, c.want.Record) {
				t.Fatalf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	t.Run("a purged instance", func(t *testing.T) {
		p := running("order-9", 0)
		p.Status = store.StatusCompleted
		create(t, s, p)
		must(t, s.Hide(t.Context(), "order-9", 1, free))
		got, err := s.ReadIsolated(t.Context(), "order-9", 1, 1)
		if err != nil || got.Stored || got.Record == nil || !got.Record.Purged || got.Record.ExecutionID != 1 {
			t.Fatalf("got %+v, %v, want the tombstone and no slot", got, err)
		}
	})
	t.Run("a turn of which parts are lost", func(t *testing.T) {
		if o.HalfWrite == nil {
			t.Skip("this backend stores a turn in one piece: no part of it can be lost")
		}
		x := withPayloads(turn("order-10", 1, 1, 5, "split"), 240_000, true)
		states := o.HalfWrite(t, s, x)
		for i, next := range states {
			next()
			got, err := s.ReadIsolated(t.Context(), "order-10", 1, 1)
			if want := i == len(states)-1; err != nil || got.Stored != want {
				t.Fatalf("state %d of %d: got %+v, %v, want stored: %v", i+1, len(states), got, err, want)
			}
		}
	})
	t.Run("beside commits", func(t *testing.T) { isolatedBesideCommits(t, o) })
}

// isolatedBesideCommits continues an instance as new repeatedly while it reads, and checks that a
// record is never found without the start of its execution.
func isolatedBesideCommits(t *testing.T, o Options) {
	s := o.Open(t)
	r := running("order-7", 0)
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn("order-7", 1, 1, 1, "start")},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}); err != nil {
		t.Fatal(err)
	}
	const executions = 30
	reader := o.Reopen(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for last := int64(1); ctx.Err() == nil && last < executions; {
			d, err := reader.Describe(ctx, "order-7")
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("describe: %v", err)
				}
				return
			}
			last = d.ExecutionID
			got, err := reader.ReadIsolated(ctx, "order-7", last, 1)
			if err == nil && !got.Stored {
				t.Errorf("the record is at execution %d, which has no start", last)
				return
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("execution %d: %v", last, err)
				return
			}
		}
	})
	for n := int64(1); n < executions; n++ {
		next := n + 1
		if err := s.Commit(t.Context(), store.Commit{
			Turns:  []store.Turn{turn("order-7", n, 2, 1, "end"), turn("order-7", next, 1, 1, "start")},
			Record: &store.RecordChange{If: store.RecordCondition{ExecutionID: n}, ExecutionID: &next, UpdatedAt: epoch},
		}); err != nil {
			t.Error(err)
			break
		}
	}
	stop()
	wg.Wait()
}

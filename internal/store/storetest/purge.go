package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

func purge(t *testing.T, o Options) {
	s := o.Open(t)
	const executions, turns = 3, 30
	for e := range int64(executions) {
		for i := range int64(turns) {
			commit(t, s, turn("order-7", e+1, 2*i+1, 2, fmt.Sprintf("turn-%d", i)))
		}
	}
	commit(t, s, turn("order-77", 1, 1, 1, "a"))
	r := running("order-7", 0)
	r.ExecutionID, r.Output, r.Suspect, r.Dispatched, r.Stamp = executions, []byte("7"), "m", "m 1/2/0 1/9/0", 3
	r.Reserved, r.Skipped = store.Reservation{ExecutionID: executions + 1, StartID: "a b"}, []int64{2}
	create(t, s, r)

	t.Run("a running instance is not hidden", func(t *testing.T) {
		wantRecordConflict(t, s.Hide(t.Context(), "order-7", executions, free), &r)
		wantRecord(t, s, r)
	})
	end(t, s, "order-7")
	t.Run("nor one that has another execution, or no record", func(t *testing.T) {
		wantConflict(t, s.Hide(t.Context(), "order-7", executions-1, free))
		wantConflict(t, s.Hide(t.Context(), "order-7", executions+1, free))
		wantRecordConflict(t, s.Hide(t.Context(), "order-8", 1, free), nil)
	})
	t.Run("hidden, its tombstone is left, also when hidden again", func(t *testing.T) {
		want := tombstone("order-7", executions)
		want.Reserved = r.Reserved
		for _, at := range []time.Time{free, free.Add(-time.Hour), free, {}} {
			must(t, s.Hide(t.Context(), "order-7", executions, at))
			wantRecord(t, s, want)
		}
		for _, q := range []store.ListQuery{{}, {Status: store.StatusCompleted}, {Name: "Fulfil"}} {
			if ids := listAll(t, s, q, nil); len(ids) != 0 {
				t.Fatalf("a hidden instance is listed: %v", ids)
			}
		}
		wantConflict(t, s.UpdateRecord(t.Context(), "order-7", store.RecordChange{If: store.RecordCondition{Running: true}, UpdatedAt: epoch}))
	})
	t.Run("deleting can be interrupted anywhere and never leaves a shorter history", func(t *testing.T) {
		for calls := 1; ; calls++ {
			done, err := s.DeleteHistory(t.Context(), "order-7", executions, 7)
			must(t, err)
			for e := range int64(executions) {
				found, err := s.Read(t.Context(), "order-7", e+1, 1)
				var corrupt *store.CorruptError
				if err != nil && !errors.As(err, &corrupt) {
					t.Fatal(err)
				}
				if n := len(found); n != 0 && n != turns {
					t.Fatalf("after %d calls execution %d reads as a history of %d turns", calls, e+1, n)
				}
			}
			if done {
				break
			}
			if calls > executions*turns {
				t.Fatal("deleting does not end")
			}
		}
		for range 2 {
			for e := range int64(executions) {
				same(t, read(t, s, "order-7", e+1, 1), nil)
			}
			if done, err := s.DeleteHistory(t.Context(), "order-7", executions, 7); err != nil || !done {
				t.Fatalf("deleting again: %v, %v", done, err)
			}
		}
		same(t, read(t, s, "order-77", 1, 1), []store.Turn{turn("order-77", 1, 1, 1, "a")})
	})
	next := running("order-7", 100)
	next.ExecutionID, next.FirstExecution, next.StartID = executions+1, executions+1, "start-2"
	starts := func(number int64, at time.Time) store.Commit {
		return store.Commit{
			Turns:  []store.Turn{turn("order-7", executions+1, 1, 1, "b")},
			Record: &store.RecordChange{If: store.RecordCondition{Absent: true, ExecutionID: number, At: at}, Create: &next},
		}
	}
	t.Run("its id can't be started until it is free", func(t *testing.T) {
		want := tombstone("order-7", executions)
		want.Reserved = r.Reserved
		for _, c := range []store.Commit{starts(0, free), starts(executions, free.Add(-time.Millisecond)), starts(executions, epoch), starts(executions, time.Time{}), starts(executions-1, free)} {
			wantRecordConflict(t, s.Commit(t.Context(), c), &want)
			wantRecordConflict(t, s.UpdateRecord(t.Context(), "order-7", *c.Record), &want)
		}
		wantRecord(t, s, want)
		same(t, read(t, s, "order-7", executions+1, 1), nil)
	})
	t.Run("hidden again for longer, it is free later", func(t *testing.T) {
		must(t, s.Hide(t.Context(), "order-7", executions, free.Add(time.Hour)))
		want := tombstone("order-7", executions)
		want.Reserved = r.Reserved
		want.FreeAt = free.Add(time.Hour)
		wantRecord(t, s, want)
		wantRecordConflict(t, s.Commit(t.Context(), starts(executions, free)), &want)
	})
	t.Run("free, it is started again with the next execution", func(t *testing.T) {
		c := starts(executions, free.Add(time.Hour))
		must(t, s.Commit(t.Context(), c))
		wantRecord(t, s, next)
		wantRecordConflict(t, s.Hide(t.Context(), "order-7", executions, free), &next)
		if done, err := s.DeleteHistory(t.Context(), "order-7", executions, 0); err != nil || !done {
			t.Fatalf("delete of what was purged: %v, %v", done, err)
		}
		same(t, read(t, s, "order-7", executions+1, 1), c.Turns)
	})
	t.Run("and hidden again when it has ended", func(t *testing.T) {
		end(t, s, "order-7")
		must(t, s.Hide(t.Context(), "order-7", executions+1, free.Add(2*time.Hour)))
		want := tombstone("order-7", executions+1)
		want.StartID, want.FreeAt = "start-2", free.Add(2*time.Hour)
		wantRecord(t, s, want)
	})
	t.Run("many executions are deleted without a bound", func(t *testing.T) {
		for e := range int64(70) {
			commit(t, s, turn("loop", e+1, 1, 1, "a"))
		}
		for _, upTo := range []int64{40, 70} {
			if done, err := s.DeleteHistory(t.Context(), "loop", upTo, 0); err != nil || !done {
				t.Fatalf("delete: %v, %v", done, err)
			}
			for e := range int64(70) {
				if n := len(read(t, s, "loop", e+1, 1)); (n == 0) != (e+1 <= upTo) {
					t.Fatalf("execution %d has %d turns after a delete up to %d", e+1, n, upTo)
				}
			}
		}
	})
	t.Run("executions are pruned while others follow, and of two that prune one loses", func(t *testing.T) {
		r := running("endless", 200)
		create(t, s, r)
		for e := int64(1); e <= 90; e++ {
			commit(t, s, turn("endless", e, 1, 1, "a"))
			commit(t, s, turn("endless", e, 2, 1, "b"))
			if e%9 != 0 || e < 18 {
				continue
			}
			change := r.Prune(e-9, epoch)
			must(t, s.UpdateRecord(t.Context(), "endless", change))
			wantRecordConflict(t, s.UpdateRecord(t.Context(), "endless", r.Prune(e-10, epoch)), new(change.Apply(r)))
			r = change.Apply(r)
			wantRecord(t, s, r)
			if r.FirstExecution != e-9 || r.Pruned != e-10 {
				t.Fatalf("the record at execution %d: %+v", e, r)
			}
			for done := false; !done; {
				var err error
				if done, err = s.DeleteHistory(t.Context(), "endless", r.FirstExecution-1, 7); err != nil {
					t.Fatal(err)
				}
			}
			for n := int64(1); n <= e; n++ {
				if found := len(read(t, s, "endless", n, 1)); (found == 0) != (n < r.FirstExecution) {
					t.Fatalf("execution %d has %d turns, those from %d on are kept", n, found, r.FirstExecution)
				}
			}
		}
	})
}

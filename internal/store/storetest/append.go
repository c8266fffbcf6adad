package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func appendAndRead(t *testing.T, o Options) {
	s := o.Open(t)
	payloads := []string{`{"a": 1,  "b":"ü \u00fc ☃"}`, "1e400", `"\u2028<>&"`, "\x00\xff not JSON", `{"b":1,"a":2}`, " 7"}
	var want []store.Turn
	next := int64(1)
	for i, p := range payloads {
		turn := turn("order-7", 1, next, 1+i%3, fmt.Sprintf("turn-%d", i))
		for j := range turn.Events {
			turn.Events[j].Payload = []byte(p)
			// The wall clock stands still, then runs backward.
			turn.Events[j].AtMS = epoch.UnixMilli() - int64(i/2)*3_600_000
		}
		turn.Messaged, turn.Parked = i%2 == 0, i%3 == 0
		if i == 4 {
			turn.Cancelled = []int64{5, 2, 9}
			turn.Reasons = map[int64]string{9: "zu spät, \n\"2 5\" {x}", 2: "zu spät, \n\"2 5\" {x}", 5: "other"}
		}
		commit(t, s, turn)
		want = append(want, turn)
		next = turn.Last() + 1
	}
	same(t, read(t, s, "order-7", 1, 1), want)
}

func appendConflict(t *testing.T, o Options) {
	s := o.Open(t)
	first, second := turn("order-7", 1, 1, 2, "a"), turn("order-7", 1, 3, 2, "b")
	commit(t, s, first)
	commit(t, s, second)
	for _, c := range []struct {
		name string
		turn store.Turn
	}{
		{"other content at the first slot", turn("order-7", 1, 1, 2, "other")},
		{"other content at the last slot", turn("order-7", 1, 3, 2, "other")},
		{"the same token with other content", func() store.Turn {
			x := turn("order-7", 1, 3, 2, "b")
			x.Events[1].Payload = []byte(`"changed"`)
			return x
		}()},
		{"the same token with other marks", func() store.Turn {
			x := turn("order-7", 1, 3, 2, "b")
			x.Parked = true
			return x
		}()},
		{"the same token with a longer turn", turn("order-7", 1, 3, 3, "b")},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantConflict(t, s.Commit(t.Context(), store.Commit{Turns: []store.Turn{c.turn}}))
			same(t, read(t, s, "order-7", 1, 1), []store.Turn{first, second})
		})
	}
}

func invalidTurns(t *testing.T, o Options) {
	s := o.Open(t)
	edit := func(f func(*store.Turn)) []store.Turn {
		x := turn("order-7", 1, 1, 3, "a")
		f(&x)
		return []store.Turn{x}
	}
	for _, c := range []struct {
		name  string
		turns []store.Turn
	}{
		{"no turn", nil},
		{"no events", edit(func(x *store.Turn) { x.Events = nil })},
		{"a gap inside", edit(func(x *store.Turn) { x.Events[2].EventID = 4 })},
		{"a repeated event id", edit(func(x *store.Turn) { x.Events[1].EventID = 1 })},
		{"a first event id that the others do not follow", edit(func(x *store.Turn) { x.Events[0].EventID = 7 })},
		{"a first event id of 0", edit(func(x *store.Turn) {
			for i := range x.Events {
				x.Events[i].EventID = int64(i)
			}
		})},
		{"execution 0", edit(func(x *store.Turn) { x.ExecutionID = 0 })},
		{"no instance", edit(func(x *store.Turn) { x.Instance = "" })},
		{"an instance id of 1,001 bytes", edit(func(x *store.Turn) { x.Instance = string(make([]byte, 1001)) })},
		{"no token", edit(func(x *store.Turn) { x.Token = "" })},
		{"a token of 129 characters", edit(func(x *store.Turn) { x.Token = fmt.Sprintf("%0129d", 1) })},
		{"two turns of one execution", []store.Turn{turn("order-7", 1, 1, 1, "a"), turn("order-7", 1, 2, 1, "b")}},
		{"two turns of different instances", []store.Turn{turn("order-7", 1, 1, 1, "a"), turn("order-8", 2, 1, 1, "b")}},
		{"three turns", []store.Turn{turn("order-7", 1, 1, 1, "a"), turn("order-7", 2, 1, 1, "b"), turn("order-7", 3, 1, 1, "c")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Commit(t.Context(), store.Commit{Turns: c.turns})
			if !errors.Is(err, store.ErrInvalidTurn) {
				t.Fatalf("got %v, want ErrInvalidTurn", err)
			}
		})
	}
	for executionID := range int64(4) {
		same(t, read(t, s, "order-7", executionID, 1), nil)
	}
}

func turnWithRecord(t *testing.T, o Options) {
	open := func(t *testing.T) (store.Store, store.Record) {
		s := o.Open(t)
		r := running("order-7", 0)
		if err := s.Commit(t.Context(), store.Commit{
			Turns:  []store.Turn{turn("order-7", 1, 1, 2, "a")},
			Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r},
		}); err != nil {
			t.Fatalf("start: %v", err)
		}
		return s, r
	}
	change := func(c store.RecordCondition) *store.RecordChange {
		return &store.RecordChange{If: c, Status: ptr(store.StatusCompleted), Output: ptr([]byte(`"done"`)), UpdatedAt: epoch}
	}
	unchanged := func(t *testing.T, s store.Store, r store.Record) {
		t.Helper()
		same(t, read(t, s, "order-7", 1, 1), []store.Turn{turn("order-7", 1, 1, 2, "a")})
		wantRecord(t, s, r)
	}

	t.Run("both hold", func(t *testing.T) {
		s, r := open(t)
		c := store.Commit{Turns: []store.Turn{turn("order-7", 1, 3, 1, "b")}, Record: change(store.RecordCondition{Exists: true, Running: true, ExecutionID: 1})}
		must(t, s.Commit(t.Context(), c))
		same(t, read(t, s, "order-7", 1, 1), []store.Turn{turn("order-7", 1, 1, 2, "a"), turn("order-7", 1, 3, 1, "b")})
		wantRecord(t, s, c.Record.Apply(r))
	})
	t.Run("the slot is taken", func(t *testing.T) {
		s, r := open(t)
		err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn("order-7", 1, 1, 2, "b")}, Record: change(store.RecordCondition{Exists: true})})
		wantConflict(t, err)
		var rc *store.RecordConflictError
		if errors.As(err, &rc) {
			t.Fatalf("got %v, but the record's condition holds", err)
		}
		unchanged(t, s, r)
	})
	t.Run("the record's condition fails", func(t *testing.T) {
		s, r := open(t)
		wantRecordConflict(t, s.Commit(t.Context(), store.Commit{
			Turns:  []store.Turn{turn("order-7", 1, 3, 1, "b")},
			Record: change(store.RecordCondition{Exists: true, ExecutionID: 2}),
		}), &r)
		unchanged(t, s, r)
	})
	t.Run("both fail: the record that stands there is told", func(t *testing.T) {
		s, r := open(t)
		again := running("order-7", 9)
		again.StartID = "another"
		wantRecordConflict(t, s.Commit(t.Context(), store.Commit{
			Turns:  []store.Turn{turn("order-7", 1, 1, 1, "b")},
			Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &again},
		}), &r)
		unchanged(t, s, r)
	})
	t.Run("two executions and the record", func(t *testing.T) {
		s, r := open(t)
		end, next := turn("order-7", 1, 3, 1, "b"), turn("order-7", 2, 1, 1, "c")
		end.Events[0] = history.Event{Kind: history.OrchestrationContinuedAsNew, EventID: 3, AtMS: 5, Payload: []byte("7")}
		c := store.Commit{Turns: []store.Turn{end, next}, Record: &store.RecordChange{
			If: store.RecordCondition{Exists: true, ExecutionID: 1}, ExecutionID: ptr(int64(2)), Version: ptr("1.10"), UpdatedAt: epoch}}
		// The slot of the second execution is taken: nothing is written.
		taken := turn("order-7", 2, 1, 1, "taken")
		s2, r2 := open(t)
		commit(t, s2, taken)
		wantConflict(t, s2.Commit(t.Context(), c))
		unchanged(t, s2, r2)

		must(t, s.Commit(t.Context(), c))
		same(t, read(t, s, "order-7", 1, 3), []store.Turn{end})
		same(t, read(t, s, "order-7", 2, 1), []store.Turn{next})
		wantRecord(t, s, c.Record.Apply(r))
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("the identical commit again: %v", err)
		}
	})
}

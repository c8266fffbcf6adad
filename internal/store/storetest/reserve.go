package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

// reserves writes a copy in several commits, as a redrive does: the first also reserves the number, and
// the last makes it current.
func reserves(t *testing.T, o Options) {
	at := func(executionID int64, start string) *store.Reservation {
		return &store.Reservation{ExecutionID: executionID, StartID: start}
	}
	reserve := func(first store.Turn, found, reserved *store.Reservation) store.Commit {
		return store.Commit{Turns: []store.Turn{first}, Record: &store.RecordChange{
			If: store.RecordCondition{Ended: true, ExecutionID: 1, Reserved: found}, Reserved: reserved, UpdatedAt: epoch}}
	}
	current := func(last store.Turn, reserved *store.Reservation) store.Commit {
		next := running("order-7", 1)
		next.ExecutionID, next.StartID = last.ExecutionID, reserved.StartID
		return store.Commit{Turns: []store.Turn{last}, Record: &store.RecordChange{
			If: store.RecordCondition{Ended: true, ExecutionID: 1, Reserved: reserved}, Create: &next, UpdatedAt: epoch}}
	}
	s := o.Open(t)
	create(t, s, running("order-7", 0))
	end(t, s, "order-7")
	old := turn("order-7", 1, 1, 3, "old")
	commit(t, s, old)
	for _, step := range []struct {
		what   string
		commit store.Commit
		lands  bool
	}{
		{"a number is reserved with the first part", reserve(turn("order-7", 2, 1, 3, "a1"), &store.Reservation{}, at(2, "a")), true},
		{"a reservation that lands late loses", reserve(turn("order-7", 3, 1, 3, "b1"), &store.Reservation{}, at(3, "b")), false},
		{"another start reserves the next number", reserve(turn("order-7", 3, 1, 3, "b1"), at(2, "a"), at(3, "b")), true},
		{"the first start can still write parts", store.Commit{Turns: []store.Turn{turn("order-7", 2, 4, 2, "a2")}}, true},
		{"but its number does not become current", current(turn("order-7", 2, 6, 1, "a3"), at(2, "a")), false},
		{"nor a number of which the reservation was given up", current(turn("order-7", 3, 4, 1, "b2"), at(3, "")), false},
		{"the reserved number becomes current", current(turn("order-7", 3, 4, 1, "b2"), at(3, "b")), true},
	} {
		if err := s.Commit(t.Context(), step.commit); step.lands != (err == nil) || err != nil && !errors.Is(err, store.ErrConflict) {
			t.Fatalf("%s: %v", step.what, err)
		}
	}
	turns := read(t, s, "order-7", 3, 1)
	if len(turns) != 2 || turns[1].Last() != 4 || len(read(t, s, "order-7", 2, 1)) != 2 {
		t.Errorf("the histories are %v and %v", read(t, s, "order-7", 2, 1), turns)
	}
	r, err := s.Describe(t.Context(), "order-7")
	if err != nil || r.ExecutionID != 3 || r.Reserved != (store.Reservation{}) {
		t.Errorf("the record is %+v (%v)", r, err)
	}
	r.Skipped = []int64{2}
	if got := slices.Collect(r.Executions()); !slices.Equal(got, []int64{1, 3}) {
		t.Errorf("it has executions %v", got)
	}
	if done, err := s.DeleteHistory(t.Context(), "order-7", 3, 0); !done || err != nil {
		t.Fatal(done, err)
	}
	for n := range int64(3) {
		if turns := read(t, s, "order-7", n+1, 1); len(turns) != 0 {
			t.Errorf("execution %d is left: %v", n+1, turns)
		}
	}
}

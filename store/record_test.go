package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func ptr[T any](v T) *T { return &v }

// The conformance suite takes Holds for what a condition means; here is what
// it means, in a table.
func TestConditionsHoldForTheRecordsTheyName(t *testing.T) {
	t.Parallel()
	running := &store.Record{ExecutionID: 3, Status: store.StatusRunning, Stamp: 4, Suspect: "m"}
	stuck := &store.Record{ExecutionID: 3, Status: store.StatusStuck}
	ended := &store.Record{ExecutionID: 3, Status: store.StatusTerminated}
	free := time.UnixMilli(1_900_000_000_000)
	tombstone := &store.Record{ExecutionID: 3, Purged: true, FreeAt: free}
	records := []*store.Record{nil, running, stuck, ended, tombstone}
	for _, c := range []struct {
		name      string
		condition store.RecordCondition
		// for no record, running, stuck, ended, tombstone: y or n.
		create, change string
	}{
		{"nothing is demanded", store.RecordCondition{}, "yyyyy", "nyyyn"},
		{"absent", store.RecordCondition{Absent: true}, "ynnnn", "nnnnn"},
		{"absent or tombstone of 3 that is free", store.RecordCondition{Absent: true, ExecutionID: 3, At: free}, "ynnny", "nnnnn"},
		{"absent or tombstone of 3, too early", store.RecordCondition{Absent: true, ExecutionID: 3, At: free.Add(-time.Millisecond)}, "ynnnn", "nnnnn"},
		{"absent or tombstone of 3, at no time", store.RecordCondition{Absent: true, ExecutionID: 3}, "ynnnn", "nnnnn"},
		{"absent or tombstone of 2", store.RecordCondition{Absent: true, ExecutionID: 2, At: free}, "ynnnn", "nnnnn"},
		{"exists", store.RecordCondition{Exists: true}, "nyyyn", "nyyyn"},
		{"execution 3", store.RecordCondition{ExecutionID: 3}, "nyyyn", "nyyyn"},
		{"execution 2", store.RecordCondition{ExecutionID: 2}, "nnnnn", "nnnnn"},
		{"running", store.RecordCondition{Running: true}, "nyynn", "nyynn"},
		{"stamp 4", store.RecordCondition{Stamp: ptr(int64(4))}, "nynnn", "nynnn"},
		{"no stamp", store.RecordCondition{Stamp: ptr(int64(0))}, "nnyyn", "nnyyn"},
		{"suspect m", store.RecordCondition{Suspect: ptr("m")}, "nynnn", "nynnn"},
		{"no suspect", store.RecordCondition{Suspect: ptr("")}, "nnyyn", "nnyyn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i, r := range records {
				create := store.RecordChange{If: c.condition, Create: &store.Record{}}
				if got, want := create.Holds(r), c.create[i] == 'y'; got != want {
					t.Errorf("a start over %+v: %v, want %v", r, got, want)
				}
				change := store.RecordChange{If: c.condition}
				if got, want := change.Holds(r), c.change[i] == 'y'; got != want {
					t.Errorf("a change of %+v: %v, want %v", r, got, want)
				}
			}
		})
	}
}

func TestApplyChangesWhatIsNamedAndNothingElse(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	output := []byte(`"out"`)
	before := store.Record{Instance: "order-7", ExecutionID: 1, Name: "Fulfil", Status: store.StatusStuck, Problem: &store.Problem{Kind: "panic"}, Suspect: "m"}
	c := store.RecordChange{Status: ptr(store.StatusCompleted), Output: &output, Problem: ptr((*store.Problem)(nil)), EndedAt: ptr(at.Add(1234567)), UpdatedAt: at}
	got := c.Apply(before)
	want := store.Record{Instance: "order-7", ExecutionID: 1, Name: "Fulfil", Status: store.StatusCompleted, Output: []byte(`"out"`), Suspect: "m", EndedAt: at.Add(time.Millisecond), UpdatedAt: at}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	output[1] = 'X'
	if string(got.Output) != `"out"` {
		t.Fatal("the record shares the bytes of the change")
	}
	if before.Problem == nil {
		t.Fatal("the record before was changed")
	}
}

func TestStoredSharesNothingAndCutsATombstoneDown(t *testing.T) {
	t.Parallel()
	r := store.Record{
		Instance: "order-7", ExecutionID: 2, StartID: "s", Name: "Fulfil", Output: []byte("7"), States: []byte{},
		Failure: &history.Failure{Message: "m", Details: []byte("1")}, Parent: &history.Parent{Instance: "p"}, Problem: &store.Problem{Kind: "panic"},
	}
	s := r.Stored()
	r.Output[0], r.Failure.Details[0], r.Failure.Message, r.Parent.Instance, r.Problem.Kind = 'x', 'x', "x", "x", "x"
	if string(s.Output) != "7" || string(s.Failure.Details) != "1" || s.Failure.Message != "m" || s.Parent.Instance != "p" || s.Problem.Kind != "panic" || s.States != nil {
		t.Fatalf("got %+v", s)
	}
	r.Purged = true
	if got, want := r.Stored(), (store.Record{Instance: "order-7", ExecutionID: 2, StartID: "s", Purged: true}); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func TestDigestDistinguishesContents(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"v":1,"events":[]}`)
	base := store.Turn{Instance: "a", ExecutionID: 1, Token: "t"}
	seen := map[string]string{base.Digest(doc): "the turn itself"}
	for name, x := range map[string]store.Turn{
		"instance":            {Instance: "b", ExecutionID: 1},
		"execution":           {Instance: "a", ExecutionID: 2},
		"messaged":            {Instance: "a", ExecutionID: 1, Messaged: true},
		"parked":              {Instance: "a", ExecutionID: 1, Parked: true},
		"cancelled":           {Instance: "a", ExecutionID: 1, Cancelled: []int64{1, 2}},
		"cancelled otherwise": {Instance: "a", ExecutionID: 1, Cancelled: []int64{12}},
	} {
		d := x.Digest(doc)
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
	if _, ok := seen[base.Digest([]byte(`{"v":1,"events":[{}]}`))]; ok {
		t.Error("other events, one digest")
	}
	if d := base.Digest(doc); d != base.Digest(doc) || len(d) != 22 {
		t.Errorf("digest %q is not stable, or not 128 bits", d)
	}
}

func TestTailShowsNoHistoryAcrossAHole(t *testing.T) {
	t.Parallel()
	turns := func(spans ...[2]int64) []store.Turn {
		var all []store.Turn
		for _, s := range spans {
			x := store.Turn{Instance: "order-7", ExecutionID: 1}
			for id := s[0]; id <= s[1]; id++ {
				x.Events = append(x.Events, history.Event{EventID: id})
			}
			all = append(all, x)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		turns   []store.Turn
		from    int64
		want    string
		corrupt int64
	}{
		{"nothing", nil, 1, "", 0},
		{"all", turns([2]int64{1, 2}, [2]int64{3, 3}), 1, "1-2 3-3", 0},
		{"cut inside a turn", turns([2]int64{1, 3}, [2]int64{4, 4}), 2, "2-3 4-4", 0},
		{"behind the end", turns([2]int64{1, 2}), 3, "", 0},
		{"far behind the end", turns([2]int64{1, 2}), 9, "", 0},
		{"the head is missing", turns([2]int64{3, 4}), 1, "", 1},
		{"a gap", turns([2]int64{1, 2}, [2]int64{4, 4}), 1, "", 3},
		{"a gap in front of what is asked for", turns([2]int64{1, 2}, [2]int64{4, 4}), 3, "", 3},
		{"an overlap", turns([2]int64{1, 3}, [2]int64{3, 4}), 1, "", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := store.Tail(c.turns, c.from)
			if c.corrupt > 0 {
				corrupt, ok := err.(*store.CorruptError)
				if !ok || corrupt.EventID != c.corrupt {
					t.Fatalf("got %v, want a CorruptError at event %d", err, c.corrupt)
				}
				return
			}
			s := ""
			for i := range got {
				s += fmt.Sprintf(" %d-%d", got[i].First(), got[i].Last())
			}
			if err != nil || s != "" && s[1:] != c.want || s == "" && c.want != "" {
				t.Fatalf("got%s, %v; want %s", s, err, c.want)
			}
		})
	}
}

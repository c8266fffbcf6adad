package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func wantRecord(t testing.TB, s store.Store, want store.Record) {
	t.Helper()
	got, err := s.Describe(t.Context(), want.Instance)
	if err != nil {
		t.Fatalf("describe %q: %v", want.Instance, err)
	}
	if want = want.Stored(); !reflect.DeepEqual(got, want) {
		t.Fatalf("record of %q:\n got %+v\nwant %+v", want.Instance, got, want)
	}
}

func wantRecordConflict(t testing.TB, err error, found *store.Record) {
	t.Helper()
	var rc *store.RecordConflictError
	if !errors.As(err, &rc) || !errors.Is(err, store.ErrConflict) {
		t.Fatalf("got %v, want a RecordConflictError", err)
	}
	if found != nil {
		found = ptr(found.Stored())
	}
	if !reflect.DeepEqual(rc.Found, found) {
		t.Fatalf("the conflict tells of the record %+v, want %+v", rc.Found, found)
	}
}

// free is when the ids of this suite's tombstones can be reused.
var free = epoch.Add(15 * 24 * time.Hour)

func tombstone(instance string, executionID int64) store.Record {
	return store.Record{Instance: instance, ExecutionID: executionID, StartID: "start-" + instance, Purged: true, FreeAt: free}
}

func recordConditions(t *testing.T, o Options) {
	live := running("order-7", 0)
	live.FirstExecution = 2
	live.ExecutionID, live.Stamp, live.Suspect = 3, 4, "message-1"
	live.Forked, live.Forks = 5, []string{"order-7-trial"}
	reserved := store.Reservation{ExecutionID: 4, StartID: "r"}
	live.Reserved = reserved
	plain := running("order-7", 0)
	stuck := live
	stuck.Status, stuck.Problem = store.StatusStuck, &store.Problem{Kind: "panic", Message: "index out of range"}
	ended := live
	ended.Status, ended.EndedAt = store.StatusFailed, epoch
	purged := tombstone("order-7", 3)
	unbound := tombstone("order-7", 3)
	unbound.FreeAt = time.Time{}
	founds := map[string]*store.Record{"none": nil, "live": &live, "plain": &plain, "stuck": &stuck, "ended": &ended, "tombstone": &purged, "tombstone without a time": &unbound}
	conditions := map[string]store.RecordCondition{
		"nothing":            {},
		"absent":             {Absent: true},
		"tombstone 3":        {Absent: true, ExecutionID: 3},
		"tombstone 3, early": {Absent: true, ExecutionID: 3, At: free.Add(-time.Millisecond)},
		"tombstone 3, free":  {Absent: true, ExecutionID: 3, At: free.Add(999 * time.Microsecond)},
		"tombstone 2, free":  {Absent: true, ExecutionID: 2, At: free},
		"exists":             {Exists: true},
		"execution 3":        {ExecutionID: 3},
		"execution 1":        {Exists: true, ExecutionID: 1},
		"running":            {Running: true},
		"ended":              {Ended: true},
		"execution 3, ended": {Exists: true, ExecutionID: 3, Ended: true},
		"execution 1, ended": {ExecutionID: 1, Ended: true},
		"first execution 2":  {FirstExecution: ptr(int64(2))},
		"first execution 0":  {FirstExecution: ptr(int64(0))},
		"forked 5":           {Forked: ptr(int64(5))},
		"never forked":       {Forked: ptr(int64(0))},
		"stamp 4":            {Stamp: ptr(int64(4))},
		"stamp 0":            {Stamp: ptr(int64(0))},
		"suspect":            {Suspect: ptr("message-1")},
		"another suspect":    {Suspect: ptr("message-2")},
		"no suspect":         {Suspect: ptr("")},
		"reserved":           {Reserved: &reserved},
		"given up":           {Reserved: &store.Reservation{ExecutionID: 4}},
		"not reserved":       {Reserved: &store.Reservation{}},
		"everything at once": {Exists: true, ExecutionID: 3, Running: true, FirstExecution: ptr(int64(2)), Forked: ptr(int64(5)), Stamp: ptr(int64(4)), Suspect: ptr("message-1"), Reserved: &reserved},
	}
	s := o.Open(t)
	n := 0
	for foundName, found := range founds {
		for conditionName, condition := range conditions {
			for _, creating := range []bool{false, true} {
				n++
				instance := fmt.Sprintf("order-%d", n)
				change := store.RecordChange{If: condition, Suspect: ptr("changed"), UpdatedAt: epoch.Add(time.Hour)}
				if creating {
					change.Create = ptr(running(instance, 99))
				}
				var here *store.Record
				if found != nil {
					here = ptr(*found)
					here.Instance = instance
					must(t, s.UpdateRecord(t.Context(), instance, store.RecordChange{Create: here}))
				}
				t.Run(fmt.Sprintf("%s, record %s, create %v", conditionName, foundName, creating), func(t *testing.T) {
					err := s.UpdateRecord(t.Context(), instance, change)
					if !change.Holds(here) {
						wantRecordConflict(t, err, here)
						if here != nil {
							wantRecord(t, s, *here)
						} else if _, err := s.Describe(t.Context(), instance); !errors.Is(err, store.ErrNotFound) {
							t.Fatalf("describe: %v, want ErrNotFound: the refused change made a record", err)
						}
						return
					}
					must(t, err)
					if here == nil {
						here = &store.Record{}
					}
					wantRecord(t, s, change.Apply(*here))
				})
			}
		}
	}
}

func recordFields(t *testing.T, o Options) {
	s := o.Open(t)
	full := running("order-7", 5)
	full.ExecutionID, full.FirstExecution, full.Pruned = 12, 9, 4
	full.EarlierStarts = []string{"s-9", "s, \"10\""}
	full.EndedAt = epoch.Add(1234567 * time.Microsecond)
	full.States, full.StatesCodec, full.Output, full.Codec = []byte(`{ "step": "ship" }`), "gzip", []byte("\x1f\x8b\xff not JSON"), "aes"
	full.Origin, full.FairnessGroup = &history.Origin{Instance: "order-6", ExecutionID: 2, EventID: 9}, "tenant-1"
	full.SearchAttributes = history.SearchAttributes{
		"customer": history.SearchTextOf("c: 1\"ö"), "total": history.SearchNumberOf(-99.25), "items": history.SearchNumberOf(1<<53 + 1),
		"due": history.SearchTimeOf(epoch), "a.b-c_D": history.SearchTextOf(""), "tiny": history.SearchNumberOf(1e-99),
	}
	full.Failure = &history.Failure{Kind: "panic", Message: "böse\x01", Code: "E1", Source: "Charge", Instance: "child", Attempt: 3, Retryable: true, Stack: "main.go:7", Details: []byte(`{"a":  1}`)}
	full.Parent = &history.Parent{Instance: "parent#1", ExecutionID: 2, EventID: 7, Token: "0123"}
	full.Problem = &store.Problem{Kind: "nondeterminism", Message: "event 7", EventID: 7, Diff: &store.ProblemDiff{Have: "ActivityScheduled(\"A\")", Did: "ended ü", At: "orders.go:7"}, Stack: "x", SinceMS: 5, Tries: 2}
	full.Suspension = &store.Suspension{EventID: 9, SinceMS: 6, Reason: "the bank is \"down\"", Actor: "ada"}
	full.Suspect, full.Dispatched, full.Stamp = "message-1", "m 1/2/0 1/9/0", 1<<53+1
	full.Reserved, full.Skipped = store.Reservation{ExecutionID: 13, StartID: "s 1"}, []int64{10, 11}
	full.Forked, full.Forks = 17, []string{"f, \"1\"", "größe"}
	full.LoopedAt = epoch.Add(9 * time.Millisecond)
	full.Awaits = &store.Problem{Kind: "patch", Patch: "p \"1\"", Message: "ü", Build: "7", SinceMS: 8, NextMS: 9}
	full.Unreported = `[{"type":"recovered"}]`
	create(t, s, full)
	wantRecord(t, s, full)

	changes := []store.RecordChange{
		{ExecutionID: ptr(int64(13)), Version: ptr(""), UpdatedAt: epoch.Add(time.Hour)},
		{Status: ptr(store.StatusCompleted), EndedAt: ptr(epoch.Add(time.Minute)), Output: ptr([]byte(`"out"`)), Codec: ptr(""), UpdatedAt: epoch},
		{Failure: ptr((*history.Failure)(nil)), Problem: ptr((*store.Problem)(nil)), Suspect: ptr(""), Dispatched: ptr(""), Stamp: ptr(int64(0)), UpdatedAt: epoch},
		{States: ptr([]byte(nil)), Output: ptr([]byte(nil)), EndedAt: ptr(time.Time{}), UpdatedAt: epoch},
		{Failure: ptr(&history.Failure{Message: "m"}), Problem: ptr(&store.Problem{Kind: "killed"}), States: ptr([]byte("7")), UpdatedAt: epoch},
		{Status: ptr(store.StatusRunning), Suspension: ptr((*store.Suspension)(nil)), UpdatedAt: epoch},
		{Status: ptr(store.StatusSuspended), Suspension: ptr(&store.Suspension{EventID: 11, SinceMS: 7}), UpdatedAt: epoch},
		{LoopedAt: ptr(epoch.Add(time.Minute)), UpdatedAt: epoch},
		{LoopedAt: ptr(time.Time{}), UpdatedAt: epoch},
		{Awaits: ptr(&store.Problem{Kind: "codec", Message: "m", NextMS: 1}), UpdatedAt: epoch},
		{Awaits: ptr((*store.Problem)(nil)), UpdatedAt: epoch},
		{Unreported: ptr(`[{"type":"stuck"}]`), UpdatedAt: epoch},
		{Unreported: ptr(""), UpdatedAt: epoch},
		{Reserved: &store.Reservation{ExecutionID: 14}, UpdatedAt: epoch},
		{Reserved: &store.Reservation{}, UpdatedAt: epoch},
		full.Fork("order-7-again", epoch),
		{Forked: ptr(int64(0)), Forks: ptr([]string(nil)), UpdatedAt: epoch},
		{FirstExecution: ptr(int64(11)), Pruned: ptr(int64(6)), UpdatedAt: epoch},
		{UpdatedAt: epoch.Add(2 * time.Hour)},
		{SearchAttributes: history.SearchAttributes{"total": history.SearchTextOf("99"), "due": {}, "absent": {}, "new": history.SearchNumberOf(0)}, FoundAt: full.CreatedAt, UpdatedAt: epoch},
	}
	want := full
	for i, c := range changes {
		if err := s.UpdateRecord(t.Context(), "order-7", c); err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		want = c.Apply(want)
		wantRecord(t, s, want)
	}
	t.Run("a change of a record that is not there makes none", func(t *testing.T) {
		wantRecordConflict(t, s.UpdateRecord(t.Context(), "order-8", store.RecordChange{Suspect: ptr("m"), UpdatedAt: epoch}), nil)
	})
	t.Run("a record with an output of 256 KiB and a long status", func(t *testing.T) {
		c := store.RecordChange{Output: ptr(make([]byte, 256<<10)), States: ptr(make([]byte, 128<<10)), UpdatedAt: epoch}
		must(t, s.UpdateRecord(t.Context(), "order-7", c))
		wantRecord(t, s, c.Apply(want))
	})
}

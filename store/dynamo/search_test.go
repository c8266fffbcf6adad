package dynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// The figures of docs/internal/guide-figures.md. A transaction sets one attribute alone:
// of items of one table that cost the same, DynamoDB Local counts one. Nor does
// it count a Query that finds nothing, for which DynamoDB charges half a unit.
// It runs before the parallel tests: beside them a request may time out, and its
// repeat would count.
func TestSearchAttributesCostWhatTheGuideSays(t *testing.T) {
	endpoint(t)
	var used dynamo.Usage
	requests := 0
	l := openLocal(t, func(c *dynamo.Config) {
		c.Meter = func(u dynamo.Usage) {
			requests++
			used.ReadUnits, used.WriteUnits = used.ReadUnits+u.ReadUnits, used.WriteUnits+u.WriteUnits
		}
	})
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cost := func(what string, wantRequests int, wantRead, wantWrite float64, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if requests != wantRequests || used.ReadUnits != wantRead || used.WriteUnits != wantWrite {
			t.Errorf("%s: %d requests, %.1f read units, %.1f write units; the guide says %d, %.1f, %.1f",
				what, requests, used.ReadUnits, used.WriteUnits, wantRequests, wantRead, wantWrite)
		}
		used, requests = dynamo.Usage{}, 0
	}
	next := int64(0)
	commit := func(record *store.RecordChange) error {
		next++
		return l.Commit(t.Context(), store.Commit{Record: record, Turns: []store.Turn{{Instance: "order-7", ExecutionID: 1, Token: fmt.Sprint(next),
			Events: []history.Event{{Kind: history.ExternalEvent, EventID: next, Name: "e", AtMS: at.UnixMilli()}}}}})
	}
	set := func(name string, v history.SearchValue) *store.RecordChange {
		return &store.RecordChange{SearchAttributes: history.SearchAttributes{name: v}, FoundAt: at, UpdatedAt: at}
	}
	record := store.Record{Instance: "order-7", ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at}
	cost("a turn", 1, 0, 1, commit(nil))
	cost("a start without attributes", 1, 0, 10, commit(&store.RecordChange{Create: &record, UpdatedAt: at}))
	cost("a turn with a custom status", 1, 0, 4, commit(&store.RecordChange{States: ptr([]byte("7")), UpdatedAt: at}))
	cost("an attribute is set", 1, 0, 8, commit(set("customer", history.SearchTextOf("c-1"))))
	cost("it gets another value", 1, 0, 10, commit(set("customer", history.SearchTextOf("c-2"))))
	cost("it is removed", 1, 0, 8, commit(set("customer", history.SearchValue{})))

	const n = 300
	for i := range n {
		r := record
		r.Instance = fmt.Sprintf("order-%d", i)
		r.SearchAttributes = history.SearchAttributes{"customer": history.SearchTextOf(fmt.Sprintf("c-%d", i/3)), "total": history.SearchNumberOf(int64(i))}
		if err := l.UpdateRecord(t.Context(), r.Instance, store.RecordChange{Create: &r}); err != nil {
			t.Fatal(err)
		}
	}
	used, requests = dynamo.Usage{}, 0
	list := func(text string, want int) error {
		where, err := conditions.Parse(text)
		if err != nil {
			return err
		}
		page, err := l.List(t.Context(), store.ListQuery{Where: where})
		if err == nil && len(page.Records) != want {
			err = fmt.Errorf("%d records", len(page.Records))
		}
		return err
	}
	cost("found by =", 10, 5.5, 0, list(`customer = "c-50"`, 3))
	cost("nobody found by =", 9, 1, 0, list(`customer = "c-900"`, 0))
	cost("found by a range", 28, 313, 0, list(`total >= 297`, 3))
	if _, err := l.Describe(t.Context(), "order-7"); err != nil {
		t.Fatal(err)
	}
	cost("the record is read", 1, 1, 0, nil)
}

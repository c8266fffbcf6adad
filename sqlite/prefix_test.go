package sqlite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Few ids with a prefix are found by the ids, many by the list keys.
func TestFewAndManyIDsWithAPrefixAreListedAlike(t *testing.T) {
	t.Parallel()
	db, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, at := db.store, time.UnixMilli(1_700_000_000_000)
	for i := range 40 {
		r := store.Record{Instance: fmt.Sprintf("größe-%02d", i), ExecutionID: 1, FirstExecution: 1, Name: []string{"A", "B"}[i%2],
			Status: []store.Status{store.StatusRunning, store.StatusFailed, store.StatusCompleted}[i%3], CreatedAt: at.Add(time.Duration(i*7%40) * time.Second), UpdatedAt: at,
			SearchAttributes: history.SearchAttributes{"a": history.SearchNumberOf(int64(i % 4))}}
		if err := s.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}); err != nil {
			t.Fatal(err)
		}
	}
	equal := []store.SearchCondition{{Name: "a", Operator: store.SearchEqual, Value: history.SearchNumberOf(1)}}
	for _, q := range []store.ListQuery{
		{Prefix: "g"}, {Prefix: "gr"}, {Prefix: "größe-1"}, {Prefix: "größe-07"}, {Prefix: "Größe"}, {Prefix: "größe-", Status: store.StatusFailed}, {Prefix: "größe-2", Name: "B"},
		{Prefix: "größe-", Where: equal}, {Prefix: "größe-", Where: equal, Name: "B", Status: store.StatusRunning}, {Prefix: "größe-", From: at.Add(5 * time.Second), To: at.Add(20 * time.Second)},
	} {
		var pages [2][]string
		few, err := s.fewStart(q.Prefix)
		if err != nil || few == nil {
			t.Fatalf("%+v: %v, %v", q, few, err)
		}
		for i, by := range []*narrowing{few, nil} {
			q.PageSize, q.PageToken = 3, ""
			for first := true; first || q.PageToken != ""; first = false {
				page, err := s.list(t.Context(), q, by, "")
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range page.Records {
					pages[i] = append(pages[i], r.Instance)
				}
				q.PageToken = page.NextPageToken
			}
		}
		if !slices.Equal(pages[0], pages[1]) || len(pages[0]) == 0 && q.Prefix != "Größe" {
			t.Errorf("%+v:\n  few  %v\n  many %v", q, pages[0], pages[1])
		}
	}
}

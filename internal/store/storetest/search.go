package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/conditions"
	"github.com/turnstile-go/turnstile/store"
)

type search = history.SearchAttributes

func where(t testing.TB, text string) []store.SearchCondition {
	t.Helper()
	parsed, err := conditions.Parse(text)
	must(t, err)
	return parsed
}

func found(t testing.TB, s store.Store, text string) []string {
	t.Helper()
	return listAll(t, s, store.ListQuery{Where: where(t, text)}, nil)
}

func wantFound(t testing.TB, s store.Store, text string, want ...string) {
	t.Helper()
	if got := found(t, s, text); !slices.Equal(got, want) {
		t.Fatalf("where %s: found %v, want %v", text, got, want)
	}
}

// searching creates records with attributes in all possible ways, and compares lists with the
// attributes of the records.
func searching(t *testing.T, o Options) {
	s := o.Open(t)
	text, whole, real := history.SearchTextOf, history.SearchNumberOf[int64], history.SearchNumberOf[float64]
	const n = 60
	var all []store.Record
	for i := range n {
		r := running(fmt.Sprintf("order-%02d", i), i/2)
		if i%3 == 0 {
			r.Name = "Remind"
		}
		if i%7 == 0 {
			r.Status = store.StatusStuck
		}
		r.SearchAttributes = search{"customer": text(fmt.Sprintf("c-%d", i%4)), "total": real(float64(i) / 2), "region": text("eu")}
		if i%5 == 0 {
			// The same as a number, and as a time: neither is a string.
			r.SearchAttributes["customer"] = whole(int64(i % 4))
			r.SearchAttributes["due"] = history.SearchTimeOf(epoch.Add(time.Duration(i) * time.Hour))
		}
		create(t, s, r)
		if i%6 == 0 {
			c := store.RecordChange{SearchAttributes: search{"customer": text("c-changed"), "region": {}}, FoundAt: r.CreatedAt, UpdatedAt: epoch}
			must(t, s.UpdateRecord(t.Context(), r.Instance, c))
			r = c.Apply(r)
		}
		wantRecord(t, s, r)
		all = append(all, r.Stored())
	}
	slices.SortFunc(all, func(a, b store.Record) int { return strings.Compare(b.ListKey(), a.ListKey()) })
	queries := map[string]store.ListQuery{}
	for _, text := range []string{
		`customer = "c-1"`, `customer = "c-changed"`, `customer = "c"`, `customer = 1`, `customer = "1"`, `region = "eu"`, `nothing = 1`,
		`total = 3`, `total = 3.5`, `total > 20`, `total >= 20 and total < 25`, `total <= 0`, `total > "1"`,
		`customer ^= "c-"`, `customer ^= ""`, `customer = "c-1" and total > 10`, `customer = "c-1" and customer = "c-2"`, `total > 10 and region = 'eu'`,
		`due = 2026-03-01T17:00:00Z`, `due < 2026-03-02`, `due >= 2026-03-01T22:00:00+01:00`, `customer > "c-1"`,
	} {
		queries[text] = store.ListQuery{Where: where(t, text)}
	}
	eu := where(t, `region = "eu"`)
	queries["and a name"] = store.ListQuery{Where: eu, Name: "Remind"}
	queries["and a status"] = store.ListQuery{Where: eu, Status: store.StatusRunning}
	queries["and a rare status"] = store.ListQuery{Where: eu, Status: store.StatusStuck}
	queries["and a name and a status"] = store.ListQuery{Where: eu, Name: "Fulfil", Status: store.StatusStuck}
	queries["and times"] = store.ListQuery{Where: eu, From: epoch.Add(3 * time.Second), To: epoch.Add(9 * time.Second)}
	queries["a range and a name"] = store.ListQuery{Where: where(t, "total > 12"), Name: "Remind"}
	for name, q := range queries {
		t.Run(name, func(t *testing.T) {
			var want []string
			counts := map[store.Status]int{}
			for i := range all {
				r := &all[i]
				if q.Matches(r) && (q.From.IsZero() || !r.CreatedAt.Before(q.From)) && (q.To.IsZero() || r.CreatedAt.Before(q.To)) {
					want = append(want, r.Instance)
					counts[r.Status]++
				}
			}
			wantCounts(t, s, q, counts)
			for _, size := range []int{0, 1, 2, 7, n} {
				q.PageSize = size
				if got := listAll(t, s, q, nil); !slices.Equal(got, want) {
					t.Fatalf("page size %d:\n got %v\nwant %v", size, got, want)
				}
			}
		})
	}
	t.Run("a token is bound to the conditions", func(t *testing.T) {
		p, err := s.List(t.Context(), store.ListQuery{Where: eu, PageSize: 2})
		if err != nil || p.NextPageToken == "" {
			t.Fatalf("got %v, %v", p, err)
		}
		for _, text := range []string{`region = "us"`, `region >= "eu"`, `region = "eu" and total > 1`} {
			if _, err := s.List(t.Context(), store.ListQuery{Where: where(t, text), PageToken: p.NextPageToken}); !errors.Is(err, store.ErrBadPageToken) {
				t.Errorf("%s: got %v, want ErrBadPageToken", text, err)
			}
		}
	})
	t.Run("a condition that is none is refused", func(t *testing.T) {
		for _, c := range []store.SearchCondition{
			{Name: "total", Operator: "!=", Value: whole(1)}, {Name: "total", Operator: store.SearchPrefix, Value: whole(1)}, {Name: "total", Operator: store.SearchEqual},
		} {
			if _, err := s.List(t.Context(), store.ListQuery{Where: []store.SearchCondition{c}}); !errors.Is(err, store.ErrBadSearch) {
				t.Errorf("%v: got %v, want ErrBadSearch", c, err)
			}
		}
		var bad *history.SearchAttributeError
		_, err := s.List(t.Context(), store.ListQuery{Where: []store.SearchCondition{{Name: "no name", Operator: store.SearchEqual, Value: whole(1)}}})
		if !errors.As(err, &bad) {
			t.Errorf("got %v, want a SearchAttributeError", err)
		}
	})
}

// wantCounts checks the counts of a store that can count.
func wantCounts(t *testing.T, s store.Store, q store.ListQuery, want map[store.Status]int) {
	t.Helper()
	counter, counts := s.(store.StatusCounter)
	if !counts {
		return
	}
	got, more, err := counter.CountByStatus(t.Context(), q, 1000)
	if errors.Is(err, errors.ErrUnsupported) && (q.Name != "" || len(q.Where) > 0) {
		return // It counts only by status and time.
	}
	if err != nil || !maps.Equal(got, want) || len(more) > 0 {
		t.Errorf("CountByStatus of %+v: %v, more of %v, %v; want %v", q, got, more, err, want)
	}
}

// searchWrites changes attributes together with turns, loses commits and responses, and purges.
func searchWrites(t *testing.T, o Options) {
	s := o.Open(t)
	a, b := search{"customer": history.SearchTextOf("a")}, search{"customer": history.SearchTextOf("b")}
	r := running("order-7", 0)
	r.SearchAttributes = a
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{turn("order-7", 1, 1, 1, "start")},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: epoch}}); err != nil {
		t.Fatal(err)
	}
	wantFound(t, s, `customer = "a"`, "order-7")
	set := func(first int64, token string, change search) store.Commit {
		return store.Commit{Turns: []store.Turn{turn("order-7", 1, first, 1, token)},
			Record: &store.RecordChange{If: store.RecordCondition{Running: true}, SearchAttributes: change, FoundAt: r.CreatedAt, UpdatedAt: epoch}}
	}
	t.Run("a lost writer changes nothing", func(t *testing.T) {
		wantConflict(t, s.Commit(t.Context(), set(1, "lost", b)))
		wantRecord(t, s, r)
		wantFound(t, s, `customer = "a"`, "order-7")
		wantFound(t, s, `customer = "b"`)
	})
	t.Run("nor one who has read another record of the id", func(t *testing.T) {
		c := set(2, "other", b)
		c.Record.FoundAt = r.CreatedAt.Add(time.Millisecond)
		wantRecordConflict(t, s.Commit(t.Context(), c), &r)
		wantRecordConflict(t, s.UpdateRecord(t.Context(), "order-7", *c.Record), &r)
		wantRecordConflict(t, s.UpdateRecord(t.Context(), "order-8", *c.Record), nil)
		wantFound(t, s, `customer = "b"`)
	})
	t.Run("a commit whose answer is lost is recognised", func(t *testing.T) {
		flaky := o.LoseAnswers(t, s, 1)
		must(t, settle(t.Context(), flaky, set(2, "b", b)))
		r.SearchAttributes = b
		wantFound(t, s, `customer = "b"`, "order-7")
		wantFound(t, s, `customer = "a"`)
	})
	t.Run("and so is a change without a turn", func(t *testing.T) {
		flaky := o.LoseAnswers(t, s, 1)
		change := set(3, "", search{"customer": {}, "total": history.SearchNumberOf(1)}).Record
		err := flaky.UpdateRecord(t.Context(), "order-7", *change)
		if err != nil && !errors.Is(err, store.ErrUnknownOutcome) {
			t.Fatal(err)
		}
		wantFound(t, s, `customer = "b"`)
		wantFound(t, s, `total = 1`, "order-7")
		wantCounts(t, s, store.ListQuery{}, map[store.Status]int{store.StatusRunning: 1})
	})
	t.Run("restarted, it is found by what its start gives it alone", func(t *testing.T) {
		ended := running("order-9", 0)
		ended.SearchAttributes = search{"customer": history.SearchTextOf("nine"), "lane": history.SearchNumberOf(9)}
		create(t, s, ended)
		end(t, s, "order-9")
		next := running("order-9", 60)
		next.ExecutionID, next.StartID, next.EarlierStarts = 2, "again", []string{ended.StartID}
		next.SearchAttributes = search{"customer": history.SearchTextOf("nine"), "total": history.SearchNumberOf(99)}
		commit := func(token string) store.Commit {
			return store.Commit{Turns: []store.Turn{turn("order-9", 2, 1, 1, token)}, Record: &store.RecordChange{UpdatedAt: epoch,
				If: store.RecordCondition{Exists: true, ExecutionID: 1, Ended: true}, Create: &next, SearchAttributes: search{"lane": {}}}}
		}
		must(t, settle(t.Context(), o.LoseAnswers(t, s, 1), commit("again")))
		wantConflict(t, s.Commit(t.Context(), commit("another")))
		wantRecord(t, s, next)
		wantFound(t, s, `lane = 9`)
		wantFound(t, s, `customer = "nine"`, "order-9")
		wantFound(t, s, `total = 99`, "order-9")
		end(t, s, "order-9")
		must(t, s.Hide(t.Context(), "order-9", 2, free))
	})
	t.Run("purged, it is not found any more, nor when its id is started again", func(t *testing.T) {
		wantConflict(t, s.Hide(t.Context(), "order-7", 1, free))
		wantFound(t, s, `total = 1`, "order-7")
		end(t, s, "order-7")
		wantFound(t, s, `total = 1`, "order-7")
		wantCounts(t, s, store.ListQuery{}, map[store.Status]int{store.StatusCompleted: 1})
		for range 2 {
			must(t, s.Hide(t.Context(), "order-7", 1, free))
			wantRecord(t, s, tombstone("order-7", 1))
			wantFound(t, s, `total = 1`)
			wantFound(t, s, `total > 0`)
			wantCounts(t, s, store.ListQuery{}, map[store.Status]int{})
		}
		next := running("order-7", 50)
		next.ExecutionID, next.FirstExecution = 2, 2
		must(t, s.UpdateRecord(t.Context(), "order-7", store.RecordChange{If: store.RecordCondition{Absent: true, ExecutionID: 1, At: free}, Create: &next}))
		wantRecord(t, s, next)
		wantFound(t, s, `total = 1`)
	})
}

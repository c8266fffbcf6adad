package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func listAll(t testing.TB, s store.Store, q store.ListQuery, between func(page int)) []string {
	t.Helper()
	var ids []string
	for page := 0; ; page++ {
		p, err := s.List(t.Context(), q)
		if err != nil {
			t.Fatalf("list %+v: %v", q, err)
		}
		if len(p.Records) > q.Limit() {
			t.Fatalf("a page of %d records, asked for %d", len(p.Records), q.Limit())
		}
		for i := range p.Records {
			ids = append(ids, p.Records[i].Instance)
		}
		if p.NextPageToken == "" {
			return ids
		}
		if page > 1000 {
			t.Fatal("the list does not end")
		}
		if between != nil {
			between(page)
		}
		q.PageToken = p.NextPageToken
	}
}

func listing(t *testing.T, o Options) {
	const n = 23
	s := o.Open(t)
	statuses := []store.Status{store.StatusRunning, store.StatusCompleted, store.StatusStuck, store.StatusFailed}
	var all []store.Record
	for i := range n {
		r := running(fmt.Sprintf("order-%02d", i), i/2) // pairs share their time
		r.Status = statuses[i%len(statuses)]
		if i%3 == 0 {
			r.Name = "Remind"
		}
		described(&r, i)
		create(t, s, r)
		all = append(all, r)
	}
	create(t, s, running("purged", 3))
	must(t, s.UpdateRecord(t.Context(), "purged", store.RecordChange{Status: ptr(store.StatusCompleted), UpdatedAt: epoch}))
	must(t, s.Hide(t.Context(), "purged", 1, free))
	slices.SortFunc(all, func(a, b store.Record) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		if a.Instance > b.Instance {
			return -1
		}
		return 1
	})
	at := func(sec int) time.Time { return epoch.Add(time.Duration(sec) * time.Second) }
	queries := map[string]store.ListQuery{
		"everything":               {},
		"a status":                 {Status: store.StatusStuck},
		"another status":           {Status: store.StatusRunning},
		"a status that nobody has": {Status: store.StatusCancelled},
		"a name":                   {Name: "Remind"},
		"a name that nobody has":   {Name: "remind"},
		"a status and a name":      {Status: store.StatusCompleted, Name: "Remind"},
		"a rare status and a name": {Status: store.StatusStuck, Name: "Fulfil"},
		"from":                     {From: at(4)},
		"to":                       {To: at(4)},
		"from and to":              {From: at(2), To: at(7), Name: "Fulfil"},
		"between two milliseconds": {From: at(2).Add(-time.Microsecond), To: at(7).Add(time.Microsecond)},
		"an id":                    {Prefix: "order-07"},
		"ids that begin alike":     {Prefix: "order-1"},
		"ids, a status and a name": {Prefix: "order-0", Status: store.StatusRunning, Name: "Fulfil"},
		"ids and a time":           {Prefix: "order-1", From: at(6), To: at(9)},
		"ids of all":               {Prefix: "order-"},
		"ids that nobody has":      {Prefix: "Order-"},
		"a wildcard is none":       {Prefix: "order_%"},
		"words of a failure":       {Words: "DECLINED  card"},
		"a code and a source":      {Words: "card_declined charge"},
		"words of a problem":       {Words: "panic nil"},
		"words of a suspension":    {Words: "by ada"},
		"words of a custom status": {Words: "größe"},
		"what is sealed":           {Words: "sealed"},
		"words of two texts":       {Words: "packing declined"},
		"words that nobody has":    {Words: "card approved"},
		"no word":                  {Words: "  "},
		"a version":                {Version: "2"},
		"a version and a status":   {Version: "2", Status: store.StatusFailed},
		"children":                 {Parent: "survey"},
		"children of nobody":       {Parent: "surve"},
		"words, ids and a version": {Words: "card", Prefix: "order-1", Version: "2"},
		"ended from":               {EndedFrom: at(3600)},
		"ended to":                 {EndedTo: at(3600)},
		"ended in a time":          {EndedFrom: at(1800), EndedTo: at(5400)},
		"ended to a millisecond":   {EndedFrom: at(3600), EndedTo: at(3600).Add(time.Millisecond)},
		"a status and an end":      {Status: store.StatusFailed, EndedFrom: at(600), EndedTo: at(9000)},
		"a name, words and an end": {Name: "Fulfil", Words: "declined", EndedTo: at(5400)},
		"a start and an end":       {From: at(4), To: at(9), EndedFrom: at(3600)},
		"ended before all began":   {EndedTo: at(-7200)},
		"an empty range":           {From: at(5), To: at(5)},
		"a range turned around":    {From: at(6), To: at(5)},
	}
	for name, q := range queries {
		t.Run(name, func(t *testing.T) {
			var want []string
			for i := range all {
				r := &all[i]
				if q.Matches(r) && (q.From.IsZero() || !r.CreatedAt.Before(q.From)) && (q.To.IsZero() || r.CreatedAt.Before(q.To)) {
					want = append(want, r.Instance)
				}
			}
			for _, size := range []int{0, 1, 2, 3, 7, n - 1, n, n + 1} {
				q.PageSize = size
				if got := listAll(t, s, q, nil); !slices.Equal(got, want) {
					t.Fatalf("page size %d:\n got %v\nwant %v", size, got, want)
				}
			}
		})
	}
	t.Run("records come whole", func(t *testing.T) {
		p, err := s.List(t.Context(), store.ListQuery{PageSize: 1})
		if err != nil || len(p.Records) != 1 {
			t.Fatalf("got %v, %v", p, err)
		}
		wantRecord(t, s, p.Records[0])
	})
	t.Run("a token of another query is refused", func(t *testing.T) {
		p, err := s.List(t.Context(), store.ListQuery{Name: "Fulfil", PageSize: 2})
		if err != nil || p.NextPageToken == "" {
			t.Fatalf("got %v, %v", p, err)
		}
		for name, q := range map[string]store.ListQuery{
			"another name":     {Name: "Remind", PageToken: p.NextPageToken},
			"no name":          {PageToken: p.NextPageToken},
			"a status as well": {Name: "Fulfil", Status: store.StatusStuck, PageToken: p.NextPageToken},
			"a prefix as well": {Name: "Fulfil", Prefix: "order", PageToken: p.NextPageToken},
			"words as well":    {Name: "Fulfil", Words: "card", PageToken: p.NextPageToken},
			"an end as well":   {Name: "Fulfil", EndedFrom: at(1), PageToken: p.NextPageToken},
			"another range":    {Name: "Fulfil", From: at(1), PageToken: p.NextPageToken},
			"noise":            {Name: "Fulfil", PageToken: "!!"},
			"a cut token":      {Name: "Fulfil", PageToken: p.NextPageToken[:8]},
		} {
			if _, err := s.List(t.Context(), q); !errors.Is(err, store.ErrBadPageToken) {
				t.Errorf("%s: got %v, want ErrBadPageToken", name, err)
			}
		}
		if _, err := s.List(t.Context(), store.ListQuery{Name: "Fulfil", PageSize: 5, PageToken: p.NextPageToken}); err != nil {
			t.Errorf("another page size: %v, want the token to be taken", err)
		}
	})
	t.Run("while others start and finish", func(t *testing.T) {
		listMoving(t, o)
	})
}

// described sets the fields of a record in which words, version and parent are searched.
func described(r *store.Record, i int) {
	if i%2 == 1 {
		r.Version = "2"
	}
	switch i % 5 {
	case 0:
		r.States = history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(`"packing, Größe 7"`)}})
	case 1:
		r.States, r.StatesCodec = []byte(`"sealed"`), "aesgcm"
	case 2:
		r.Suspension = &store.Suspension{Reason: "stopped by Ada"}
	}
	switch r.Status {
	case store.StatusFailed:
		r.Failure = &history.Failure{Kind: "application", Code: "card_declined", Source: "Charge", Message: fmt.Sprintf("the card %d was declined", i)}
	case store.StatusStuck:
		r.Problem = &store.Problem{Kind: "panic", Message: "nil map"}
	}
	if r.Status.Terminal() {
		r.EndedAt = epoch.Add(time.Duration(i*i*17%7000-600) * time.Second) // some by a clock that is behind
		if i == 7 {
			r.EndedAt = epoch.Add(time.Hour)
		}
	}
	if i%6 == 0 {
		r.Parent = &history.Parent{Instance: "survey", ExecutionID: 1, EventID: int64(i + 2)}
	}
}

// listMoving starts and ends instances between the pages of a list: an instance that did not change
// appears exactly once, and none is listed under its old status.
func listMoving(t *testing.T, o Options) {
	const still, moving = 12, 12
	for _, q := range []store.ListQuery{{}, {Status: store.StatusRunning}, {Name: "Fulfil"}} {
		s := o.Open(t)
		for i := range still {
			create(t, s, running(fmt.Sprintf("still-%02d", i), 2*i))
		}
		for i := range moving {
			create(t, s, running(fmt.Sprintf("moving-%02d", i), 2*i+1))
		}
		q.PageSize = 2
		ended := 0
		got := listAll(t, s, q, func(page int) {
			if ended < moving {
				end(t, s, fmt.Sprintf("moving-%02d", ended))
				ended++
			}
			create(t, s, running(fmt.Sprintf("new-%02d", page), page))
		})
		for i := range still {
			id := fmt.Sprintf("still-%02d", i)
			count := 0
			for _, g := range got {
				if g == id {
					count++
				}
			}
			if count != 1 {
				t.Fatalf("%+v: %s appears %d times in %v", q, id, count, got)
			}
		}
		for ; ended < moving; ended++ {
			end(t, s, fmt.Sprintf("moving-%02d", ended))
		}
		for _, id := range listAll(t, s, store.ListQuery{Status: store.StatusRunning}, nil) {
			if id[0] == 'm' {
				t.Fatalf("%s has completed and is still listed as running", id)
			}
		}
		if n := len(listAll(t, s, store.ListQuery{Status: store.StatusCompleted}, nil)); n != moving {
			t.Fatalf("%d completed instances are listed, want %d", n, moving)
		}
	}
}

func end(t testing.TB, s store.Store, instance string) {
	t.Helper()
	if err := s.UpdateRecord(t.Context(), instance, store.RecordChange{
		If: store.RecordCondition{Running: true}, Status: ptr(store.StatusCompleted), EndedAt: ptr(epoch), UpdatedAt: epoch,
	}); err != nil {
		t.Fatalf("end %s: %v", instance, err)
	}
}

package batch_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/store"
)

// pages are the pages of a list by status; the token of a page is one letter for each that
// came before.
type pages map[client.Status][][]client.Description

func (p pages) List(_ context.Context, q client.ListQuery) (client.ListPage, error) {
	all, known := p[q.Status]
	if !known {
		return client.ListPage{}, errors.New("throttled")
	}
	page := client.ListPage{Instances: all[len(q.PageToken)]}
	if len(q.PageToken)+1 < len(all) {
		page.NextPageToken = q.PageToken + "x"
	}
	return page, nil
}

func TestASelectionHasEachInstanceOnceOverPagesAndStatuses(t *testing.T) {
	t.Parallel()
	panicked, other := &store.Problem{Kind: "panic"}, &store.Problem{Kind: "blocked"}
	from := pages{
		client.StatusStuck:   {{{Instance: "a", Problem: panicked}, {Instance: "b", Problem: other}}, {{Instance: "c", Problem: panicked}}},
		client.StatusRunning: {{{Instance: "c"}, {Instance: "d"}}}, // c went on meanwhile.
	}
	statuses := []client.Status{client.StatusStuck, client.StatusRunning}
	for problem, want := range map[string]struct {
		ids   []string
		found []int
	}{"": {[]string{"a", "b", "c", "d"}, []int{2, 3, 4}}, "panic": {[]string{"a", "c"}, []int{1, 2, 2}}} {
		var found []int
		ids, parents, err := batch.Select(t.Context(), from, client.ListQuery{}, statuses, problem, func(n int) { found = append(found, n) })
		if len(parents) != 0 {
			t.Errorf("parents are %v", parents)
		}
		if err != nil || !slices.Equal(ids, want.ids) || !slices.Equal(found, want.found) {
			t.Errorf("selected with problem %q are %v after %v, %v; want %v after %v", problem, ids, found, err, want.ids, want.found)
		}
	}
	if ids, _, err := batch.Select(t.Context(), from, client.ListQuery{}, []client.Status{client.StatusStuck, client.StatusFailed}, "", func(int) {}); err == nil || ids != nil {
		t.Errorf("of a list that fails are selected %v, %v", ids, err)
	}
}

func TestOfAParentAndItsChildTheParentIsTaken(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "a/1", "b/1", "a/1/2", "c"}
	if got := batch.Heads(ids, map[string]string{"a/1": "a", "a/1/2": "a/1", "b/1": "b"}); !slices.Equal(got, []string{"a", "b/1", "c"}) {
		t.Errorf("taken are %v", got)
	}
}

package check

import (
	"context"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// checkSearch: the record has the search attributes that the code of the history set last,
// also in the previous execution, and lists find the instance by them.
func (w *checker) checkSearch(instance string, n int64, events []history.Event, set history.SearchAttributes) {
	if w.Older || n != w.Ledger.Last[instance] || events[len(events)-1].Forced != "" {
		return // Code of another build may have set others, and a forced termination runs no code.
	}
	r, err := w.Describe(instance)
	if err != nil {
		return
	}
	if !maps.Equal(r.SearchAttributes, set) {
		w.Violate("I-06", "the record of %s has the search attributes %s; according to its history they are %s", instance, r.SearchAttributes, set)
	}
	if v := set["last"]; v.Kind() != history.SearchNothing {
		found, err := w.foundBy(instance, store.ListQuery{Where: []store.SearchCondition{{Name: "last", Operator: store.SearchEqual, Value: v}}})
		if err != nil || !found {
			w.Violate("I-06", "%s is not found by last = %s: %v", instance, v, err)
		}
	}
}

// foundBy reports whether a list has the instance on one of its pages.
func (w *checker) foundBy(instance string, q store.ListQuery) (bool, error) {
	for {
		page, err := w.Store.List(context.Background(), q)
		if err != nil || slices.ContainsFunc(page.Records, func(r store.Record) bool { return r.Instance == instance }) {
			return err == nil, err
		}
		if page.NextPageToken == "" {
			return false, nil
		}
		q.PageToken = page.NextPageToken
	}
}

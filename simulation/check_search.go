package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// searched are the search attributes that a statement sets: one that it alone
// sets, one that all of a round set, one that every other of them removes.
func searched(round int, s *statement) history.SearchAttributes {
	set := history.SearchAttributes{
		fmt.Sprintf("s%d", s.id%10): history.SearchWholeOf(int64(s.id)),
		"last":                      history.SearchTextOf(fmt.Sprintf("%d.%d", round, s.id)),
		"odd":                       {},
	}
	if s.id%2 == 1 {
		set["odd"] = history.SearchTextOf("yes")
	}
	return set
}

// checkSearch: the record has the search attributes that the history's code set
// last, those of the execution before among them, and it is found by them.
func (w *World) checkSearch(instance string, n int64, events []history.Event, set history.SearchAttributes) {
	if w.outside.older || n != w.shadow.last[instance] || events[len(events)-1].Imposed != "" {
		return // Code of another build may have set others; and an end that was imposed runs no code.
	}
	r, err := w.describe(instance)
	if err != nil {
		return
	}
	if !maps.Equal(r.SearchAttributes, set) {
		w.violate("I-06", "the record of %s has the search attributes %s, by its history they are %s", instance, r.SearchAttributes, set)
	}
	if v := set["last"]; v.Kind() != history.SearchNothing {
		found, err := w.foundBy(instance, store.ListQuery{Where: []store.SearchCondition{{Name: "last", Operator: store.SearchEqual, Value: v}}})
		if err != nil || !found {
			w.violate("I-06", "%s is not found by last = %s: %v", instance, v, err)
		}
	}
}

// foundBy reports whether a list has the instance on one of its pages.
func (w *World) foundBy(instance string, q store.ListQuery) (bool, error) {
	for {
		page, err := w.store.List(context.Background(), q)
		if err != nil || slices.ContainsFunc(page.Records, func(r store.Record) bool { return r.Instance == instance }) {
			return err == nil, err
		}
		if page.NextPageToken == "" {
			return false, nil
		}
		q.PageToken = page.NextPageToken
	}
}

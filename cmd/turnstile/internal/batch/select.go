package batch

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// Lister lists instances.
type Lister interface {
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
}

// Select returns the ids of the instances that match a query and have one of the statuses, newest
// first within a status. With a problem it returns only instances with this problem. parents maps
// children to their parents. Select calls found with the number of ids after each page.
func Select(ctx context.Context, from Lister, q client.ListQuery, statuses []client.Status, problem string, found func(n int)) (ids []string, parents map[string]string, err error) {
	parents = map[string]string{}
	seen := map[string]bool{}
	for _, status := range statuses {
		q := q
		q.Status, q.PageSize = status, store.MaxPageSize
		for {
			page, err := from.List(ctx, q)
			if err != nil {
				return nil, nil, err
			}
			for i := range page.Instances {
				d := &page.Instances[i]
				if problem != "" && (d.Problem == nil || d.Problem.Kind != problem) || seen[d.Instance] {
					continue
				}
				seen[d.Instance] = true
				ids = append(ids, d.Instance)
				if d.Parent != nil {
					parents[d.Instance] = d.Parent.Instance
				}
			}
			found(len(ids))
			if q.PageToken = page.NextPageToken; q.PageToken == "" {
				break
			}
		}
	}
	return ids, parents, nil
}

// Heads returns the ids without those whose parent is in the list too.
func Heads(ids []string, parents map[string]string) []string {
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return there[parents[id]] })
}

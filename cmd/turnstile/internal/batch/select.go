package batch

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// Lister lists instances.
type Lister interface {
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
}

// Select returns the ids of the instances that a query finds with one of the statuses,
// newest first within a status; with a problem only those that are stuck for it. found is
// told after each page how many there are.
func Select(ctx context.Context, from Lister, q client.ListQuery, statuses []client.Status, problem string, found func(n int)) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for _, status := range statuses {
		q := q
		q.Status, q.PageSize = status, store.MaxPageSize
		for {
			page, err := from.List(ctx, q)
			if err != nil {
				return nil, err
			}
			for i := range page.Instances {
				d := &page.Instances[i]
				if problem != "" && (d.Problem == nil || d.Problem.Kind != problem) || seen[d.Instance] {
					continue
				}
				seen[d.Instance] = true
				ids = append(ids, d.Instance)
			}
			found(len(ids))
			if q.PageToken = page.NextPageToken; q.PageToken == "" {
				break
			}
		}
	}
	return ids, nil
}

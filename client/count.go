package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/store"
)

// CountByStatus returns how many instances a query selects of each status, one
// that is stuck or corrupt under that; PageSize and PageToken are of no account. A
// store that can count is asked to. On others, DynamoDB among them, the records are
// read, of each status up to most, 1 to 1000; more has the statuses of which there
// are more. Errors: those of [Client.List].
func (c *Client) CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error) {
	counts, more = map[Status]int{}, map[Status]bool{}
	if counter, ok := c.cfg.Store.(store.StatusCounter); ok {
		found, err := counter.CountByStatus(ctx, q.stored())
		if err == nil {
			for status, n := range found {
				counts[Status(status)] = n
			}
			return counts, more, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, nil, searchError(err)
		}
	}
	all := []Status{StatusRunning, StatusStuck, StatusCorrupt, StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated}
	if q.Status != "" {
		all = []Status{q.Status}
	}
	q.PageSize, q.PageToken = most, ""
	for _, status := range all {
		q.Status = status
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		counts[status], more[status] = len(page.Instances), page.NextPageToken != ""
	}
	return counts, more, nil
}

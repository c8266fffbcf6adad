package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/store"
)

// countedByReading is how many instances of a status are counted where each has to
// be read for that.
const countedByReading = 100

// CountByStatus returns how many instances a query selects of each status; a stuck or
// corrupt instance counts under that status. PageSize and PageToken are ignored.
// Counting may stop at most instances of a status; more names the statuses that have
// further instances.
//
// A store that can count is asked to. DynamoDB does so by status and time, from an
// index that may lag by a moment: of each status the keys of up to most instances
// are read, which is a read unit for some 70 of them, and half a unit for each of
// its shards. A query with any other field has records read instead, up to a
// hundred of each status. Errors: those of [Client.List].
func (c *Client) CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error) {
	counts, more = map[Status]int{}, map[Status]bool{}
	stored, possible := q.stored()
	if counter, ok := c.cfg.Store.(store.StatusCounter); ok && possible && q.Queue == "" {
		found, further, err := counter.CountByStatus(ctx, stored, most)
		if err == nil {
			for status, n := range found {
				counts[Status(status)], more[Status(status)] = n, further[status]
			}
			return counts, more, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, nil, err
		}
	}
	all := []Status{StatusRunning, StatusStuck, StatusCorrupt, StatusSuspended, StatusScheduled, StatusQueued, StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated}
	if q.Status != "" {
		all = []Status{q.Status}
	}
	q.PageSize, q.PageToken = min(most, countedByReading), ""
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

package client

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/store"
)

// countedByReading is the highest count for a status if each instance has to be read.
const countedByReading = 100

// CountByStatus returns how many instances of each status a query selects; a stuck or corrupt instance
// counts under that status. PageSize and PageToken are ignored. Counting may stop at `most`
// instances of a status; more reports the statuses that have further instances.
//
// If the store can count, CountByStatus reads no records. DynamoDB counts by status and time from an
// eventually consistent index: it reads the keys of up to `most` instances of each status, at about 70
// keys per read unit, plus half a unit for each of the index's shards. For a query with any other
// field, records are read instead, up to 100 of each status. Errors: those of [Client.List].
func (c *Client) CountByStatus(ctx context.Context, q ListQuery, most int) (counts map[Status]int, more map[Status]bool, err error) {
	stored, possible := q.stored()
	if counter, ok := c.cfg.Store.(store.StatusCounter); ok && possible && q.Queue == "" {
		if counts, more, err = counter.CountByStatus(ctx, stored, most); !errors.Is(err, errors.ErrUnsupported) {
			return counts, more, err
		}
	}
	all := []Status{StatusRunning, StatusStuck, StatusCorrupt, StatusSuspended, StatusScheduled, StatusQueued, StatusForking, StatusCompleted, StatusFailed, StatusCancelled, StatusTerminated}
	if q.Status != "" {
		all = []Status{q.Status}
	}
	counts, more = map[Status]int{}, map[Status]bool{}
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

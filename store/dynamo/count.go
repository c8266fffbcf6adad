package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

var _ store.StatusCounter = (*Store)(nil)

// statuses are all statuses under which an instance can be listed.
var statuses = []store.Status{store.StatusRunning, store.StatusStuck, store.StatusCorrupt, store.StatusSuspended, store.StatusScheduled, store.StatusQueued, store.StatusForking, store.StatusCompleted, store.StatusFailed,
	store.StatusCancelled, store.StatusTerminated}

// CountByStatus implements store.StatusCounter for queries by status and time: it counts the keys of
// index by_status, which may lag behind the records by a moment, and reads no record. Counting stops at
// `most` instances of a status.
func (s *Store) CountByStatus(ctx context.Context, q store.ListQuery, most int) (counts map[store.Status]int, more map[store.Status]bool, err error) {
	if q.Name != "" || q.Prefix != "" || len(q.Where) > 0 || q.Scans() {
		return nil, nil, errors.ErrUnsupported
	}
	q.PageToken = ""
	low, high, err := q.KeyRange()
	if err != nil {
		return nil, nil, err
	}
	counts, more = map[store.Status]int{}, map[store.Status]bool{}
	if low >= high {
		return counts, more, nil
	}
	names, err := s.listedShards(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, status := range statuses {
		if q.Status != "" && q.Status != status {
			continue
		}
		n, stopped, err := s.countStatus(ctx, status, names, low, high, most)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			counts[status] = n
		}
		if stopped {
			more[status] = true
		}
	}
	return counts, more, nil
}

// counted is the state of a shard while the keys of a status are counted.
type counted struct {
	name string
	next attributes
}

// countStatus counts the instances of a status up to `most`: each round reads an equal share of the
// remaining number from each shard that has more.
func (s *Store) countStatus(ctx context.Context, status store.Status, names []string, low, high string, most int) (n int, more bool, err error) {
	left := make([]counted, len(names))
	for i, name := range names {
		left[i].name = name
	}
	for len(left) > 0 && n < most {
		share := int32((most-n)/len(left) + 1)
		rest := left[:0]
		for _, shard := range left {
			out, err := s.page(ctx, request{what: "count by status"}, &dynamodb.QueryInput{
				TableName:                 &s.config.Tables.Instances,
				IndexName:                 aws.String(byStatus),
				Select:                    types.SelectCount,
				KeyConditionExpression:    aws.String("status_shard = :shard AND list_key BETWEEN :low AND :high"),
				ExpressionAttributeValues: attributes{":shard": text(string(status) + "#" + shard.name), ":low": text(low), ":high": text(high)},
				ExclusiveStartKey:         shard.next,
				Limit:                     &share,
			})
			if err != nil {
				return 0, false, err
			}
			n += int(out.Count)
			if shard.next = out.LastEvaluatedKey; len(shard.next) > 0 {
				rest = append(rest, shard)
			}
		}
		left = rest
	}
	return n, len(left) > 0, nil
}

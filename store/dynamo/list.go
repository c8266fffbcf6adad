package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// List implements store.Store. An index returns the keys in order, with a Query for each shard. The
// records are then read from the table, strongly consistent, and checked again, because an index may
// lag behind.
func (s *Store) List(ctx context.Context, q store.ListQuery) (store.ListPage, error) {
	low, high, err := q.KeyRange()
	if err != nil || low >= high {
		return store.ListPage{}, err
	}
	limit := q.Limit()
	fetch := limit
	filtered := len(q.Where) > 0 || q.Prefix != "" || q.Status != "" && q.Name != "" || q.Scans()
	if filtered {
		// Few of the records may match the conditions.
		fetch = max(limit, batchGets)
	}
	if q.Prefix != "" {
		// Few of the keys may match.
		fetch = max(fetch, fetchedForPrefix)
	}
	names, err := s.listedShards(ctx)
	if err != nil {
		return store.ListPage{}, err
	}
	shards := shardsFor(&q, names, low, high, fetch)
	var page store.ListPage
	last := ""
	for looked, keysLooked := 0, 0; ; {
		// First the keys that may still fill the page, then their records.
		n := batchGets
		if !filtered {
			n = min(limit-len(page.Records), batchGets)
		}
		keys, err := s.next(ctx, shards, n)
		if err != nil {
			return store.ListPage{}, err
		}
		if len(keys) == 0 {
			return page, nil
		}
		// A list key contains its instance, so records with a different prefix are not read.
		named := slices.DeleteFunc(slices.Clone(keys), func(e entry) bool { return !strings.HasPrefix(e.instance, q.Prefix) })
		var records map[string]store.Record
		if len(named) > 0 {
			if records, err = s.records(ctx, named); err != nil {
				return store.ListPage{}, err
			}
		}
		looked += len(named)
		keysLooked += len(keys)
		for len(keys) > 0 && len(page.Records) < limit {
			k := keys[0]
			last, keys = k.listKey, keys[1:]
			if r, ok := records[k.instance]; ok && q.Matches(&r) && r.ListKey() == k.listKey {
				page.Records = append(page.Records, r)
			}
		}
		if len(page.Records) == limit || filtered && looked >= maxLooked || q.Prefix != "" && keysLooked >= maxKeysLooked {
			// One more key shows whether there is another page.
			more := keys
			if len(more) == 0 {
				if more, err = s.next(ctx, shards, 1); err != nil {
					return store.ListPage{}, err
				}
			}
			if len(more) > 0 {
				page.NextPageToken = q.TokenAfter(last)
			}
			return page, nil
		}
	}
}

// maxLooked is the maximum number of records that a call reads if the query scans, or has
// conditions, or has both a status and a name. An index covers at most one of these.
const maxLooked = 1000

// maxKeysLooked is the maximum number of keys that a call with a prefix reads, because no index
// covers prefixes. These keys cost about 140 read units.
const maxKeysLooked = 10_000

// fetchedForPrefix is how many keys are fetched at once, from all shards together.
const fetchedForPrefix = 2000

// entry is a record's entry in an index.
type entry struct{ instance, listKey string }

// shard is the state of a shard of an index that is read from high to low.
type shard struct {
	index, attribute, key string
	low, high             string
	fetch                 int32
	entries               []entry
	exhausted             bool
}

func shardsFor(q *store.ListQuery, names []string, low, high string, limit int) []*shard {
	index, attribute, prefix := byTime, "all_shard", ""
	switch {
	case q.Status == store.StatusStuck || q.Status == store.StatusCorrupt || q.Status == store.StatusSuspended || q.Status == store.StatusScheduled || q.Status == store.StatusQueued || q.Status == store.StatusForking:
		// These statuses are rare, so their index is shorter even if the query also has a name or an
		// attribute.
		index, attribute, prefix = byStatus, "status_shard", string(q.Status)+"#"
	case q.Equality() != nil:
		c := q.Equality()
		index, attribute, prefix = byName, "name_shard", searchPartition(c.Name, c.Value)
	case q.Status != "" && q.Name == "":
		index, attribute, prefix = byStatus, "status_shard", string(q.Status)+"#"
	case q.Name != "":
		index, attribute, prefix = byName, "name_shard", q.Name+"#"
	}
	shards := make([]*shard, len(names))
	for i := range shards {
		shards[i] = &shard{
			index: index, attribute: attribute, key: prefix + names[i], low: low, high: high,
			// A fair share of the page and a little more.
			fetch: int32(limit/len(shards) + 4),
		}
	}
	return shards
}

// next takes up to n entries from the shards, highest list key first.
func (s *Store) next(ctx context.Context, shards []*shard, n int) ([]entry, error) {
	var entries []entry
	for len(entries) < n {
		var best *shard
		for _, sh := range shards {
			if len(sh.entries) == 0 && !sh.exhausted {
				if err := s.fill(ctx, sh); err != nil {
					return nil, err
				}
			}
			if len(sh.entries) > 0 && (best == nil || sh.entries[0].listKey > best.entries[0].listKey) {
				best = sh
			}
		}
		if best == nil {
			break
		}
		entries = append(entries, best.entries[0])
		best.entries = best.entries[1:]
	}
	return entries, nil
}

// fill reads the next entries of a shard, until there are some or it has no more.
func (s *Store) fill(ctx context.Context, sh *shard) error {
	for len(sh.entries) == 0 && !sh.exhausted {
		out, err := s.page(ctx, request{what: "list by " + sh.index}, &dynamodb.QueryInput{
			TableName:                 &s.config.Tables.Instances,
			IndexName:                 &sh.index,
			KeyConditionExpression:    aws.String(sh.attribute + " = :shard AND list_key BETWEEN :low AND :high"),
			ExpressionAttributeValues: attributes{":shard": text(sh.key), ":low": text(sh.low), ":high": text(sh.high)},
			ScanIndexForward:          aws.Bool(false),
			Limit:                     &sh.fetch,
		})
		if err != nil {
			return err
		}
		sh.exhausted = len(out.LastEvaluatedKey) == 0
		for _, item := range out.Items {
			// The item may be a search item, which finds a record by an attribute. The list key
			// contains the instance in any case.
			e := entry{listKey: textOf(item, "list_key")}
			_, e.instance, _ = strings.Cut(e.listKey, "#")
			// BETWEEN includes its upper bound, KeyRange does not.
			if e.listKey < sh.high {
				sh.entries = append(sh.entries, e)
			}
		}
		if n := len(out.Items); n > 0 {
			sh.high = textOf(out.Items[n-1], "list_key")
			sh.exhausted = sh.exhausted || sh.low >= sh.high
		}
	}
	return nil
}

const batchGets = 100

// records reads the records of entries, at most batchGets.
func (s *Store) records(ctx context.Context, entries []entry) (map[string]store.Record, error) {
	table := s.config.Tables.Instances
	keys := make([]attributes, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		if !seen[e.instance] {
			seen[e.instance] = true
			keys = append(keys, attributes{"instance": text(e.instance)})
		}
	}
	found := make(map[string]store.Record, len(entries))
	r := request{what: "list", instance: entries[0].instance} // named after the first
	err := s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
			ReturnConsumedCapacity: s.config.consumed(),
		}, once)
		if err != nil {
			s.config.meterRead("BatchGetItem", err, nil)
			if outcomeOf(err) == unknown {
				return verdict{again, err} // a read: repeating it is harmless
			}
			return unsettled(r, err)
		}
		s.config.meterRead("BatchGetItem", nil, out.Responses[table], out.ConsumedCapacity...)
		for _, item := range out.Responses[table] {
			rec, err := decodeRecord(item)
			if err != nil {
				return verdict{rejected, err}
			}
			found[rec.Instance] = rec
		}
		if keys = out.UnprocessedKeys[table].Keys; len(keys) > 0 {
			return verdict{again, fmt.Errorf("%d of %d keys were left unprocessed", len(keys), len(entries))}
		}
		return verdict{kind: settled}
	})
	return found, err
}

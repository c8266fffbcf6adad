package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The number of index shards may be raised, and lowered again: the instances table records the
// largest number that was ever used for writing, and lists read that many shards. A writer with
// more than DefaultShards records its number before its first write of a record. With fewer shards
// nothing is recorded or read, because lists never read fewer than DefaultShards.

// shardsKey is the key of the item that has the number. Instance ids have no control characters, and
// keys of search items have a second one.
const shardsKey = searchMark + "index_shards"

func shardsItemKey() attributes { return attributes{"instance": text(shardsKey)} }

// noteShards makes sure, once per store, that lists read all shards that this store writes to. It
// costs one read; the first writer that uses so many shards also makes one write.
func (s *Store) noteShards(ctx context.Context) error {
	if s.config.Shards <= DefaultShards || s.noted.Load() {
		return nil
	}
	n, err := s.recordedShards(ctx)
	if err == nil && n < s.config.Shards {
		err = s.recordShards(ctx)
	}
	if err == nil {
		s.noted.Store(true)
	}
	return err
}

// recordedShards returns the largest number of shards that was ever used for writing.
func (s *Store) recordedShards(ctx context.Context) (int, error) {
	item, err := getItem(ctx, s.client, &s.config, request{what: "read of the number of index shards"}, &dynamodb.GetItemInput{
		TableName: &s.config.Tables.Instances, Key: shardsItemKey(),
	})
	if err != nil || item == nil {
		return DefaultShards, err
	}
	n := numberOf(item, "shards")
	if n < DefaultShards || n > MaxShards {
		return 0, fmt.Errorf("store: the item %q of the instances table has %d index shards; its attribute shards must be the largest number that was ever configured, from %d to %d",
			shardsKey, n, DefaultShards, MaxShards)
	}
	return int(n), nil
}

// recordShards writes the number, unless a larger one is recorded.
func (s *Store) recordShards(ctx context.Context) error {
	in := &dynamodb.UpdateItemInput{
		TableName:                 &s.config.Tables.Instances,
		Key:                       shardsItemKey(),
		UpdateExpression:          aws.String("SET shards = :n"),
		ConditionExpression:       aws.String("attribute_not_exists(shards) OR shards < :n"),
		ExpressionAttributeValues: attributes{":n": number(int64(s.config.Shards))},
		ReturnConsumedCapacity:    s.config.consumed(),
	}
	r := request{what: "record of the number of index shards"}
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.UpdateItem(ctx, in, once)
		if err == nil {
			s.config.meterWrite("UpdateItem", nil, 1, len("shards")+len(shardsKey), one(out.ConsumedCapacity)...)
			return verdict{kind: settled}
		}
		s.config.meterWrite("UpdateItem", err, 0, 0)
		if _, larger := errors.AsType[*types.ConditionalCheckFailedException](err); larger {
			return verdict{kind: settled}
		}
		if outcomeOf(err) == unknown {
			return verdict{again, err} // Nothing else was written: the whole call may be repeated.
		}
		return unsettled(r, err)
	})
}

// listedShards returns the shards that a list reads: as many as any writer has used.
func (s *Store) listedShards(ctx context.Context) ([]string, error) {
	n, err := s.recordedShards(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, max(n, s.config.Shards))
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names, nil
}

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

// The number of shards of the indexes may be raised, and lowered again: the
// largest that anything was written with stands in the instances table, and lists
// read as many. A writer with more than DefaultShards notes it before its first
// write of a record; with up to that many nothing is noted and nothing is asked
// for, since lists never read fewer.

// shardsKey is the key of the item that has it. No instance id has a control
// character, and keys of search items have a second one.
const shardsKey = searchMark + "index_shards"

func shardsItemKey() attributes { return attributes{"instance": text(shardsKey)} }

// noteShards makes sure, once in the life of the store, that lists will look
// where this one writes: with one read, and one write by whoever is the first to
// write with so many shards.
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

// recordedShards returns the largest number of shards that anything was written
// with.
func (s *Store) recordedShards(ctx context.Context) (int, error) {
	item, err := getItem(ctx, s.client, &s.config, request{what: "read of the number of index shards"}, &dynamodb.GetItemInput{
		TableName: &s.config.Tables.Instances, Key: shardsItemKey(),
	})
	if err != nil || item == nil {
		return DefaultShards, err
	}
	n := numberOf(item, "shards")
	if n < DefaultShards || n > MaxShards {
		return 0, fmt.Errorf("store: the item %q of the instances table says %d index shards; it has to be a number (attribute shards) from %d to %d, the largest that was ever configured",
			shardsKey, n, DefaultShards, MaxShards)
	}
	return int(n), nil
}

// recordShards writes the number, unless a larger one is there.
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
			return verdict{again, err} // Nothing else has been written: the call may be repeated whole.
		}
		return unsettled(r, err)
	})
}

// listedShards returns how many shards a list reads: as many as anything was
// written with, by whomever.
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

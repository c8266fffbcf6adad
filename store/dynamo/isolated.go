package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// ReadIsolated implements store.Store. It makes a TransactGetItems, which DynamoDB isolates from
// transactions in progress: DynamoDB cancels the request if it conflicts with a transaction, while
// a GetItem or a Query may see only a part of the transaction's writes (Developer Guide, "Isolation
// levels for DynamoDB transactions").
//
// A turn that is split into items is read part by part: if one part is stored, the transaction was
// made, so the next part is stored too.
func (s *Store) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (store.Isolated, error) {
	for {
		record, slot, err := s.transactGet(ctx, instance, executionID, eventID)
		if err != nil {
			return store.Isolated{}, err
		}
		at := store.Isolated{Stored: slot != nil}
		if record != nil {
			r, err := decodeRecord(record)
			if err != nil {
				return store.Isolated{}, err
			}
			at.Record = &r
		}
		if slot == nil || numberOf(slot, "part") >= numberOf(slot, "parts") {
			return at, nil
		}
		p, err := decodePart(instance, executionID, slot)
		if err != nil {
			return store.Isolated{}, err
		}
		eventID = p.turnOf.Last() + 1
	}
}

// transactGet reads the record and the item of a slot; nil for those that do not exist.
func (s *Store) transactGet(ctx context.Context, instance string, executionID, eventID int64) (record, slot attributes, err error) {
	r := request{what: "isolated read", instance: instance, executionID: executionID, eventID: eventID}
	in := &dynamodb.TransactGetItemsInput{
		TransactItems:          []types.TransactGetItem{s.getRecord(instance), s.getSlot(instance, executionID, eventID)},
		ReturnConsumedCapacity: s.config.consumed(),
	}
	err = s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.TransactGetItems(ctx, in, once)
		if err != nil {
			s.config.meterRead("TransactGetItems", err, nil)
			return isolatedVerdict(r, err)
		}
		if len(out.Responses) != len(in.TransactItems) {
			return verdict{again, fmt.Errorf("%d responses for %d items", len(out.Responses), len(in.TransactItems))}
		}
		record, slot = out.Responses[0].Item, out.Responses[1].Item
		var found []attributes
		for _, item := range []attributes{record, slot} {
			if item != nil {
				found = append(found, item)
			}
		}
		s.config.meterRead("TransactGetItems", nil, found, out.ConsumedCapacity...)
		return verdict{kind: settled}
	})
	return record, slot, err
}

func (s *Store) getRecord(instance string) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: &s.config.Tables.Instances, Key: attributes{"instance": text(instance)}}}
}

func (s *Store) getSlot(instance string, executionID, eventID int64) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: &s.config.Tables.History,
		Key: attributes{"execution": text(executionKey(instance, executionID)), "event_id": number(eventID)}}}
}

// isolatedVerdict returns the verdict for the error of a TransactGetItems. A read has no effect that
// could be unknown, so temporary errors are retried.
func isolatedVerdict(r request, err error) verdict {
	switch outcomeOf(err) {
	case busy, unknown:
		return verdict{again, err}
	case cancelled:
		c, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok {
			return verdict{again, err}
		}
		for _, why := range c.CancellationReasons {
			if reasonOf(why) == reasonInvalid {
				return verdict{rejected, fmt.Errorf("store: %s: DynamoDB refuses it: %s: %w", r, reasonsText(c.CancellationReasons), err)}
			}
		}
		return verdict{again, fmt.Errorf("%s: %w", reasonsText(c.CancellationReasons), err)}
	}
	return unsettled(r, err)
}

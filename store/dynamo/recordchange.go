package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// update returns RecordChange.Apply as an update expression; change.Create is nil.
func (e *Encoder) update(x *expression, instance string, change *store.RecordChange, token string) (string, error) {
	// The change as a record: its zero fields are removed.
	r := change.Apply(store.Record{Instance: instance})
	item, err := e.Record(&r)
	if err != nil {
		return "", err
	}
	var sets, removes []string
	assign := func(attribute string, changed bool) {
		if !changed {
			return
		}
		v, ok := item[attribute]
		if !ok {
			removes = append(removes, x.name(attribute))
			return
		}
		sets = append(sets, x.equal(attribute, attribute, v))
		x.size += len(attribute) + valueSize(v)
	}
	assign("execution_id", change.ExecutionID != nil)
	assign("first_execution", change.FirstExecution != nil)
	assign("pruned", change.Pruned != nil)
	assign("version", change.Version != nil)
	assign("status", change.Status != nil)
	assign("status_shard", change.Status != nil)
	assign("ended_at", change.EndedAt != nil)
	assign("states", change.States != nil)
	assign("output", change.Output != nil)
	assign("states_codec", change.StatesCodec != nil)
	assign("codec", change.Codec != nil)
	assign("failure", change.Failure != nil)
	assign("problem", change.Problem != nil)
	assign("suspension", change.Suspension != nil)
	assign("suspect", change.Suspect != nil)
	assign("dispatched", change.Dispatched != nil)
	assign("looped_at", change.LoopedAt != nil)
	assign("awaits", change.Awaits != nil)
	assign("unreported", change.Unreported != nil)
	assign("stamp", change.Stamp != nil)
	assign("reserved", change.Reserved != nil)
	assign("forked", change.Forked != nil)
	assign("forks", change.Forks != nil)
	for i, name := range change.SearchAttributes.Names() {
		attribute, placeholder := searchPrefix+name, "search"+strconv.Itoa(i)
		x.names["#"+placeholder] = attribute
		if v, ok := item[attribute]; ok {
			sets = append(sets, "#"+placeholder+" = "+x.value(placeholder, v))
			x.size += len(attribute) + valueSize(v)
		} else {
			removes = append(removes, "#"+placeholder)
		}
	}
	assign("updated_at", true)
	if token != "" {
		item["change"] = text(token)
		assign("change", true)
	}
	s := ""
	if len(sets) > 0 {
		s = "SET " + strings.Join(sets, ", ")
	}
	if len(removes) > 0 {
		s += " REMOVE " + strings.Join(removes, ", ")
	}
	return s, nil
}

// recordWrites returns the record's part of a transaction, the record first, and its size. token
// identifies a change made without a turn.
func (s *Store) recordWrites(instance string, change *store.RecordChange, token string) ([]types.TransactWriteItem, int, error) {
	write, size, err := s.recordWrite(instance, change, token)
	if err != nil {
		return nil, 0, err
	}
	search, more := s.searchWrites(instance, change)
	return append([]types.TransactWriteItem{write}, search...), size + more, nil
}

func (s *Store) recordWrite(instance string, change *store.RecordChange, token string) (types.TransactWriteItem, int, error) {
	x := newExpression()
	condition := x.condition(change)
	if change.Create != nil {
		item, err := s.encoder.Record(change.Create)
		if err != nil {
			return types.TransactWriteItem{}, 0, err
		}
		if token != "" {
			item["change"] = text(token)
		}
		return types.TransactWriteItem{Put: &types.Put{
			TableName:                           &s.config.Tables.Instances,
			Item:                                item,
			ConditionExpression:                 optional(condition),
			ExpressionAttributeNames:            optionalMap(x.names),
			ExpressionAttributeValues:           optionalMap(x.values),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}, ItemSize(item), nil
	}
	update, err := s.encoder.update(x, instance, change, token)
	if err != nil {
		return types.TransactWriteItem{}, 0, err
	}
	return types.TransactWriteItem{Update: &types.Update{
		TableName:                           &s.config.Tables.Instances,
		Key:                                 attributes{"instance": text(instance)},
		UpdateExpression:                    &update,
		ConditionExpression:                 optional(condition),
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}, x.size, nil
}

// UpdateRecord implements store.Store. Each change has a token, so that a repeat after a lost response
// recognizes its own change.
func (s *Store) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	if err := s.noteShards(ctx); err != nil {
		return err
	}
	r := request{what: "record change", instance: instance}
	token := s.config.requestToken()
	if len(change.SearchAttributes) > 0 || change.Create != nil && len(change.Create.SearchAttributes) > 0 {
		writes, size, err := s.recordWrites(instance, &change, token)
		if err != nil {
			return err
		}
		return s.transactRecord(ctx, r, writes, size, token)
	}
	write, size, err := s.recordWrite(instance, &change, token)
	if err != nil {
		return err
	}
	if p := write.Put; p != nil {
		in := &dynamodb.PutItemInput{
			TableName: p.TableName, Item: p.Item, ConditionExpression: p.ConditionExpression, ExpressionAttributeNames: p.ExpressionAttributeNames,
			ExpressionAttributeValues: p.ExpressionAttributeValues, ReturnValuesOnConditionCheckFailure: p.ReturnValuesOnConditionCheckFailure,
			ReturnConsumedCapacity: s.config.consumed(),
		}
		return s.writeRecord(ctx, r, "PutItem", size, token, func(ctx context.Context) (*types.ConsumedCapacity, error) {
			out, err := s.client.PutItem(ctx, in, once)
			if err != nil {
				return nil, err
			}
			return out.ConsumedCapacity, nil
		})
	}
	return s.updateItem(ctx, r, write.Update, size, token)
}

// updateItem repeats an update of the record of r until it gets a definite response.
func (s *Store) updateItem(ctx context.Context, r request, u *types.Update, size int, token string) error {
	in := &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure, ReturnConsumedCapacity: s.config.consumed(),
	}
	return s.writeRecord(ctx, r, "UpdateItem", size, token, func(ctx context.Context) (*types.ConsumedCapacity, error) {
		out, err := s.client.UpdateItem(ctx, in, once)
		if err != nil {
			return nil, err
		}
		return out.ConsumedCapacity, nil
	})
}

// writeRecord repeats a write of the record of r until it gets a definite response.
func (s *Store) writeRecord(ctx context.Context, r request, operation string, size int, token string, write func(context.Context) (*types.ConsumedCapacity, error)) error {
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		capacity, err := write(ctx)
		if err == nil {
			s.config.meterWrite(operation, nil, 1, size, one(capacity)...)
			return verdict{kind: settled}
		}
		s.config.meterWrite(operation, err, 0, 0)
		return s.judgeRecord(r, err, token)
	})
}

// transactRecord makes a transaction of the record of r, which is its first write, and of the items by
// which it is found.
func (s *Store) transactRecord(ctx context.Context, r request, writes []types.TransactWriteItem, size int, token string) error {
	return s.transact(ctx, r, writes, size, func(reasons []types.CancellationReason, err error) verdict {
		return s.judgeRecordReasons(r, reasons, err, token)
	})
}

func (s *Store) judgeRecordReasons(r request, reasons []types.CancellationReason, err error, token string) verdict {
	for i, why := range reasons {
		switch reasonOf(why) {
		case reasonCondition:
			if i > 0 {
				continue // None of the others has a condition.
			}
			if token != "" && textOf(why.Item, "change") == token {
				return verdict{kind: settled}
			}
			return verdict{rejected, recordConflict(r.instance, why.Item)}
		case reasonInvalid:
			return verdict{rejected, fmt.Errorf("store: %s: DynamoDB refuses the transaction: %s: %w", r, reasonsText(reasons), err)}
		}
	}
	return verdict{again, fmt.Errorf("%s: %w", reasonsText(reasons), err)}
}

func (s *Store) judgeRecord(r request, err error, token string) verdict {
	var found *types.ConditionalCheckFailedException
	if errors.As(err, &found) {
		if token != "" && textOf(found.Item, "change") == token {
			return verdict{kind: settled}
		}
		// Other writers may have changed the record since an attempt whose response was lost, so this
		// says nothing about that attempt.
		return verdict{rejected, recordConflict(r.instance, found.Item)}
	}
	if outcomeOf(err) == failed && tooLarge(err.Error()) {
		return verdict{rejected, fmt.Errorf("store: %s: the record would exceed 400 KB, the limit of an item; shorten the output or the states: %w", r, err)}
	}
	return unsettled(r, err)
}

// recordConflict returns the error with the record found.
func recordConflict(instance string, item attributes) error {
	e := &store.RecordConflictError{Instance: instance}
	if len(item) > 0 {
		r, err := decodeRecord(item)
		if err != nil {
			return errors.Join(store.ErrConflict, err)
		}
		e.Found = &r
	}
	return e
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func optionalMap[V any](m map[string]V) map[string]V {
	if len(m) == 0 {
		return nil
	}
	return m
}

package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// recordAttributes are all attributes of a record that a tombstone does not keep.
var recordAttributes = [...]string{
	"name", "version", "status", "created_at", "updated_at", "ended_at", "first_execution", "pruned", "earlier_starts", "states_codec", "codec", "suspect",
	"dispatched", "looped_at", "awaits", "unreported", "stamp", "forked", "forks", "skipped", "origin", "fairness_group", "states", "output", "failure", "parent", "problem", "change",
	"all_shard", "status_shard", "name_shard", "list_key",
}

// Hide implements store.Store. Without its index attributes the tombstone is not in any list.
func (s *Store) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	// The search attributes of an ended instance never change.
	r, err := s.Describe(ctx, instance)
	if errors.Is(err, store.ErrNotFound) {
		return &store.RecordConflictError{Instance: instance}
	}
	if err != nil {
		return err
	}
	if r.ExecutionID != executionID || !r.Purged && !r.Status.Terminal() {
		return &store.RecordConflictError{Instance: instance, Found: &r}
	}
	x := newExpression()
	removes := make([]string, len(recordAttributes))
	for i, a := range recordAttributes {
		removes[i] = x.name(a)
	}
	for i, name := range r.SearchAttributes.Names() {
		p := "#search" + strconv.Itoa(i)
		x.names[p] = searchPrefix + name
		removes = append(removes, p)
	}
	hidden := r.Hidden(freeAt)
	set := x.equal("purged", "purged", flag()) + ", " + x.equal("free_at", "free_at", number(hidden.FreeAt.UnixMilli()))
	size := len("purged") + 1 + len("free_at") + 8
	update := "SET " + set + " REMOVE " + strings.Join(removes, ", ")
	var ended []string
	for _, status := range store.TerminalStatuses() {
		ended = append(ended, x.value(string(status), text(string(status))))
	}
	condition := x.equal("execution_id", "execution_id", number(executionID)) +
		" AND (attribute_exists(" + x.name("purged") + ") OR " + x.name("status") + " IN (" + strings.Join(ended, ", ") + "))"
	table := &s.config.Tables.Instances
	hide := &types.Update{
		TableName: table, Key: attributes{"instance": text(instance)}, UpdateExpression: &update, ConditionExpression: &condition,
		ExpressionAttributeNames: x.names, ExpressionAttributeValues: x.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	what := request{what: "hiding", instance: instance}
	if len(r.SearchAttributes) == 0 {
		return s.updateItem(ctx, what, hide, size, "")
	}
	// The items by which the record is found are deleted with it.
	writes := []types.TransactWriteItem{{Update: hide}}
	for _, name := range r.SearchAttributes.Names() {
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: searchItemKey(instance, name)}})
	}
	return s.transactRecord(ctx, what, writes, size, "")
}

// DeleteHistory implements store.Store. Executions are deleted from the oldest to the newest, and
// the item of event 1 of each is deleted first, on its own. So after an interruption the remaining
// items do not begin with event 1, and Read does not treat them as a history.
func (s *Store) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	const page = 1000
	left := limit
	if limit <= 0 {
		left = page
	}
	executionID, err := s.oldest(ctx, instance, upTo)
	if err != nil {
		return false, err
	}
	for executionID <= upTo {
		slots, err := s.keysOf(ctx, instance, executionID, int32(min(left, page)))
		if err != nil {
			return false, err
		}
		if len(slots) == 0 {
			executionID++
			continue
		}
		if err := s.deleteSlots(ctx, instance, executionID, slots); err != nil {
			return false, err
		}
		if limit > 0 {
			if left -= len(slots); left == 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// oldest returns the oldest execution up to upTo that has a history; upTo+1 if none has. Since
// executions are deleted in order, their numbers are never reused, and the commit that reserves a
// number stores its first events, all later ones have a history too. So an instance with many
// executions needs few reads. The search starts near upTo, because the
// deleted executions of an instance whose executions are pruned end shortly before it.
func (s *Store) oldest(ctx context.Context, instance string, upTo int64) (int64, error) {
	const few = 8
	if upTo <= few {
		return 1, nil
	}
	var failure error
	has := func(n int64) bool {
		if failure != nil {
			return true
		}
		slots, err := s.keysOf(ctx, instance, n, 1)
		failure = err
		return len(slots) > 0
	}
	low, high := int64(0), upTo+1
	for step := int64(few); high-step > 0; step *= few {
		if !has(high - step) {
			low = high - step
			break
		}
		high -= step
	}
	n := sort.Search(int(high-low-1), func(i int) bool { return has(low + int64(i) + 1) })
	return low + int64(n) + 1, failure
}

const batchWrites = 25

func (s *Store) deleteSlots(ctx context.Context, instance string, executionID int64, slots []int64) error {
	key := text(executionKey(instance, executionID))
	r := request{what: "delete of the history", instance: instance, executionID: executionID, eventID: slots[0]}
	if slots[0] == 1 {
		err := s.config.repeat(ctx, r, func(ctx context.Context) verdict {
			out, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: &s.config.Tables.History, Key: attributes{"execution": key, "event_id": number(1)},
				ReturnConsumedCapacity: s.config.consumed(),
			}, once)
			if err == nil {
				s.config.meterWrite("DeleteItem", nil, 1, 0, one(out.ConsumedCapacity)...)
				return verdict{kind: settled}
			}
			s.config.meterWrite("DeleteItem", err, 0, 0)
			return unsettled(r, err)
		})
		if err != nil {
			return err
		}
		slots = slots[1:]
	}
	keys := make([]attributes, len(slots))
	for i, slot := range slots {
		keys[i] = attributes{"execution": key, "event_id": number(slot)}
	}
	return s.deleteItems(ctx, r, keys)
}

// deleteItems deletes the items of the history table that have these keys, in this order.
func (s *Store) deleteItems(ctx context.Context, r request, keys []attributes) error {
	for batch := range slices.Chunk(keys, batchWrites) {
		requests := make([]types.WriteRequest, len(batch))
		for i, key := range batch {
			requests[i].DeleteRequest = &types.DeleteRequest{Key: key}
		}
		if err := s.deleteBatch(ctx, r, requests); err != nil {
			return err
		}
	}
	return nil
}

// deleteBatch repeats the deletes that DynamoDB leaves unprocessed.
func (s *Store) deleteBatch(ctx context.Context, r request, requests []types.WriteRequest) error {
	table := s.config.Tables.History
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems:           map[string][]types.WriteRequest{table: requests},
			ReturnConsumedCapacity: s.config.consumed(),
		}, once)
		if err != nil {
			s.config.meterWrite("BatchWriteItem", err, 0, 0)
			return unsettled(r, err)
		}
		rest := out.UnprocessedItems[table]
		s.config.meterWrite("BatchWriteItem", nil, len(requests)-len(rest), 0, out.ConsumedCapacity...)
		if len(rest) > 0 {
			done := len(requests) - len(rest)
			requests = rest
			return verdict{again, fmt.Errorf("%d of %d deletes were left unprocessed", len(rest), done+len(rest))}
		}
		return verdict{kind: settled}
	})
}

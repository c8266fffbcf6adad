package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// slotIsFree is the condition of a commit: this event_id does not exist yet.
const slotIsFree = "attribute_not_exists(execution)"

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	var items []Item
	for i := range c.Turns {
		of, err := s.encoder.Turn(&c.Turns[i])
		if err != nil {
			return err
		}
		if items == nil {
			items = of
		} else {
			items = append(items, of...)
		}
	}
	t := &c.Turns[0]
	r := request{what: "commit", instance: t.Instance, executionID: t.ExecutionID, eventID: t.First()}
	if len(items) == 1 && c.Record == nil {
		return s.config.repeat(ctx, r, func(ctx context.Context) verdict { return s.put(ctx, r, &items[0]) })
	}
	w, err := s.transaction(&c, items)
	if err != nil {
		return err
	}
	if c.Record != nil {
		if err := s.noteShards(ctx); err != nil {
			return err
		}
	}
	return s.transact(ctx, r, w.writes, w.size, func(reasons []types.CancellationReason, err error) verdict { return w.judge(r, reasons, err) })
}

// put writes a turn that is one item.
func (s *Store) put(ctx context.Context, r request, it *Item) verdict {
	out, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           &s.config.Tables.History,
		Item:                                it.Attributes,
		ConditionExpression:                 aws.String(slotIsFree),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		ReturnConsumedCapacity:              s.config.consumed(),
	}, once)
	if err == nil {
		s.config.meterWrite("PutItem", nil, 1, it.Size, one(out.ConsumedCapacity)...)
		return verdict{kind: settled}
	}
	s.config.meterWrite("PutItem", err, 0, 0)
	if outcomeOf(err) == refused {
		var failed *types.ConditionalCheckFailedException
		if errors.As(err, &failed) && it.own(failed.Item) {
			return verdict{kind: settled}
		}
		return verdict{settled, taken(r)}
	}
	return unsettled(r, err)
}

// unsettled returns the verdict for an error that is not about a condition.
func unsettled(r request, err error) verdict {
	switch outcomeOf(err) {
	case busy, mismatched:
		return verdict{again, err}
	case unknown:
		return verdict{open, err}
	}
	return verdict{rejected, fmt.Errorf("store: %s: %w%s", r, err, advice(err))}
}

func taken(r request) error {
	return fmt.Errorf("%w: %s: the event id already exists", store.ErrConflict, r)
}

// transaction is a commit of several items.
type transaction struct {
	commit *store.Commit
	items  []Item
	size   int
	writes []types.TransactWriteItem
}

// transaction builds the writes: the items of the turns in order, the record, and the items for its
// search attributes.
func (s *Store) transaction(c *store.Commit, items []Item) (*transaction, error) {
	w := &transaction{commit: c, items: items, writes: make([]types.TransactWriteItem, 0, len(items)+1)}
	for i := range items {
		w.size += items[i].Size
		w.writes = append(w.writes, types.TransactWriteItem{Put: &types.Put{
			TableName:                           &s.config.Tables.History,
			Item:                                items[i].Attributes,
			ConditionExpression:                 aws.String(slotIsFree),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}})
	}
	if c.Record != nil {
		record, size, err := s.recordWrites(c.Turns[0].Instance, c.Record, "")
		if err != nil {
			return nil, err
		}
		w.size += size
		w.writes = append(w.writes, record...)
	}
	switch {
	case w.size > MaxTransaction:
		return nil, w.tooLarge("4 MB a transaction")
	case len(w.writes) > MaxTransactionItems:
		return nil, w.tooLarge("100 items a transaction")
	}
	return w, nil
}

func (w *transaction) tooLarge(limit string) error {
	e := &store.TooLargeError{CommitSize: w.size, Limit: limit}
	for i := range w.commit.Turns {
		t := &w.commit.Turns[i]
		if id, what, n := t.Largest(); i == 0 || n > e.EventSize {
			e.Instance, e.ExecutionID, e.EventID, e.What, e.EventSize = t.Instance, t.ExecutionID, id, what, n
		}
	}
	return e
}

// transact repeats a transaction until it gets a definite response. judge evaluates the reasons of a
// cancelled one. The request token is new for each call and the same for its repeats, so two writers
// never share one, even if their content is equal.
func (s *Store) transact(ctx context.Context, r request, writes []types.TransactWriteItem, size int, judge func([]types.CancellationReason, error) verdict) error {
	in := &dynamodb.TransactWriteItemsInput{
		TransactItems:          writes,
		ClientRequestToken:     aws.String(s.config.requestToken()),
		ReturnConsumedCapacity: s.config.consumed(),
	}
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.TransactWriteItems(ctx, in, once)
		if err == nil {
			s.config.meterWrite("TransactWriteItems", nil, len(writes), size, out.ConsumedCapacity...)
			return verdict{kind: settled}
		}
		s.config.meterWrite("TransactWriteItems", err, 0, 0)
		switch outcomeOf(err) {
		case cancelled:
			if c, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
				return judge(c.CancellationReasons, err)
			}
		case mismatched:
			// The 128 random bits were used before, or something between the store and DynamoDB changes
			// tokens. Nothing was written; continue with a new token.
			in.ClientRequestToken = aws.String(s.config.requestToken())
		}
		return unsettled(r, err)
	})
}

// judge evaluates the reasons of a cancelled transaction, in the order in which they decide the result.
func (w *transaction) judge(r request, reasons []types.CancellationReason, err error) verdict {
	if len(reasons) != len(w.writes) {
		// Nothing was written, and DynamoDB does not say why.
		return verdict{again, err}
	}
	slotTaken, recordFails, passing, invalid := false, false, false, ""
	for i, why := range reasons {
		switch reasonOf(why) {
		case reasonCondition:
			if i < len(w.items) {
				if w.items[i].own(why.Item) {
					// A transaction is all or nothing: if one of this commit's items is in its slot,
					// all are, and the change of the record too.
					return verdict{kind: settled}
				}
				slotTaken = true
			} else if i == len(w.items) {
				recordFails = true
			}
		case reasonBusy:
			passing = true
		case reasonInvalid:
			if why.Message != nil {
				invalid += *why.Message
			}
			if invalid == "" {
				invalid = aws.ToString(why.Code)
			}
		}
	}
	var conflict error
	if recordFails {
		conflict = recordConflict(r.instance, reasons[len(w.items)].Item)
	}
	switch {
	case slotTaken && recordFails:
		return verdict{settled, conflict}
	case slotTaken:
		return verdict{settled, taken(r)}
	case invalid != "" && tooLarge(invalid):
		return verdict{rejected, w.tooLarge("400 KB an item: the instance record would exceed it")}
	case invalid != "":
		return verdict{rejected, fmt.Errorf("store: %s: DynamoDB refuses the transaction: %s: %w", r, reasonsText(reasons), err)}
	case passing:
		return verdict{again, fmt.Errorf("%s: %w", reasonsText(reasons), err)}
	case recordFails:
		// The slot is free, so an earlier attempt with an unknown outcome has not succeeded yet,
		// but still may.
		return verdict{rejected, conflict}
	}
	return verdict{again, fmt.Errorf("%s: %w", reasonsText(reasons), err)}
}

package dynamo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// Answers are in the history table because the role of the activity function cannot write there. An
// instance has no execution 0, so this partition has only answers, and one Query finds all of them.

// answersKey is the partition key of the answers of an instance.
func answersKey(instance string) types.AttributeValue { return text(executionKey(instance, 0)) }

// answerSlots is the number of sort keys of answers: a number of DynamoDB has at most 38 digits.
var answerSlots = new(big.Int).Exp(big.NewInt(10), big.NewInt(37), nil)

// answerSlot returns the sort key of an answer: SHA-256 of the length of the start id, ":", the start
// id and the id of the update, modulo 10^37.
func answerSlot(key store.AnswerKey) types.AttributeValue {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(key.StartID), key.StartID, key.ID))
	n := new(big.Int).SetBytes(sum[:])
	return &types.AttributeValueMemberN{Value: n.Mod(n, answerSlots).String()}
}

func answerItemKey(key store.AnswerKey) attributes {
	return attributes{"execution": answersKey(key.Instance), "event_id": answerSlot(key)}
}

// Answer returns the item of an answer. Error: *store.TooLargeError if it does not fit into an item.
func (e *Encoder) Answer(a *store.Answer) (Item, error) {
	item := answerItemKey(a.AnswerKey)
	item["start_id"] = text(a.StartID)
	item["update_id"] = text(a.ID)
	item["execution_id"] = number(a.ExecutionID)
	item["answer_event_id"] = number(a.Event.EventID)
	if a.Open() {
		item["open"] = flag()
	}
	item["events"] = e.compressor.value(store.EncodeAnswer(&a.Event))
	item["expires_at"] = number(a.ExpiresAt.Unix())
	size := ItemSize(item)
	if size > MaxItem {
		return Item{}, &store.TooLargeError{
			Instance: a.Instance, ExecutionID: a.ExecutionID, EventID: a.Event.EventID,
			What: payloadName(&a.Event), EventSize: size, CommitSize: size, Limit: "400 KB an item",
		}
	}
	return Item{Attributes: item, Size: size}, nil
}

// replacesAnswer is the condition of a put: no answer is stored, or an open one that is earlier.
const replacesAnswer = "attribute_not_exists(execution) OR (attribute_exists(#open) AND (execution_id < :execution OR (execution_id = :execution AND answer_event_id < :event)))"

// PutAnswer implements store.Answers. Repeating it is harmless, because a put whose response was lost
// finds its own answer, which is not an earlier one.
func (s *Store) PutAnswer(ctx context.Context, a store.Answer) error {
	it, err := s.encoder.Answer(&a)
	if err != nil {
		return err
	}
	r := ofAnswer(a.AnswerKey, "write of the answer")
	in := &dynamodb.PutItemInput{
		TableName:                 &s.config.Tables.History,
		Item:                      it.Attributes,
		ConditionExpression:       aws.String(replacesAnswer),
		ExpressionAttributeNames:  map[string]string{"#open": "open"},
		ExpressionAttributeValues: attributes{":execution": number(a.ExecutionID), ":event": number(a.Event.EventID)},
		ReturnConsumedCapacity:    s.config.consumed(),
	}
	return s.config.repeat(ctx, r, func(ctx context.Context) verdict {
		out, err := s.client.PutItem(ctx, in, once)
		if err == nil {
			s.config.meterWrite("PutItem", nil, 1, it.Size, one(out.ConsumedCapacity)...)
			return verdict{kind: settled}
		}
		s.config.meterWrite("PutItem", err, 0, 0)
		if _, later := errors.AsType[*types.ConditionalCheckFailedException](err); later {
			return verdict{kind: settled}
		}
		return unsettled(r, err)
	})
}

// ReadAnswer implements store.Answers.
func (s *Store) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	item, err := getItem(ctx, s.client, &s.config, ofAnswer(key, "read of the answer"), &dynamodb.GetItemInput{
		TableName: &s.config.Tables.History, Key: answerItemKey(key),
	})
	if err != nil {
		return store.Answer{}, err
	}
	if item == nil || textOf(item, "start_id") != key.StartID || textOf(item, "update_id") != key.ID {
		return store.Answer{}, key.NotFound()
	}
	a := store.Answer{AnswerKey: key, ExecutionID: numberOf(item, "execution_id"), ExpiresAt: time.Unix(numberOf(item, "expires_at"), 0).UTC()}
	doc, err := bytesOf(item, "events")
	if err != nil {
		return store.Answer{}, key.Corrupt(a.ExecutionID, err)
	}
	if a.Event, err = store.DecodeAnswer(key, a.ExecutionID, doc); err != nil {
		return store.Answer{}, err
	}
	return a, nil
}

// DeleteAnswers implements store.Answers.
func (s *Store) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	const page = 1000
	left := limit
	if limit <= 0 {
		left = page
	}
	r := request{what: "delete of the answers", instance: instance}
	for {
		out, err := s.page(ctx, r, &dynamodb.QueryInput{
			TableName:                 &s.config.Tables.History,
			KeyConditionExpression:    aws.String("execution = :e"),
			ExpressionAttributeValues: attributes{":e": answersKey(instance)},
			ProjectionExpression:      aws.String("execution, event_id"),
			ConsistentRead:            aws.Bool(true),
			Limit:                     aws.Int32(int32(min(left, page))),
		})
		if err != nil {
			return false, err
		}
		if err := s.deleteItems(ctx, r, out.Items); err != nil {
			return false, err
		}
		if len(out.LastEvaluatedKey) == 0 {
			return true, nil
		}
		if limit > 0 {
			if left -= len(out.Items); left == 0 {
				return false, nil
			}
		}
	}
}

func ofAnswer(key store.AnswerKey, what string) request {
	return request{what: fmt.Sprintf("%s to update %q", what, key.ID), instance: key.Instance}
}

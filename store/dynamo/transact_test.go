package dynamo_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

type reason = types.CancellationReason

func because(code string) reason { return reason{Code: &code, Message: ptr("why " + code)} }

func condition(item map[string]types.AttributeValue) reason {
	return reason{Code: ptr("ConditionalCheckFailed"), Message: ptr("The conditional request failed"), Item: item}
}

func canceled(reasons ...reason) error {
	return &types.TransactionCanceledException{Message: ptr("Transaction cancelled"), CancellationReasons: reasons}
}

func TestEachReasonOfACancelledTransactionIsHandledAsWhatItIs(t *testing.T) {
	t.Parallel()
	next := oneTurn("mine")
	next.ExecutionID, next.Events = 3, append(next.Events[:0:0], next.Events...)
	next.Events[0].EventID = 1
	commit := store.Commit{
		Turns:  []store.Turn{oneTurn("mine"), next},
		Record: &store.RecordChange{If: store.RecordCondition{ExecutionID: 2}, ExecutionID: ptr(int64(3))},
	}
	own, ownNext := condition(storedAs(t, oneTurn("mine"))), condition(storedAs(t, next))
	other := condition(storedAs(t, oneTurn("another")))
	standing := store.Record{Instance: "order-7", ExecutionID: 4, StartID: "s", Status: store.StatusRunning}
	item, err := dynamo.NewEncoder(dynamo.Config{}).Record(&standing)
	if err != nil {
		t.Fatal(err)
	}
	record := condition(item)
	none, ok := reason{Code: ptr("None")}, reason{}
	transacted, throttled, slow := because("TransactionConflict"), because("ThrottlingError"), because("ProvisionedThroughputExceeded")
	invalid, collection := because("ValidationError"), because("ItemCollectionSizeLimitExceeded")
	tooLarge := reason{Code: ptr("ValidationError"), Message: ptr("Item size to update has exceeded the maximum allowed size")}
	var recordConflict *store.RecordConflictError
	var large *store.TooLargeError

	for _, c := range []struct {
		name   string
		script []error
		calls  int
		want   error
		as     any // a type in the chain
		text   string
	}{
		{"success", []error{nil}, 1, nil, nil, ""},
		{"the slot is taken by another", []error{canceled(other, none, none)}, 1, store.ErrConflict, nil, "event 3"},
		{"the slot of the second turn is taken", []error{canceled(ok, other, none)}, 1, store.ErrConflict, nil, ""},
		{"the own turn is found", []error{canceled(own, ownNext, record)}, 1, nil, nil, ""},
		{"the own second turn is found beside a transaction", []error{canceled(transacted, ownNext, none)}, 1, nil, nil, ""},
		{"the record does not meet its condition", []error{canceled(none, none, record)}, 1, store.ErrConflict, &recordConflict, "execution 4"},
		{"there is no record", []error{canceled(none, none, condition(nil))}, 1, store.ErrConflict, &recordConflict, "no record"},
		{"slot and record: the record is told", []error{canceled(other, none, record)}, 1, store.ErrConflict, &recordConflict, "execution 4"},
		{"another transaction, then success", []error{canceled(transacted, none, none), nil}, 2, nil, nil, ""},
		{"another transaction on the record, then success", []error{canceled(none, none, transacted), nil}, 2, nil, nil, ""},
		{"another transaction for good", []error{canceled(none, none, transacted)}, attempts, store.ErrUnavailable, nil, "TransactionConflict"},
		{"throttled, then success", []error{canceled(throttled, none, none), canceled(none, slow, none), nil}, 3, nil, nil, ""},
		{"throttled for good", []error{canceled(none, none, slow)}, attempts, store.ErrUnavailable, nil, "ProvisionedThroughputExceeded: why"},
		{"throttled beside a record that does not meet its condition: asked again", []error{canceled(throttled, none, record), nil}, 2, nil, nil, ""},
		{"a slot taken beside another transaction is a conflict", []error{canceled(other, transacted, none)}, 1, store.ErrConflict, nil, ""},
		{"an invalid item", []error{canceled(none, invalid, none)}, 1, canceled(), nil, "[None, ValidationError: why ValidationError, None]"},
		{"an item collection that is full", []error{canceled(collection, none, none)}, 1, canceled(), nil, "ItemCollectionSizeLimitExceeded"},
		{"a reason that nobody knows yet", []error{canceled(because("SolarFlare"), none, none)}, 1, canceled(), nil, "SolarFlare"},
		{"the record would become too large", []error{canceled(none, none, tooLarge)}, 1, nil, &large, "400 KB"},
		{"all reasons None", []error{canceled(none, none, none), nil}, 2, nil, nil, ""},
		{"no reasons at all", []error{canceled(), nil}, 2, nil, nil, ""},
		{"an earlier attempt is still in progress, then success", []error{errLost, &types.TransactionInProgressException{}, nil}, 3, nil, nil, ""},
		{"an earlier attempt stays in progress", []error{errLost, &types.TransactionInProgressException{}}, attempts, store.ErrUnknownOutcome, nil, ""},
		{"throttled as a whole, then success", []error{errThrottled, apiError("RequestLimitExceeded"), nil}, 3, nil, nil, ""},
		{"the answer is lost, the own turn is found", []error{errLost, canceled(own, ownNext, record)}, 2, nil, nil, ""},
		{"the answer is lost, the slot is taken by another", []error{errLost, canceled(other, none, none)}, 2, store.ErrConflict, nil, ""},
		{"the answer is lost, slot and record are another's", []error{errLost, canceled(other, none, record)}, 2, store.ErrConflict, &recordConflict, ""},
		{"the answer is lost, the slot is free and the record in the way: it may still land", []error{errLost, canceled(none, none, record)}, 2, store.ErrUnknownOutcome, nil, ""},
		{"the answer is lost, then throttled for good", []error{errLost, canceled(throttled, none, none)}, attempts, store.ErrUnknownOutcome, nil, ""},
		{"an internal error for good", []error{errInternal}, attempts, store.ErrUnknownOutcome, nil, ""},
		{"access is denied", []error{errDenied}, 1, errDenied, nil, "template.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			calls := 0
			var first *dynamodb.TransactWriteItemsInput
			f := &fake{t: t, transact: func(in *dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
				if first == nil {
					first = ptr(*in)
				} else if !reflect.DeepEqual(first, in) {
					t.Errorf("attempt %d is not identical to the first", calls+1)
				}
				if n := len(in.TransactItems); n != 3 {
					t.Errorf("%d items in the transaction, want 2 turns and the record", n)
				}
				err := c.script[min(calls, len(c.script)-1)]
				calls++
				return &dynamodb.TransactWriteItemsOutput{}, err
			}}
			err := dynamo.New(f, w.config()).Commit(t.Context(), commit)
			switch {
			case c.want == nil && c.as == nil && err != nil:
				t.Fatalf("got %v, want success", err)
			case c.want != nil && !errors.Is(err, c.want) && !sameType(err, c.want):
				t.Fatalf("got %v, want %v", err, c.want)
			case c.as != nil && !errors.As(err, reflect.New(reflect.TypeOf(c.as).Elem()).Interface()):
				t.Fatalf("got %v, want a %T", err, c.as)
			case err != nil && !strings.Contains(err.Error(), c.text):
				t.Fatalf("error %q lacks %q", err, c.text)
			}
			if c.as == nil && errors.As(err, new(*store.RecordConflictError)) && c.want == store.ErrConflict {
				t.Fatalf("got %v, but the record met its condition", err)
			}
			for _, sentinel := range []error{store.ErrUnavailable, store.ErrUnknownOutcome} {
				if errors.Is(err, sentinel) && sentinel != c.want {
					t.Fatalf("%v is %v, too", err, sentinel)
				}
			}
			if calls != c.calls {
				t.Fatalf("%d attempts, want %d", calls, c.calls)
			}
		})
	}
}

func TestRequestTokensMakeNoTwoWritersLookAlike(t *testing.T) {
	t.Parallel()
	var w waits
	var tokens []string
	script := []error{errLost, nil, nil, &types.IdempotentParameterMismatchException{}, nil}
	f := &fake{t: t, transact: func(in *dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
		tokens = append(tokens, *in.ClientRequestToken)
		return &dynamodb.TransactWriteItemsOutput{}, script[len(tokens)-1]
	}}
	s := dynamo.New(f, w.config())
	c := store.Commit{Turns: []store.Turn{oneTurn("mine")}, Record: &store.RecordChange{Suspect: ptr("m")}}
	for range 3 {
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if tokens[0] != tokens[1] {
		t.Error("the repeat behind a lost answer has another token")
	}
	if tokens[1] == tokens[2] || tokens[2] == tokens[3] {
		t.Error("two commits of equal content share a token")
	}
	if tokens[3] == tokens[4] {
		t.Error("a token that DynamoDB knows for another request is used again")
	}
	for _, token := range tokens {
		if len(token) != 32 {
			t.Errorf("token %q has %d characters, want 32", token, len(token))
		}
	}
}

func TestLostResponsesToARecordChange(t *testing.T) {
	t.Parallel()
	stale := map[string]types.AttributeValue{"instance": &types.AttributeValueMemberS{Value: "order-7"}, "change": &types.AttributeValueMemberS{Value: "another"}}
	for _, c := range []struct {
		name   string
		script func(own map[string]types.AttributeValue) []error
		want   error
	}{
		{"the own change is found", func(own map[string]types.AttributeValue) []error { return []error{errLost, found(own)} }, nil},
		{"the record does not meet the condition", func(map[string]types.AttributeValue) []error { return []error{found(stale)} }, store.ErrConflict},
		{"another's change is found: the own may have been there before it", func(map[string]types.AttributeValue) []error { return []error{errLost, found(stale)} }, store.ErrUnknownOutcome},
		{"throttled", func(map[string]types.AttributeValue) []error { return []error{errThrottled} }, store.ErrUnavailable},
		{"every answer is lost", func(map[string]types.AttributeValue) []error { return []error{errLost} }, store.ErrUnknownOutcome},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, creating := range []bool{false, true} {
				var w waits
				calls := 0
				answer := func(token types.AttributeValue) error {
					script := c.script(map[string]types.AttributeValue{"instance": &types.AttributeValueMemberS{Value: "order-7"}, "change": token})
					calls++
					return script[min(calls, len(script))-1]
				}
				f := &fake{t: t,
					update: func(in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
						return &dynamodb.UpdateItemOutput{}, answer(in.ExpressionAttributeValues[":change"])
					},
					put: func(_ context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
						return &dynamodb.PutItemOutput{}, answer(in.Item["change"])
					},
				}
				change := store.RecordChange{If: store.RecordCondition{Suspect: ptr("")}, Suspect: ptr("m")}
				if creating {
					change = store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &store.Record{Instance: "order-7", ExecutionID: 1}}
				}
				err := dynamo.New(f, w.config()).UpdateRecord(t.Context(), "order-7", change)
				if c.want == nil && err != nil || !errors.Is(err, c.want) {
					t.Fatalf("creating %v: got %v, want %v", creating, err, c.want)
				}
			}
		})
	}
}

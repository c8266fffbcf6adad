package dynamo_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// An isolated read is cancelled beside a transaction that is under way, and for
// throttling: each reason is handled as what it is, and none as an answer.
func TestAnIsolatedReadWaitsForTransactions(t *testing.T) {
	t.Parallel()
	none, conflict, throttled, slow := because("None"), because("TransactionConflict"), because("ThrottlingError"), because("ProvisionedThroughputExceeded")
	invalid := because("ValidationError")
	for _, c := range []struct {
		name   string
		script []error
		calls  int
		want   error
		text   string
	}{
		{"a transaction on the record, then none", []error{canceled(conflict, none), nil}, 2, nil, ""},
		{"a transaction on the slot, twice", []error{canceled(none, conflict), canceled(none, conflict), nil}, 3, nil, ""},
		{"a transaction for good", []error{canceled(conflict, conflict)}, attempts, store.ErrUnavailable, "TransactionConflict"},
		{"too little throughput in a reason", []error{canceled(slow, none), nil}, 2, nil, ""},
		{"throttled in a reason for good", []error{canceled(none, throttled)}, attempts, store.ErrUnavailable, "ThrottlingError"},
		{"throttled as a whole", []error{errThrottled, apiError("ThrottlingException"), apiError("RequestLimitExceeded"), nil}, 4, nil, ""},
		{"a conflict as an error of its own", []error{errTransacted, nil}, 2, nil, ""},
		{"no reasons", []error{canceled(), nil}, 2, nil, ""},
		{"answers lost", []error{errLost, errTimeout, errInternal, status(503), nil}, 5, nil, ""},
		{"answers lost for good: a read has no outcome to be unsure of", []error{errLost}, attempts, store.ErrUnavailable, ""},
		{"an invalid request", []error{canceled(invalid, none)}, 1, errAny, "ValidationError: why ValidationError"},
		{"access is denied", []error{errDenied}, 1, errDenied, "the function's role lacks a permission"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			f := &fake{t: t, transactGet: func(in *dynamodb.TransactGetItemsInput) (*dynamodb.TransactGetItemsOutput, error) {
				record, slot := in.TransactItems[0].Get, in.TransactItems[1].Get
				if len(in.TransactItems) != 2 || aws.ToString(record.TableName) != "instances" || aws.ToString(slot.TableName) != "history" {
					t.Errorf("asks for %+v", in.TransactItems)
				}
				err := c.script[min(calls, len(c.script)-1)]
				calls++
				if err != nil {
					return nil, err
				}
				return &dynamodb.TransactGetItemsOutput{Responses: []types.ItemResponse{{}, {Item: storedAs(t, oneTurn("a"))}}}, nil
			}}
			var w waits
			at, err := dynamo.New(f, w.config()).ReadIsolated(t.Context(), "order-7", 2, 3)
			if calls != c.calls {
				t.Errorf("%d attempts, want %d", calls, c.calls)
			}
			if c.want == nil {
				if err != nil || !at.Stored || at.Record != nil {
					t.Fatalf("got %+v, %v, want a slot that is taken", at, err)
				}
				return
			}
			if err == nil || c.want != errAny && !errors.Is(err, c.want) || c.want == errAny && errors.Is(err, store.ErrUnavailable) ||
				errors.Is(err, store.ErrUnknownOutcome) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

var errAny = errors.New("any")

// Of a split turn each part is looked for in its own slot.
func TestASplitTurnIsStoredIfAllItsPartsAre(t *testing.T) {
	t.Parallel()
	_, parts := splitTurn(t)
	slotOf := func(item attributes) string { return item["event_id"].(*types.AttributeValueMemberN).Value }
	for lost := 0; lost <= len(parts); lost++ {
		var asked []string
		f := &fake{t: t, transactGet: func(in *dynamodb.TransactGetItemsInput) (*dynamodb.TransactGetItemsOutput, error) {
			slot := slotOf(in.TransactItems[1].Get.Key)
			asked = append(asked, slot)
			out := &dynamodb.TransactGetItemsOutput{Responses: []types.ItemResponse{{}, {}}}
			for i, p := range parts {
				if slotOf(p) == slot && i != lost {
					out.Responses[1].Item = p
				}
			}
			return out, nil
		}}
		var w waits
		at, err := dynamo.New(f, w.config()).ReadIsolated(t.Context(), "order-7", 2, 1)
		if want := lost == len(parts); err != nil || at.Stored != want || len(asked) != min(lost+1, len(parts)) {
			t.Errorf("part %d of %d lost: got %+v, %v, asked for %v", lost+1, len(parts), at, err, asked)
		}
	}
}

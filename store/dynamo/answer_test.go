package dynamo_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

func answerTo(key store.AnswerKey) store.Answer {
	return store.Answer{AnswerKey: key, ExecutionID: 2, ExpiresAt: time.Unix(4e9, 0).UTC(),
		Event: history.Event{Kind: history.SystemCall, Op: history.OpAnswerUpdate, EventID: 9, Payload: []byte("7")}}
}

var approve = store.AnswerKey{Instance: "order-7", StartID: "start-1", ID: "approve-1"}

func answerItem(t *testing.T, a store.Answer) attributes {
	t.Helper()
	it, err := dynamo.NewEncoder(dynamo.Config{}).Answer(&a)
	if err != nil {
		t.Fatal(err)
	}
	return it.Attributes
}

// A number of DynamoDB has at most 38 digits; one with more is refused, or rounded.
func TestTheSortKeysOfAnswersAreNumbersOfDynamoDB(t *testing.T) {
	t.Parallel()
	keys, digits := map[string]bool{}, 0
	const updates = 2000
	for i := range updates {
		key := approve
		key.ID = fmt.Sprint(i)
		n := answerItem(t, answerTo(key))["event_id"].(*types.AttributeValueMemberN).Value
		v, ok := new(big.Int).SetString(n, 10)
		if !ok || v.Sign() < 0 || len(n) > 37 || v.String() != n {
			t.Fatalf("update %d has the key %s", i, n)
		}
		keys[n] = true
		digits = max(digits, len(n))
	}
	if len(keys) != updates || digits != 37 {
		t.Errorf("%d updates have %d keys of up to %d digits", updates, len(keys), digits)
	}
}

func TestEachErrorOfAPutOfAnAnswerIsHandledAsWhatItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		script []error // the last one repeats
		calls  int
		want   error // nil: success
	}{
		{"success", []error{nil}, 1, nil},
		{"the same or a later one is stored", []error{found(nil)}, 1, nil},
		{"the answer is lost, the own item is found", []error{errLost, found(nil)}, 2, nil},
		{"throttled, then success", []error{errThrottled, nil}, 2, nil},
		{"throttled for good", []error{errThrottled}, attempts, store.ErrUnavailable},
		{"every answer is lost", []error{errLost}, attempts, store.ErrUnknownOutcome},
		{"access is denied", []error{errDenied}, 1, errDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			calls := 0
			var first *dynamodb.PutItemInput
			f := &fake{t: t, put: func(_ context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
				if first == nil {
					first = ptr(*in)
				} else if !reflect.DeepEqual(first, in) {
					t.Errorf("attempt %d is not identical to the first", calls+1)
				}
				err := c.script[min(calls, len(c.script)-1)]
				calls++
				return &dynamodb.PutItemOutput{}, err
			}}
			err := dynamo.New(f, w.config()).PutAnswer(t.Context(), answerTo(approve))
			if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) || calls != c.calls {
				t.Fatalf("got %v after %d attempts, want %v after %d", err, calls, c.want, c.calls)
			}
			if err != nil && !strings.Contains(err.Error(), `write of the answer to update "approve-1" of instance "order-7"`) {
				t.Errorf("the error does not say which answer: %v", err)
			}
			if *first.TableName != "history" {
				t.Errorf("it is put into the table %s", *first.TableName)
			}
		})
	}
}

func TestAnAnswerThatDoesNotFitIsRefusedBeforeAnyWrite(t *testing.T) {
	t.Parallel()
	a := answerTo(approve)
	random := make([]byte, 500_000)
	// Reading from a ChaCha8 cannot fail.
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	a.Event.Payload = fmt.Appendf(nil, "%q", base64.StdEncoding.EncodeToString(random))
	err := dynamo.New(&fake{t: t}, new(waits).config()).PutAnswer(t.Context(), a)
	large, ok := errors.AsType[*store.TooLargeError](err)
	if !ok || large.Instance != "order-7" || large.ExecutionID != 2 || large.EventID != 9 || large.CommitSize <= dynamo.MaxItem {
		t.Fatalf("got %v, want a TooLargeError", err)
	}
}

func TestAnItemThatIsNotTheAnswerIsNotReturned(t *testing.T) {
	t.Parallel()
	good := answerItem(t, answerTo(approve))
	with := func(name string, v types.AttributeValue) attributes {
		item := attributes{}
		for k, v := range good {
			item[k] = v
		}
		item[name] = v
		return item
	}
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	for _, c := range []struct {
		name string
		item attributes
		want error
		text string
	}{
		{"the answer", good, nil, ""},
		{"no item", nil, store.ErrNoAnswer, `update "approve-1" of instance "order-7"`},
		{"an update of another run in the same slot", with("start_id", text("start-2")), store.ErrNoAnswer, ""},
		{"another update in the same slot", with("update_id", text("approve-2")), store.ErrNoAnswer, ""},
		{"a document that is not one", with("events", text("{")), &store.CorruptError{}, `the answer to update "approve-1"`},
		{"a document of no events", with("events", text(string(history.Encode(nil)))), &store.CorruptError{}, "0 events"},
		{"bytes that are not gzip", with("events", &types.AttributeValueMemberB{Value: []byte("x")}), &store.CorruptError{}, "gzip"},
		{"a document of a newer build", with("events", text(`{"v":99,"events":[]}`)), history.ErrNewer, `update "approve-1" of instance "order-7"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{t: t, get: func(in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
				if !*in.ConsistentRead || *in.TableName != "history" || !reflect.DeepEqual(in.Key, attributes{"execution": good["execution"], "event_id": good["event_id"]}) {
					t.Errorf("the read is %+v", in)
				}
				return &dynamodb.GetItemOutput{Item: c.item}, nil
			}}
			a, err := dynamo.New(f, new(waits).config()).ReadAnswer(t.Context(), approve)
			if c.want == nil {
				if err != nil || !reflect.DeepEqual(a, answerTo(approve)) {
					t.Fatalf("got %+v, %v", a, err)
				}
				return
			}
			if !errors.Is(err, c.want) && !sameType(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %v, want %T that says %q", err, c.want, c.text)
			}
		})
	}
}

// No instance has an execution 0, so its key is that of the answers.
func TestAReadOfExecution0FindsNoAnswers(t *testing.T) {
	t.Parallel()
	turns, err := dynamo.New(&fake{t: t}, new(waits).config()).Read(t.Context(), "order-7", 0, 1)
	if err != nil || len(turns) != 0 {
		t.Fatalf("got %d turns, %v", len(turns), err)
	}
}

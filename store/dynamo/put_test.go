package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// The errors of a transport, as the SDK returns them.
var (
	errLost       = &smithyhttp.RequestSendError{Err: io.ErrUnexpectedEOF}
	errTimeout    = fmt.Errorf("canceled: %w", context.DeadlineExceeded)
	errInternal   = &types.InternalServerError{Message: ptr("internal")}
	errThrottled  = &types.ProvisionedThroughputExceededException{Message: ptr("slow down")}
	errTransacted = &types.TransactionConflictException{Message: ptr("another transaction holds the item")}
	errDenied     = &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no", Fault: smithy.FaultClient}
	errDial       = &smithyhttp.RequestSendError{Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}
)

func apiError(code string) error {
	return &smithy.GenericAPIError{Code: code, Message: "…", Fault: smithy.FaultClient}
}

func status(code int) error {
	return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}}, Err: apiError("UnknownError")}
}

func found(item map[string]types.AttributeValue) error {
	return &types.ConditionalCheckFailedException{Message: ptr("The conditional request failed"), Item: item}
}

func TestEachErrorOfAPlainPutIsHandledAsWhatItIs(t *testing.T) {
	t.Parallel()
	own := found(storedAs(t, oneTurn("mine")))
	other := found(storedAs(t, oneTurn("another")))
	changed := oneTurn("mine")
	changed.Parked = true
	otherContent := found(storedAs(t, changed))

	for _, c := range []struct {
		name   string
		script []error // the last one repeats
		calls  int
		want   error // nil: success
		text   string
	}{
		{"success", []error{nil}, 1, nil, ""},
		{"throttled, then success", []error{errThrottled, nil}, 2, nil, ""},
		{"each kind of throttling, then success", []error{errThrottled, apiError("ThrottlingException"), apiError("RequestLimitExceeded"), nil}, 4, nil, ""},
		{"throttling by other names, then success", []error{apiError("Throttling"), apiError("ThrottledException"), apiError("LimitExceededException"), apiError("SlowDown"), status(429), nil}, 6, nil, ""},
		{"an index is throttled, then success", []error{&types.ThrottlingException{Message: ptr("Throughput exceeds the current capacity for one or more global secondary indexes"),
			ThrottlingReasons: []types.ThrottlingReason{{Reason: ptr("IndexWriteKeyRangeThroughputExceeded")}}}, nil}, 2, nil, ""},
		{"the credentials have expired, and are renewed", []error{apiError("ExpiredTokenException"), nil}, 2, nil, ""},
		{"the credentials have expired for good", []error{apiError("ExpiredTokenException")}, attempts, store.ErrUnavailable, ""},
		{"the service times out, the own item is found", []error{apiError("RequestTimeout"), own}, 2, nil, ""},
		{"the service times out for good", []error{apiError("RequestTimeout")}, attempts, store.ErrUnknownOutcome, ""},
		{"throttled for good", []error{errThrottled}, attempts, store.ErrUnavailable, `commit of instance "order-7" execution 2 event 3, after 6 attempts`},
		{"a transaction holds the item, then success", []error{errTransacted, errTransacted, nil}, 3, nil, ""},
		{"a transaction holds the item for good", []error{errTransacted}, attempts, store.ErrUnavailable, "another transaction holds the item"},
		{"another region writes the item, then success", []error{apiError("ReplicatedWriteConflictException"), nil}, 2, nil, ""},
		{"another writer's item is found", []error{other}, 1, store.ErrConflict, `instance "order-7" execution 2 event 3`},
		{"an item of equal token and other content is found", []error{otherContent}, 1, store.ErrConflict, ""},
		{"the condition fails and no item is told", []error{found(nil)}, 1, store.ErrConflict, ""},
		{"the own item is found at once: a repeat of a finished append", []error{own}, 1, nil, ""},
		{"the answer is lost, the own item is found", []error{errLost, own}, 2, nil, ""},
		{"the answer is lost, the repeat succeeds", []error{errLost, nil}, 2, nil, ""},
		{"the answer is lost, another writer's item is found", []error{errLost, other}, 2, store.ErrConflict, ""},
		{"time is out, the own item is found", []error{errTimeout, own}, 2, nil, ""},
		{"an internal error, the own item is found", []error{errInternal, own}, 2, nil, ""},
		{"status 503, the own item is found", []error{status(503), own}, 2, nil, ""},
		{"every answer is lost", []error{errLost}, attempts, store.ErrUnknownOutcome, "after 6 attempts"},
		{"the answer is lost, then throttled for good: nothing is known", []error{errLost, errThrottled}, attempts, store.ErrUnknownOutcome, ""},
		{"throttled, the answer is lost, then a transaction for good", []error{errThrottled, errLost, errTransacted}, attempts, store.ErrUnknownOutcome, ""},
		{"the answer is lost, then access is denied: nothing is known", []error{errLost, errDenied}, 2, store.ErrUnknownOutcome, ""},
		{"access is denied", []error{errDenied}, 1, errDenied, "compare it with template.yaml"},
		{"the table is missing", []error{&types.ResourceNotFoundException{}}, 1, &types.ResourceNotFoundException{}, "check the table names"},
		{"an invalid request", []error{apiError("ValidationException")}, 1, apiError("ValidationException"), ""},
		{"nothing listens", []error{errDial}, attempts, store.ErrUnavailable, "connection refused"},
		{"nothing listens, then something does", []error{errDial, nil}, 2, nil, ""},
		{"the clock is wrong, the SDK corrects it", []error{apiError("RequestTimeTooSkewed"), nil}, 2, nil, ""},
		{"the request can't be written", []error{&smithy.SerializationError{Err: errors.New("bad")}}, 1, &smithy.SerializationError{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			calls := 0
			var first *dynamodb.PutItemInput
			f := &fake{t: t, put: func(ctx context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
				if first == nil {
					first = ptr(*in)
				} else if !reflect.DeepEqual(first, in) {
					t.Errorf("attempt %d is not identical to the first", calls+1)
				}
				if _, ok := ctx.Deadline(); !ok {
					t.Error("an attempt without a time limit")
				}
				err := c.script[min(calls, len(c.script)-1)]
				calls++
				return &dynamodb.PutItemOutput{}, err
			}}
			err := dynamo.New(f, w.config()).Commit(t.Context(), store.Commit{Turns: []store.Turn{oneTurn("mine")}})
			switch {
			case c.want == nil && err != nil:
				t.Fatalf("got %v, want success", err)
			case c.want != nil && !errors.Is(err, c.want) && !sameType(err, c.want):
				t.Fatalf("got %v, want %v", err, c.want)
			case err != nil && !strings.Contains(err.Error(), c.text):
				t.Fatalf("error %q lacks %q", err, c.text)
			}
			for _, sentinel := range []error{store.ErrUnavailable, store.ErrUnknownOutcome, store.ErrConflict} {
				if errors.Is(err, sentinel) && sentinel != c.want {
					t.Fatalf("%v is %v, too", err, sentinel)
				}
			}
			if calls != c.calls || len(w.delays) != c.calls-1 {
				t.Fatalf("%d attempts and %d pauses, want %d attempts", calls, len(w.delays), c.calls)
			}
		})
	}
}

// sameType reports whether want's type is in err's chain.
func sameType(err, want error) bool {
	target := reflect.New(reflect.TypeOf(want))
	return errors.As(err, target.Interface())
}

func TestPausesGrowWithJitterWithinBounds(t *testing.T) {
	t.Parallel()
	var w waits
	f := &fake{t: t, put: func(context.Context, *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
		return nil, errThrottled
	}}
	c := w.config()
	c.Attempts = 12
	if err := dynamo.New(f, c).Commit(t.Context(), store.Commit{Turns: []store.Turn{oneTurn("mine")}}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatal(err)
	}
	bound, distinct := int64(25), map[int64]bool{}
	for i, d := range w.delays {
		if d < 0 || d.Milliseconds() > bound {
			t.Errorf("pause %d is %v, want 0 to %d ms", i+1, d, bound)
		}
		distinct[d.Nanoseconds()] = true
		bound = min(2*bound, 2000)
	}
	if len(distinct) != 11 {
		t.Errorf("%d different pauses of 11: there is no jitter", len(distinct))
	}
}

func TestACancelledContextLeavesTheOutcomeOpenOnlyIfSomethingWasSent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var w waits
	calls := 0
	f := &fake{t: t, put: func(ctx context.Context, _ *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
		calls++
		cancel()
		return nil, &smithy.CanceledError{Err: ctx.Err()}
	}}
	s := dynamo.New(f, w.config())
	err := s.Commit(ctx, store.Commit{Turns: []store.Turn{oneTurn("mine")}})
	if !errors.Is(err, store.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) || calls != 1 {
		t.Fatalf("got %v after %d attempts, want one attempt, ErrUnknownOutcome and context.Canceled", err, calls)
	}
	err = s.Commit(ctx, store.Commit{Turns: []store.Turn{oneTurn("mine")}})
	if errors.Is(err, store.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) || calls != 1 {
		t.Fatalf("got %v after %d attempts in all, want context.Canceled and no further attempt", err, calls)
	}
}

func TestW13APutThatLandsLateIsNotTakenForTheNextTurnOfItsWriter(t *testing.T) {
	t.Parallel()
	var w waits
	var slot, onItsWay map[string]types.AttributeValue
	f := &fake{t: t, put: func(_ context.Context, in *dynamodb.PutItemInput) (*dynamodb.PutItemOutput, error) {
		if onItsWay == nil {
			onItsWay = in.Item
		}
		if slot != nil {
			return nil, found(slot)
		}
		return nil, errTimeout
	}}
	s := dynamo.New(f, w.config())
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{oneTurn("first")}}); !errors.Is(err, store.ErrUnknownOutcome) {
		t.Fatalf("got %v, want ErrUnknownOutcome", err)
	}
	slot = onItsWay // lands now
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{oneTurn("second")}}); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("got %v, want ErrConflict: the item in the slot is the writer's own, but of another append", err)
	}
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{oneTurn("first")}}); err != nil {
		t.Fatalf("got %v, want the first append to be recognised", err)
	}
}

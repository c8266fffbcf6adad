package sqs_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

func TestAQueueNeedsAClientAndAURL(t *testing.T) {
	t.Parallel()
	if _, err := sqs.New(nil, fifoURL, sqs.Options{}); err == nil {
		t.Error("no error without a client")
	}
	for _, url := range []string{"", "orchestrator.fifo", "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo"} {
		if _, err := sqs.New(&fake{}, url, sqs.Options{}); err == nil {
			t.Errorf("no error for %q", url)
		}
	}
	if (&fake{}).open(t, standardURL).FIFO() || !(&fake{}).open(t, fifoURL).FIFO() {
		t.Error("a queue is FIFO if its name ends in .fifo")
	}
}

func TestWhatIsReceived(t *testing.T) {
	t.Parallel()
	f := &fake{receive: func(int) (*awssqs.ReceiveMessageOutput, error) {
		return &awssqs.ReceiveMessageOutput{Messages: []types.Message{
			{
				MessageId: aws.String("id"), Body: aws.String("x"), ReceiptHandle: aws.String("receipt"),
				Attributes: map[string]string{
					"MessageGroupId": "a", "MessageDeduplicationId": "fact", "ApproximateReceiveCount": "3",
					"SentTimestamp": "1700000000123", "SenderId": "AIDA", "SequenceNumber": "18850000000000000000",
				},
				MessageAttributes: map[string]types.MessageAttributeValue{
					"reason": {DataType: aws.String("String"), StringValue: aws.String("r")},
					"count":  {DataType: aws.String("Number"), StringValue: aws.String("7")},
					"bytes":  {DataType: aws.String("Binary"), BinaryValue: []byte{1}},
				},
			},
			{MessageId: aws.String("bare"), Body: aws.String("y"), ReceiptHandle: aws.String("other")},
		}}, nil
	}}
	got, err := f.open(t, fifoURL).Receive(t.Context(), 7, 1500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	want := []queue.Message{
		{
			ID: "id", Body: "x", Group: "a", DedupID: "fact", ReceiveCount: 3, SentAt: time.UnixMilli(1700000000123),
			Attributes: map[string]string{"reason": "r", "count": "7"}, Sender: "AIDA", Receipt: "receipt",
		},
		{ID: "bare", Body: "y", ReceiveCount: 1, Receipt: "other"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("received %+v, want %+v", got, want)
	}
	in := f.receives[0]
	if in.MaxNumberOfMessages != 7 || in.WaitTimeSeconds != 2 || aws.ToString(in.QueueUrl) != fifoURL {
		t.Errorf("asked %+v", in)
	}
}

func TestALongWaitTakesSeveralCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		wait   time.Duration
		filled int // the call that has a message
		want   []int32
	}{
		{"no wait is one call", 0, -1, []int32{0}},
		{"less than a second is one", time.Millisecond, -1, []int32{1}},
		{"what is over 20 seconds is split", 45 * time.Second, -1, []int32{20, 20, 5}},
		{"a message ends it", 45 * time.Second, 1, []int32{20, 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{receive: func(call int) (*awssqs.ReceiveMessageOutput, error) {
				out := &awssqs.ReceiveMessageOutput{}
				if call == c.filled {
					out.Messages = []types.Message{{MessageId: aws.String("id")}}
				}
				return out, nil
			}}
			if _, err := f.open(t, fifoURL).Receive(t.Context(), 1, c.wait); err != nil {
				t.Fatal(err)
			}
			var got []int32
			for _, in := range f.receives {
				got = append(got, in.WaitTimeSeconds)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("waited %v, want %v", got, c.want)
			}
		})
	}
}

func TestVisibilityIsRoundedUpToSeconds(t *testing.T) {
	t.Parallel()
	f := &fake{}
	q := f.open(t, fifoURL)
	for _, d := range []time.Duration{0, time.Millisecond, 2 * time.Second, queue.MaxVisibility} {
		if err := q.SetVisibility(t.Context(), d, queue.Message{Receipt: "r"}); err != nil {
			t.Fatal(err)
		}
	}
	var got []int32
	for _, in := range f.visibility {
		got = append(got, in.VisibilityTimeout)
	}
	if want := []int32{0, 1, 2, 43200}; !reflect.DeepEqual(got, want) {
		t.Errorf("timeouts %v, want %v", got, want)
	}
}

func TestAnExpiredReceiptIsRecognised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		err     error
		expired bool
	}{
		{"a FIFO receipt past its visibility", &smithy.GenericAPIError{Code: "InvalidParameterValue", Message: "Value abc for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."}, true},
		{"a message that is gone", &smithy.GenericAPIError{Code: "InvalidParameterValueException", Message: "Value abc for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."}, true},
		{"a message that is not in flight", &types.MessageNotInflight{}, true},
		{"another parameter", &smithy.GenericAPIError{Code: "InvalidParameterValue", Message: "Value 50000 for parameter VisibilityTimeout is invalid."}, false},
		{"a receipt of another queue", &types.ReceiptHandleIsInvalid{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{err: c.err}
			q := f.open(t, fifoURL)
			m := queue.Message{ID: "id", Receipt: "r"}
			for call, err := range map[string]error{"Delete": q.Delete(t.Context(), m), "SetVisibility": q.SetVisibility(t.Context(), 0, m)} {
				if err == nil || errors.Is(err, queue.ErrReceiptExpired) != c.expired || !errors.Is(err, c.err) {
					t.Errorf("%s: %v; expired: want %t", call, err, c.expired)
				}
			}
		})
	}
}

func TestVisibilitiesAreSetInBatchesAndAFailedEntryIsItsOwn(t *testing.T) {
	t.Parallel()
	f := &fake{hides: map[string]types.BatchResultErrorEntry{
		"b": {Code: aws.String("InvalidParameterValue"), Message: aws.String("Value b for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."), SenderFault: true},
		"c": {Code: aws.String("InternalError")},
	}}
	q := f.open(t, standardURL)
	var msgs []queue.Message
	for _, receipt := range append([]string{"a", "b", "c", "unmentioned"}, letters(10, 7)...) {
		msgs = append(msgs, queue.Message{ID: receipt, Receipt: receipt})
	}
	err := q.SetVisibility(t.Context(), 2*time.Second, msgs...)
	for i := range msgs {
		got := queue.ErrorOf(err, i)
		switch i {
		case 1:
			if !errors.Is(got, queue.ErrReceiptExpired) {
				t.Errorf("message 1: %v, want ErrReceiptExpired", got)
			}
		case 2, 3:
			if !errors.Is(got, queue.ErrUnavailable) {
				t.Errorf("message %d: %v, want ErrUnavailable", i, got)
			}
		default:
			if got != nil {
				t.Errorf("message %d: %v", i, got)
			}
		}
	}
	if len(f.visibilities) != 1 || len(f.visibilities[0].Entries) != 10 || len(f.visibility) != 1 || *f.visibility[0].ReceiptHandle != "q" {
		t.Errorf("%d batches and %d single calls; want a batch of ten, and a call for the one that is left", len(f.visibilities), len(f.visibility))
	}
}

package sqs_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/queue/sqs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	standardURL = "https://sqs.eu-central-1.amazonaws.com/123456789012/delay"
	fifoURL     = "https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo"
)

// fake answers as the test says and keeps what it was asked.
type fake struct {
	sends        []*awssqs.SendMessageBatchInput
	receives     []*awssqs.ReceiveMessageInput
	deletes      []*awssqs.DeleteMessageInput
	visibility   []*awssqs.ChangeMessageVisibilityInput
	visibilities []*awssqs.ChangeMessageVisibilityBatchInput
	// hides are the entries of visibilities that fail, by receipt.
	hides       map[string]types.BatchResultErrorEntry
	send        func(call int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error)
	receive     func(call int) (*awssqs.ReceiveMessageOutput, error)
	err         error // of deletes and visibility
	slept       []time.Duration
	sleepErrors map[int]error // by number of the sleep, from 0
}

func (f *fake) SendMessageBatch(_ context.Context, in *awssqs.SendMessageBatchInput, _ ...func(*awssqs.Options)) (*awssqs.SendMessageBatchOutput, error) {
	f.sends = append(f.sends, in)
	if f.send == nil {
		return allIn(in), nil
	}
	return f.send(len(f.sends)-1, in)
}

func (f *fake) ReceiveMessage(_ context.Context, in *awssqs.ReceiveMessageInput, _ ...func(*awssqs.Options)) (*awssqs.ReceiveMessageOutput, error) {
	f.receives = append(f.receives, in)
	return f.receive(len(f.receives) - 1)
}

func (f *fake) DeleteMessage(_ context.Context, in *awssqs.DeleteMessageInput, _ ...func(*awssqs.Options)) (*awssqs.DeleteMessageOutput, error) {
	f.deletes = append(f.deletes, in)
	return &awssqs.DeleteMessageOutput{}, f.err
}

func (f *fake) ChangeMessageVisibility(_ context.Context, in *awssqs.ChangeMessageVisibilityInput, _ ...func(*awssqs.Options)) (*awssqs.ChangeMessageVisibilityOutput, error) {
	f.visibility = append(f.visibility, in)
	return &awssqs.ChangeMessageVisibilityOutput{}, f.err
}

func (f *fake) ChangeMessageVisibilityBatch(_ context.Context, in *awssqs.ChangeMessageVisibilityBatchInput, _ ...func(*awssqs.Options)) (*awssqs.ChangeMessageVisibilityBatchOutput, error) {
	f.visibilities = append(f.visibilities, in)
	if f.err != nil {
		return nil, f.err
	}
	out := &awssqs.ChangeMessageVisibilityBatchOutput{}
	for _, e := range in.Entries {
		switch failure, fails := f.hides[*e.ReceiptHandle]; {
		case *e.ReceiptHandle == "unmentioned":
		case fails:
			failure.Id = e.Id
			out.Failed = append(out.Failed, failure)
		default:
			out.Successful = append(out.Successful, types.ChangeMessageVisibilityBatchResultEntry{Id: e.Id})
		}
	}
	return out, nil
}

// open returns a queue on the fake that sleeps without waiting and has no
// jitter.
func (f *fake) open(t *testing.T, url string) *sqs.Queue {
	t.Helper()
	q, err := sqs.New(f, url, sqs.Options{
		Sleep: func(_ context.Context, d time.Duration) error {
			f.slept = append(f.slept, d)
			return f.sleepErrors[len(f.slept)-1]
		},
		Jitter: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// sent returns the bodies of each batch.
func (f *fake) sent() [][]string {
	var out [][]string
	for _, in := range f.sends {
		var batch []string
		for _, e := range in.Entries {
			batch = append(batch, aws.ToString(e.MessageBody))
		}
		out = append(out, batch)
	}
	return out
}

func allIn(in *awssqs.SendMessageBatchInput) *awssqs.SendMessageBatchOutput {
	return answer(in, nil)
}

// answer says for each entry with one of the bodies that it failed so, for the
// others that they are in.
func answer(in *awssqs.SendMessageBatchInput, failed map[string]types.BatchResultErrorEntry) *awssqs.SendMessageBatchOutput {
	out := &awssqs.SendMessageBatchOutput{}
	for _, e := range in.Entries {
		if bad, ok := failed[aws.ToString(e.MessageBody)]; ok {
			bad.Id = e.Id
			out.Failed = append(out.Failed, bad)
		} else {
			out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: e.Id, MessageId: aws.String("id")})
		}
	}
	return out
}

var (
	internal  = types.BatchResultErrorEntry{Code: aws.String("InternalError"), Message: aws.String("try again")}
	throttled = types.BatchResultErrorEntry{Code: aws.String("RequestThrottled"), Message: aws.String("slow down"), SenderFault: true}
	invalid   = types.BatchResultErrorEntry{Code: aws.String("InvalidMessageContents"), Message: aws.String("what is this"), SenderFault: true}
)

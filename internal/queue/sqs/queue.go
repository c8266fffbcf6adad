package sqs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Client has the methods of *sqs.Client that a Queue uses.
type Client interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(context.Context, *sqs.DeleteMessageInput, ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
	ChangeMessageVisibility(context.Context, *sqs.ChangeMessageVisibilityInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
	ChangeMessageVisibilityBatch(context.Context, *sqs.ChangeMessageVisibilityBatchInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error)
}

var _ Client = (*sqs.Client)(nil)

// Options of a Queue; zero fields mean the defaults.
type Options struct {
	// Attempts is how often an entry is sent that a batch reports as failed, including the first time;
	// default 8. The SDK's own retries of whole calls are in addition.
	Attempts int
	// Sleep waits before such an attempt, or returns the context's error when it ends. Default: a timer
	// of the wall clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter returns a number from 0 to below 1. Default: math/rand.
	Jitter func() float64
}

// Queue is a queue on SQS. It implements queue.Queue and is safe for
// concurrent use.
type Queue struct {
	client Client
	url    string
	fifo   bool
	opts   Options
}

var _ queue.Queue = (*Queue)(nil)

// New returns the queue at a URL. It is a FIFO queue if its name ends in ".fifo", as SQS requires.
func New(client Client, url string, opts Options) (*Queue, error) {
	if client == nil {
		return nil, errors.New("queue: sqs: no client")
	}
	if !strings.Contains(url, "://") {
		return nil, fmt.Errorf("queue: sqs: %q is not a queue URL; one looks like https://sqs.eu-central-1.amazonaws.com/123456789012/orchestrator.fifo", url)
	}
	if opts.Attempts <= 0 {
		opts.Attempts = 8
	}
	if opts.Sleep == nil {
		opts.Sleep = sleep
	}
	if opts.Jitter == nil {
		opts.Jitter = rand.Float64
	}
	return &Queue{client: client, url: url, fifo: strings.HasSuffix(url, ".fifo"), opts: opts}, nil
}

// FIFO reports whether it is a FIFO queue.
func (q *Queue) FIFO() bool { return q.fifo }

// Delete acknowledges a message; see queue.Queue. SQS notices an expired receipt only on FIFO queues.
func (q *Queue) Delete(ctx context.Context, m queue.Message) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{
		QueueUrl:      &q.url,
		ReceiptHandle: aws.String(m.Receipt),
	})
	if err != nil {
		return q.failed(ctx, fmt.Sprintf("delete message %s", m.ID), receiptError(err))
	}
	return nil
}

// SetVisibility makes messages visible again after d, rounded up to seconds; see queue.Queue.
func (q *Queue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	if d < 0 || d > queue.MaxVisibility {
		return fmt.Errorf("queue: visibility timeout is %s: it must be from 0 to %s", d, queue.MaxVisibility)
	}
	failed := map[int]error{}
	for from := 0; from < len(msgs); from += queue.MaxBatch {
		if from+1 == len(msgs) {
			if err := q.setVisibility(ctx, d, msgs[from]); err != nil {
				failed[from] = err
			}
			break
		}
		q.setVisibilities(ctx, d, msgs, from, min(from+queue.MaxBatch, len(msgs)), failed)
	}
	return queue.Partial(failed, len(msgs))
}

// setVisibilities does this for one batch, and records what failed.
func (q *Queue) setVisibilities(ctx context.Context, d time.Duration, msgs []queue.Message, from, to int, failed map[int]error) {
	in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &q.url}
	for i := from; i < to; i++ {
		in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(entryID(i)), ReceiptHandle: aws.String(msgs[i].Receipt), VisibilityTimeout: seconds(d)})
		failed[i] = fmt.Errorf("queue %s: set the visibility of message %s: the response does not include it: %w", q.url, msgs[i].ID, queue.ErrUnavailable)
	}
	out, err := q.client.ChangeMessageVisibilityBatch(ctx, in)
	if err != nil {
		err = q.failed(ctx, fmt.Sprintf("set the visibility of %d messages", to-from), err)
		for i := from; i < to; i++ {
			failed[i] = err
		}
		return
	}
	worked, refused := map[string]bool{}, map[string]types.BatchResultErrorEntry{}
	for _, e := range out.Successful {
		worked[aws.ToString(e.Id)] = true
	}
	for _, e := range out.Failed {
		refused[aws.ToString(e.Id)] = e
	}
	for i := from; i < to; i++ {
		id := entryID(i)
		if worked[id] {
			delete(failed, i)
		} else if e, known := refused[id]; known {
			failed[i] = fmt.Errorf("queue %s: set the visibility of message %s: %w", q.url, msgs[i].ID, entryError(e))
		}
	}
}

func (q *Queue) setVisibility(ctx context.Context, d time.Duration, m queue.Message) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:          &q.url,
		ReceiptHandle:     aws.String(m.Receipt),
		VisibilityTimeout: seconds(d),
	})
	if err != nil {
		return q.failed(ctx, fmt.Sprintf("set the visibility of message %s", m.ID), receiptError(err))
	}
	return nil
}

// seconds rounds d up to seconds.
func seconds(d time.Duration) int32 {
	return int32((d + time.Second - 1) / time.Second)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

package sqs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/queue"
)

const (
	// Failed entries are sent again after firstBackoff, doubled each time up
	// to maxBackoff, of which jitter takes up to half.
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// Send sends messages in batches; see queue.Queue. Messages of one FIFO group
// go in batches of their own, one after the other: else a batch that fails in
// part would change their order.
//
// A message that the service refuses for good is a *queue.RejectedError that
// names it (joined, if a batch has several); the rest of its batch is sent,
// later batches are not.
func (q *Queue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := queue.ValidateAll(q.fifo, msgs); err != nil {
		return err
	}
	pending := make([]int, len(msgs))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		var batch []int
		batch, pending = queue.NextBatch(q.fifo, msgs, pending)
		if err := q.sendBatch(ctx, msgs, batch); err != nil {
			return err
		}
	}
	return nil
}

// sendBatch sends one batch, and again what of it failed, until all is in.
func (q *Queue) sendBatch(ctx context.Context, msgs []queue.Outgoing, batch []int) error {
	var rejected []error
	for attempt := 1; ; attempt++ {
		out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
			QueueUrl: &q.url,
			Entries:  q.entries(msgs, batch),
		})
		if err != nil {
			return errors.Join(append(rejected, q.failed(ctx, fmt.Sprintf("send %d messages", len(batch)), err))...)
		}
		again, refused, last := sortOut(batch, out)
		rejected = append(rejected, refused...)
		if len(again) == 0 {
			return errors.Join(rejected...)
		}
		fail := func(err error) error {
			err = fmt.Errorf("queue %s: %d messages are not in after %d attempts, the last answer was %s: %w", q.url, len(again), attempt, last, err)
			return errors.Join(append(rejected, err)...)
		}
		if attempt == q.opts.Attempts {
			return fail(queue.ErrUnavailable)
		}
		if err := q.opts.Sleep(ctx, q.backoff(attempt)); err != nil {
			return fail(fmt.Errorf("%w: %w", queue.ErrUnavailable, err))
		}
		batch = again
	}
}

// sortOut reads the answer to a batch: what is to be sent again, what is
// refused for good, and one of the reasons. What the answer does not mention is
// not known to be in and counts as failed.
func sortOut(batch []int, out *sqs.SendMessageBatchOutput) (again []int, refused []error, last string) {
	in := map[string]bool{}
	for _, e := range out.Successful {
		in[aws.ToString(e.Id)] = true
	}
	failed := map[string]types.BatchResultErrorEntry{}
	for _, e := range out.Failed {
		failed[aws.ToString(e.Id)] = e
	}
	for _, i := range batch {
		id := entryID(i)
		if in[id] {
			continue
		}
		e, known := failed[id]
		code, message := aws.ToString(e.Code), aws.ToString(e.Message)
		if known && e.SenderFault && !passingCode(code) {
			refused = append(refused, &queue.RejectedError{Index: i, Code: code, Message: message})
			continue
		}
		again = append(again, i)
		last = "without them"
		if known {
			last = fmt.Sprintf("%s (%s)", code, message)
		}
	}
	return again, refused, last
}

// backoff before the attempt after this one.
func (q *Queue) backoff(attempt int) time.Duration {
	d := min(firstBackoff<<(attempt-1), maxBackoff)
	return d - time.Duration(q.opts.Jitter()*float64(d)/2)
}

func (q *Queue) entries(msgs []queue.Outgoing, batch []int) []types.SendMessageBatchRequestEntry {
	entries := make([]types.SendMessageBatchRequestEntry, len(batch))
	for n, i := range batch {
		m := msgs[i]
		e := types.SendMessageBatchRequestEntry{
			Id:           aws.String(entryID(i)),
			MessageBody:  aws.String(m.Body),
			DelaySeconds: seconds(m.Delay),
		}
		if q.fifo {
			e.MessageGroupId = aws.String(m.Group)
			if m.DedupID != "" {
				e.MessageDeduplicationId = aws.String(m.DedupID)
			}
		}
		if len(m.Attributes) > 0 {
			e.MessageAttributes = make(map[string]types.MessageAttributeValue, len(m.Attributes))
			for name, value := range m.Attributes {
				e.MessageAttributes[name] = types.MessageAttributeValue{
					DataType:    aws.String("String"),
					StringValue: aws.String(value),
				}
			}
		}
		entries[n] = e
	}
	return entries
}

// entryID names a message in its batch by its place in the Send.
func entryID(i int) string { return strconv.Itoa(i) }

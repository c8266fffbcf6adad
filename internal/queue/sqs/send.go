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
	"github.com/aws/smithy-go"

	"github.com/turnstile-go/turnstile/internal/queue"
)

const (
	// Failed entries are sent again after firstBackoff, doubled each time up to maxBackoff; jitter
	// reduces it by up to half.
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// Send sends messages in batches; see queue.Queue. Messages of one FIFO group are sent in separate
// batches, one after the other, because a batch that fails partly would change their order.
//
// A message that the service rejects for its size or its contents is reported as a
// *queue.RejectedError; the rest of its batch is sent, later batches are not. If the whole call is
// rejected because of one message, each message is sent in a separate call to find that one.
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
		failed := q.sendBatch(ctx, msgs, batch)
		if len(failed) == 0 {
			continue
		}
		for _, i := range pending {
			failed[i] = errNotTried
		}
		return queue.Partial(failed, len(msgs))
	}
	return nil
}

// errNotTried is the error of a message after a batch that failed.
var errNotTried = errors.New("queue: sqs: not sent, because an earlier message could not be sent")

// sendBatch sends one batch, and its failed entries again, until all are sent. It returns the errors of
// the messages that may not have been sent.
func (q *Queue) sendBatch(ctx context.Context, msgs []queue.Outgoing, batch []int) map[int]error {
	failed := map[int]error{}
	fail := func(err error) map[int]error {
		for _, i := range batch {
			failed[i] = err
		}
		return failed
	}
	for attempt := 1; ; attempt++ {
		out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{
			QueueUrl: &q.url,
			Entries:  q.entries(msgs, batch),
		})
		if err != nil {
			if rejected := rejection(err); rejected != nil {
				return q.findRejected(ctx, msgs, batch, rejected)
			}
			return fail(q.failed(ctx, fmt.Sprintf("send %d messages", len(batch)), err))
		}
		again, refused, last := sortOut(batch, out)
		for i, err := range refused {
			failed[i] = fmt.Errorf("queue %s: %w", q.url, err)
		}
		if batch = again; len(batch) == 0 {
			return failed
		}
		notIn := func(err error) error {
			return fmt.Errorf("queue %s: %d messages were not sent after %d attempts; the last response was %s: %w", q.url, len(again), attempt, last, err)
		}
		if attempt == q.opts.Attempts {
			return fail(notIn(queue.ErrUnavailable))
		}
		if err := q.opts.Sleep(ctx, q.backoff(attempt)); err != nil {
			return fail(notIn(fmt.Errorf("%w: %w", queue.ErrUnavailable, err)))
		}
	}
}

// rejection returns the reason why a whole call was rejected, if it is one of its messages.
func rejection(err error) *queue.RejectedError {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return nil
	}
	is, tooLarge := ofTheMessage(api.ErrorCode(), api.ErrorMessage())
	if !is {
		return nil
	}
	return &queue.RejectedError{TooLarge: tooLarge, Code: api.ErrorCode(), Message: api.ErrorMessage()}
}

// findRejected sends each message of a batch in a separate call, in order, after the batch was rejected
// because of one of them, or because of their total size: a queue that accepts messages of up to 256
// KiB accepts batches of up to 256 KiB.
func (q *Queue) findRejected(ctx context.Context, msgs []queue.Outgoing, batch []int, of *queue.RejectedError) map[int]error {
	if len(batch) == 1 {
		of.Index = batch[0]
		return map[int]error{batch[0]: fmt.Errorf("queue %s: %w", q.url, of)}
	}
	failed := map[int]error{}
	for _, i := range batch {
		for at, err := range q.sendBatch(ctx, msgs, []int{i}) {
			failed[at] = err
		}
	}
	return failed
}

// sortOut evaluates the response to a batch: which messages to send again, which are rejected for good,
// and one of the reasons. A message that the response does not include may not have been sent and
// counts as failed.
func sortOut(batch []int, out *sqs.SendMessageBatchOutput) (again []int, refused map[int]error, last string) {
	in := map[string]bool{}
	refused = map[int]error{}
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
			refused[i] = refusal(i, code, message)
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

// refusal returns why SQS refuses the message at an index, if SQS says that the sender is at fault: a
// *queue.RejectedError if the message itself is the reason.
func refusal(i int, code, message string) error {
	if is, tooLarge := ofTheMessage(code, message); is {
		return &queue.RejectedError{Index: i, TooLarge: tooLarge, Code: code, Message: message}
	}
	return fmt.Errorf("message %d refused: %s: %s; check the queue, its key and the permissions of the sender", i, code, message)
}

// backoff returns the pause before the next attempt.
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
		} else if m.Group != "" {
			e.MessageGroupId = aws.String(m.Group)
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

// entryID identifies a message in its batch by its index in the Send.
func entryID(i int) string { return strconv.Itoa(i) }

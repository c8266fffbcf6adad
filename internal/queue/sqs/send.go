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
	// Failed entries are sent again after firstBackoff, doubled each time up
	// to maxBackoff, of which jitter takes up to half.
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 5 * time.Second
)

// Send sends messages in batches; see queue.Queue. Messages of one FIFO group
// go in batches of their own, one after the other: else a batch that fails in
// part would change their order.
//
// A message that the service refuses for its size or its contents is a
// *queue.RejectedError that names it; the rest of its batch is sent, later batches are
// not. If the whole call is refused for one of them, each goes in a call of its own, so
// that the one is found.
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

// errNotTried is that of a message behind a batch that failed.
var errNotTried = errors.New("queue: sqs: not sent, for one ahead of it could not be")

// sendBatch sends one batch, and again what of it failed, until all is in. It
// returns the errors of what is not known to be.
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
			return fmt.Errorf("queue %s: %d messages are not in after %d attempts, the last answer was %s: %w", q.url, len(again), attempt, last, err)
		}
		if attempt == q.opts.Attempts {
			return fail(notIn(queue.ErrUnavailable))
		}
		if err := q.opts.Sleep(ctx, q.backoff(attempt)); err != nil {
			return fail(notIn(fmt.Errorf("%w: %w", queue.ErrUnavailable, err)))
		}
	}
}

// rejection returns what a whole call was refused for, where it is a message of it.
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

// findRejected sends each message of a batch in a call of its own, in order, since the
// batch was refused for one of them, or for the size of all together: a queue that takes
// messages of up to 256 KiB takes batches of up to 256 KiB.
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

// sortOut reads the answer to a batch: what is to be sent again, what is
// refused for good, and one of the reasons. What the answer does not mention is
// not known to be in and counts as failed.
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

// refusal is why SQS does not take the message at an index, where it calls that the
// sender's fault: a *queue.RejectedError if it is the message's.
func refusal(i int, code, message string) error {
	if is, tooLarge := ofTheMessage(code, message); is {
		return &queue.RejectedError{Index: i, TooLarge: tooLarge, Code: code, Message: message}
	}
	return fmt.Errorf("message %d refused: %s: %s; check the queue, its key and the permissions of who sends", i, code, message)
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

// entryID names a message in its batch by its place in the Send.
func entryID(i int) string { return strconv.Itoa(i) }

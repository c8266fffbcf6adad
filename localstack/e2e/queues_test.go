//go:build unix

package e2e_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// queues are six like those of the stack, which no deployed function polls.
type queues struct {
	orchestrator, delay, activity, activityDead, deadFIFO, dead *ownQueue
}

// createQueues copies the attributes of the deployed queues, and so of the
// template.
func createQueues(ctx context.Context, t *testing.T, s *stack) queues {
	t.Helper()
	var q queues
	prefix := "e2e-" + rand.Text()
	q.deadFIFO = copyQueue(ctx, t, s, prefix, "TURNSTILE_DEAD_FIFO_QUEUE_URL", nil)
	q.dead = copyQueue(ctx, t, s, prefix, "TURNSTILE_DEAD_QUEUE_URL", nil)
	q.activityDead = copyQueue(ctx, t, s, prefix, "TURNSTILE_ACTIVITY_DEAD_QUEUE_URL", q.dead)
	q.activity = copyQueue(ctx, t, s, prefix, "TURNSTILE_ACTIVITY_QUEUE_URL", q.activityDead)
	q.delay = copyQueue(ctx, t, s, prefix, "TURNSTILE_DELAY_QUEUE_URL", q.dead)
	q.orchestrator = copyQueue(ctx, t, s, prefix, "TURNSTILE_ORCHESTRATOR_QUEUE_URL", q.deadFIFO)
	return q
}

// ownQueue is a queue that the test polls.
type ownQueue struct {
	name, url, arn string
	client         *sqs.Client
}

// copyQueue makes a queue like the one of that variable, with a dead-letter
// queue of its own where that one has one.
func copyQueue(ctx context.Context, t *testing.T, s *stack, prefix, like string, dead *ownQueue) *ownQueue {
	t.Helper()
	attributes := queueAttributes(ctx, t, s, variable(t, like))
	wanted := map[string]string{}
	for _, name := range []string{"FifoQueue", "ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit", "VisibilityTimeout", "MessageRetentionPeriod"} {
		if value, ok := attributes[name]; ok && value != "false" {
			wanted[name] = value
		}
	}
	if redrive, ok := attributes["RedrivePolicy"]; ok != (dead != nil) {
		t.Fatalf("%s: redrive policy %q", like, redrive)
	} else if ok {
		var policy map[string]any
		if err := json.Unmarshal([]byte(redrive), &policy); err != nil {
			t.Fatal(err)
		}
		policy["deadLetterTargetArn"] = dead.arn
		text, err := json.Marshal(policy)
		if err != nil {
			t.Fatal(err)
		}
		wanted["RedrivePolicy"] = string(text)
	}
	q := &ownQueue{name: strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(like, "TURNSTILE_"), "_QUEUE_URL")), client: s.sqs}
	name := prefix + "-" + q.name
	if wanted["FifoQueue"] != "" {
		name += ".fifo"
	}
	out, err := s.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: wanted})
	if err != nil {
		t.Fatal(err)
	}
	q.url = *out.QueueUrl
	t.Cleanup(func() {
		if _, err := s.sqs.DeleteQueue(context.WithoutCancel(ctx), &sqs.DeleteQueueInput{QueueUrl: &q.url}); err != nil {
			t.Errorf("queue %s is left over: %v", name, err)
		}
	})
	q.arn = queueAttributes(ctx, t, s, q.url)["QueueArn"]
	return q
}

func queueAttributes(ctx context.Context, t *testing.T, s *stack, url string) map[string]string {
	t.Helper()
	out, err := s.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes
}

// record is a message as an event source mapping hands it to a function.
type record struct{ events.SQSMessage }

const receiveCount = string(types.MessageSystemAttributeNameApproximateReceiveCount)

func (r record) receives() int {
	n, err := strconv.Atoi(r.Attributes[receiveCount])
	if err != nil {
		return 1
	}
	return n
}

// received is the receive count after more receives.
func (r record) received(more int) string { return strconv.Itoa(r.receives() + more) }

// receive waits up to a second for messages.
func (q *ownQueue) receive(ctx context.Context) ([]record, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	var batch []record
	for _, m := range out.Messages {
		r := record{events.SQSMessage{
			MessageId: *m.MessageId, ReceiptHandle: *m.ReceiptHandle, Body: *m.Body, Md5OfBody: *m.MD5OfBody,
			Attributes: maps.Clone(m.Attributes), MessageAttributes: map[string]events.SQSMessageAttribute{},
			EventSource: "aws:sqs", EventSourceARN: q.arn, AWSRegion: "us-east-1",
		}}
		for name, a := range m.MessageAttributes {
			r.MessageAttributes[name] = events.SQSMessageAttribute{DataType: *a.DataType, StringValue: a.StringValue, BinaryValue: a.BinaryValue}
		}
		batch = append(batch, r)
	}
	return batch, nil
}

func (q *ownQueue) delete(ctx context.Context, r record) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &r.ReceiptHandle})
	return err
}

// comeBack makes a message visible at once. The process may have done so
// before it died.
func (q *ownQueue) comeBack(ctx context.Context, r record) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &q.url, ReceiptHandle: &r.ReceiptHandle, VisibilityTimeout: 0})
	if errors.As(err, new(*types.MessageNotInflight)) {
		return nil
	}
	return err
}

func (q *ownQueue) send(ctx context.Context, body string) error {
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: aws.String(body)})
	return err
}

// messages counts what is in the queue, in whatever state.
func (q *ownQueue) messages(ctx context.Context) (n int, err error) {
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, name := range []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"} {
		some, err := strconv.Atoi(out.Attributes[name])
		errs = append(errs, err)
		n += some
	}
	return n, errors.Join(errs...)
}

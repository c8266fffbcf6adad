package sqs

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// maxWaitSeconds is the longest wait of one call to SQS.
const maxWaitSeconds = 20

// Receive receives messages; see queue.Queue. The wait is rounded up to seconds; a wait over 20 s takes
// several calls. If the context cuts a call short, the messages that it received are redelivered only
// after the visibility timeout.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]queue.Message, error) {
	if max < 1 || max > queue.MaxReceive {
		return nil, fmt.Errorf("queue: a receive takes 1 to %d messages, not %d", queue.MaxReceive, max)
	}
	left := (wait + time.Second - 1) / time.Second
	for {
		now := min(left, maxWaitSeconds)
		out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl:                    &q.url,
			MaxNumberOfMessages:         int32(max),
			WaitTimeSeconds:             int32(now),
			MessageAttributeNames:       []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		})
		if err != nil {
			return nil, q.failed(ctx, "receive", err)
		}
		if left -= now; len(out.Messages) > 0 || left <= 0 {
			msgs := make([]queue.Message, len(out.Messages))
			for i, m := range out.Messages {
				msgs[i] = message(m)
			}
			return msgs, nil
		}
	}
}

// message converts a message of SQS. Attributes of types other than String and Number have no text and
// are left out.
func message(m types.Message) queue.Message {
	system := func(name types.MessageSystemAttributeName) string { return m.Attributes[string(name)] }
	out := queue.Message{
		ID:           aws.ToString(m.MessageId),
		Body:         aws.ToString(m.Body),
		Group:        system(types.MessageSystemAttributeNameMessageGroupId),
		DedupID:      system(types.MessageSystemAttributeNameMessageDeduplicationId),
		Sender:       system(types.MessageSystemAttributeNameSenderId),
		ReceiveCount: 1,
		Receipt:      aws.ToString(m.ReceiptHandle),
	}
	if n, err := strconv.Atoi(system(types.MessageSystemAttributeNameApproximateReceiveCount)); err == nil && n > 0 {
		out.ReceiveCount = n
	}
	if ms, err := strconv.ParseInt(system(types.MessageSystemAttributeNameSentTimestamp), 10, 64); err == nil {
		out.SentAt = time.UnixMilli(ms)
	}
	if ms, err := strconv.ParseInt(system(types.MessageSystemAttributeNameApproximateFirstReceiveTimestamp), 10, 64); err == nil && out.ReceiveCount == 1 {
		out.ReceivedAt = time.UnixMilli(ms)
	}
	for name, value := range m.MessageAttributes {
		if value.StringValue != nil {
			if out.Attributes == nil {
				out.Attributes = make(map[string]string, len(m.MessageAttributes))
			}
			out.Attributes[name] = *value.StringValue
		}
	}
	return out
}

package awslambda

import (
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// delivery converts a record for the host. The body is not changed: a message that Scheduler could
// not deliver arrives in the delay queue in an envelope, which the host removes (wire.Unwrap).
func delivery(r *events.SQSMessage, source platform.Source) platform.Delivery {
	m := queue.Message{
		ID:      r.MessageId,
		Body:    r.Body,
		Group:   r.Attributes["MessageGroupId"],
		DedupID: r.Attributes["MessageDeduplicationId"],
		SentAt:  instant(r, "SentTimestamp"),
		Sender:  r.Attributes["SenderId"],
		Receipt: r.ReceiptHandle,
	}
	// SQS always sets the count. If it is missing, treating the delivery as a repeat only costs a
	// read, while treating it as the first could lose a dispatch.
	m.ReceiveCount = 2
	if n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"]); err == nil && n > 0 {
		m.ReceiveCount = n
	}
	if m.ReceiveCount == 1 {
		m.ReceivedAt = instant(r, "ApproximateFirstReceiveTimestamp")
	}
	for name, a := range r.MessageAttributes {
		if a.StringValue == nil {
			continue
		}
		if m.Attributes == nil {
			m.Attributes = make(map[string]string, len(r.MessageAttributes))
		}
		m.Attributes[name] = *a.StringValue
	}
	return platform.Delivery{Message: m, Source: source}
}

// instant returns the time in an attribute; zero if SQS does not set it.
func instant(r *events.SQSMessage, attribute string) time.Time {
	ms, err := strconv.ParseInt(r.Attributes[attribute], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// response reports the messages that failed. The list is never nil, because SQS treats null as
// malformed and redelivers the whole batch.
func response(failed []string) events.SQSEventResponse {
	r := events.SQSEventResponse{BatchItemFailures: make([]events.SQSBatchItemFailure, 0, len(failed))}
	for _, id := range failed {
		r.BatchItemFailures = append(r.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: id})
	}
	return r
}

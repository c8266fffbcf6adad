package awslambda

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// An invocation as Lambda sends it.
const fifoInvocation = `{"Records": [{
	"messageId": "059f36b4-87a3-44ab-83d2-661975830a7d",
	"receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
	"body": "{\"kind\": \"StartOrchestration\"}",
	"attributes": {
		"ApproximateReceiveCount": "3",
		"SentTimestamp": "1545082649183",
		"SequenceNumber": "18849496460467696128",
		"MessageGroupId": "order-7",
		"SenderId": "AROA1234567890EXAMPLE:turnstile-ActivityFunction",
		"MessageDeduplicationId": "start-1",
		"ApproximateFirstReceiveTimestamp": "1545082649185"
	},
	"messageAttributes": {
		"turnstile-redrive": {"stringValue": "1", "dataType": "String", "stringListValues": [], "binaryListValues": []},
		"picture": {"binaryValue": "AAEC", "dataType": "Binary", "stringListValues": [], "binaryListValues": []}
	},
	"md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
	"eventSource": "aws:sqs",
	"eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo",
	"awsRegion": "eu-central-1"
}]}`

func TestARecordIsConvertedWithEverythingThatTheHostUses(t *testing.T) {
	t.Parallel()
	var e events.SQSEvent
	if err := json.Unmarshal([]byte(fifoInvocation), &e); err != nil {
		t.Fatal(err)
	}
	want := platform.Delivery{
		Message: queue.Message{
			ID: "059f36b4-87a3-44ab-83d2-661975830a7d", Body: `{"kind": "StartOrchestration"}`,
			Group: "order-7", DedupID: "start-1", ReceiveCount: 3, SentAt: time.UnixMilli(1545082649183).UTC(),
			Attributes: map[string]string{"turnstile-redrive": "1"}, Receipt: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
			Sender: "AROA1234567890EXAMPLE:turnstile-ActivityFunction",
		},
		Source: platform.SourceDelay,
	}
	if got := delivery(&e.Records[0], platform.SourceDelay); !reflect.DeepEqual(got, want) {
		t.Errorf("delivery is\n%+v, want\n%+v", got, want)
	}
}

func TestAMissingReceiveCountCountsAsARepeatedDelivery(t *testing.T) {
	t.Parallel()
	for _, count := range []string{"", "0", "-1", "many"} {
		r := events.SQSMessage{Attributes: map[string]string{"ApproximateReceiveCount": count}}
		if got := delivery(&r, platform.SourceActivity).ReceiveCount; got != 2 {
			t.Errorf("count %q is taken as %d, want 2", count, got)
		}
	}
	if got := delivery(&events.SQSMessage{}, platform.SourceActivity); !got.SentAt.IsZero() || got.Attributes != nil {
		t.Errorf("a bare record is taken as %+v", got)
	}
}

// What Scheduler could not deliver comes to the delay queue in its own
// envelope, attributes and all; the host opens it.
func TestADeadLetterOfSchedulerKeepsItsBodyForTheHostToUnwrap(t *testing.T) {
	t.Parallel()
	item := `{"v":1,"kind":"TimerFired","instance":"order-7","execution_id":1,"source_event_id":3,"token":"t"}`
	envelope, err := json.Marshal(map[string]string{"MessageBody": item, "MessageGroupId": "order-7", "QueueUrl": "https://sqs"})
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) events.SQSMessageAttribute {
		return events.SQSMessageAttribute{StringValue: &s, DataType: "String"}
	}
	d := delivery(&events.SQSMessage{
		MessageId: "m1", Body: string(envelope),
		Attributes: map[string]string{"ApproximateReceiveCount": "1"},
		MessageAttributes: map[string]events.SQSMessageAttribute{
			"ERROR_CODE": text("AWS.SimpleQueueService.NonExistentQueue"), "RETRY_ATTEMPTS": text("185"),
			"SCHEDULE_ARN": text("arn:aws:scheduler:eu-central-1:123456789012:schedule/g/n"),
		},
	}, platform.SourceDelay)
	if d.Attributes["RETRY_ATTEMPTS"] != "185" {
		t.Errorf("attributes are %v", d.Attributes)
	}
	if got := string(wire.Unwrap([]byte(d.Body))); got != item {
		t.Errorf("the host finds %s, want %s", got, item)
	}
}

func TestM10TheListOfFailuresIsNeverNull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failed []string
		want   string
	}{
		{nil, `{"batchItemFailures":[]}`},
		{[]string{"b", "a"}, `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a"}]}`},
	} {
		got, err := json.Marshal(response(tt.failed))
		if err != nil || string(got) != tt.want {
			t.Errorf("%v is answered with %s, %v; want %s", tt.failed, got, err, tt.want)
		}
	}
}

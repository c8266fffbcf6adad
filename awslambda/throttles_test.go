package awslambda_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
)

// An index has no metric that an alarm here watches: what it throttles, the
// writes of its table, is counted where it is refused.
func TestEveryRefusalForTheRateIsCountedIndexesAndRepeatsIncluded(t *testing.T) {
	t.Parallel()
	const index = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",` +
		`"message":"The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded."}`
	for _, tt := range []struct {
		name, body string
		status     int
		want       int // of the three attempts that the SDK makes where it sees a throttle
	}{
		{"a table or one of its indexes", index, http.StatusBadRequest, 3},
		{"an account's quota", `{"__type":"ThrottlingException","message":"rate exceeded"}`, http.StatusBadRequest, 3},
		{"a key's quota", `{"__type":"com.amazonaws.sqs#KmsThrottled","message":"rate exceeded"}`, http.StatusBadRequest, 1},
		{"a permission is missing", `{"__type":"AccessDeniedException","message":"not authorized"}`, http.StatusBadRequest, 0},
		{"the service is down", `{"__type":"InternalServerError","message":"try again"}`, http.StatusInternalServerError, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := awsThat(answer{tt.status, tt.body})
			cfg.Retryer = func() aws.Retryer {
				return retry.NewStandard(func(o *retry.StandardOptions) {
					o.MaxAttempts = 3
					o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
				})
			}
			var out bytes.Buffer
			o, err := awslambda.NewOrchestrator(turnstile.NewApp(), functionEnvironment(), awslambda.WithAWSConfig(cfg), awslambda.WithOutput(&out))
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			_, err = o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{{
				MessageId: "m1", EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo", Body: "{",
				Attributes: map[string]string{"ApproximateReceiveCount": "1", "MessageGroupId": "a"},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			line := metricsLine(t, out.String())
			counted := line.Reasons["Throttled"]
			// The first batch of a process asks for a sweep too, and beside it what the build
			// has is written down.
			if counted["SQS SendMessageBatch"] != 2*tt.want || counted["SQS ChangeMessageVisibility"] != tt.want || line.Throttled != 3*tt.want+counted["DynamoDB GetItem"] || tt.want > 0 && counted["DynamoDB GetItem"] == 0 {
				t.Errorf("%d refusals are counted: %v; want %d of each, and twice that of sends\n%s", line.Throttled, counted, tt.want, out.String())
			}
		})
	}
}

type metricsFields struct {
	Throttled int
	Reasons   map[string]map[string]int
}

func metricsLine(t *testing.T, out string) metricsFields {
	t.Helper()
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"CloudWatchMetrics"`) {
			var m metricsFields
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
	t.Fatalf("no line of metrics in\n%s", out)
	return metricsFields{}
}

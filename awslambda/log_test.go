package awslambda_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
)

// lambdaLevels are those of Lambda, the most detailed first.
var lambdaLevels = []string{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"}

// lambdaLevel is the level that Lambda takes a line for: that of its "level"
// if it has a "timestamp" in RFC 3339 too, otherwise INFO.
// https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
func lambdaLevel(line string) int {
	var fields struct{ Level, Timestamp string }
	if json.Unmarshal([]byte(line), &fields) == nil {
		_, err := time.Parse(time.RFC3339, fields.Timestamp)
		if n := slices.Index(lambdaLevels, strings.ToUpper(fields.Level)); err == nil && n >= 0 {
			return n
		}
	}
	return slices.Index(lambdaLevels, "INFO")
}

// answer is an AWS that answers every request with one status and body.
type answer struct {
	status int
	body   string
}

func (a answer) Do(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: a.status, Request: r, Body: io.NopCloser(strings.NewReader(a.body)),
		Header: http.Header{"Content-Type": []string{"application/x-amz-json-1.0"}},
	}, nil
}

// refusal is what the SDK does not repeat, so that no test waits.
var refusal = answer{http.StatusBadRequest, `{"__type":"AccessDeniedException","message":"not authorized"}`}

func awsThat(client aws.HTTPClient) aws.Config {
	return aws.Config{
		Region: "eu-central-1", HTTPClient: client, Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		Retryer: func() aws.Retryer { return aws.NopRetryer{} },
	}
}

// invoke runs an invocation with a message of the FIFO queue that is no work
// item and one of a queue that nobody knows, and returns the lines written.
func invoke(t *testing.T, level string, client aws.HTTPClient) []string {
	t.Helper()
	var out bytes.Buffer
	environ := append(functionEnvironment(), "TURNSTILE_LOG_LEVEL="+level, "TURNSTILE_MISSPELT=1")
	o, err := awslambda.NewOrchestrator(turnstile.NewApp(), environ, awslambda.WithAWSConfig(awsThat(client)), awslambda.WithOutput(&out))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	attributes := map[string]string{"ApproximateReceiveCount": "1", "MessageGroupId": "a"}
	_, err = o.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: "m1", EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:orchestrator.fifo", Body: "{", Attributes: attributes},
		{MessageId: "m2", EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:another", Attributes: attributes},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func functionEnvironment() []string {
	const arn, url = "arn:aws:sqs:eu-central-1:123456789012:", "https://sqs.eu-central-1.amazonaws.com/123456789012/"
	return []string{
		"TURNSTILE_HISTORY_TABLE=history", "TURNSTILE_INSTANCES_TABLE=instances", "TURNSTILE_ACTIVITIES_TABLE=activities", "TURNSTILE_KEYS_TABLE=keys",
		"TURNSTILE_ORCHESTRATOR_QUEUE_URL=" + url + "orchestrator.fifo", "TURNSTILE_ORCHESTRATOR_QUEUE_ARN=" + arn + "orchestrator.fifo",
		"TURNSTILE_DELAY_QUEUE_URL=" + url + "delay", "TURNSTILE_DELAY_QUEUE_ARN=" + arn + "delay",
		"TURNSTILE_ACTIVITY_QUEUE_URL=" + url + "activity",
		"TURNSTILE_ACTIVITY_DEAD_QUEUE_URL=" + url + "activity-dead", "TURNSTILE_ACTIVITY_DEAD_QUEUE_ARN=" + arn + "activity-dead",
		"TURNSTILE_DEAD_FIFO_QUEUE_URL=" + url + "dead.fifo", "TURNSTILE_DEAD_QUEUE_URL=" + url + "dead",
		"TURNSTILE_SCHEDULE_GROUP=group", "TURNSTILE_SCHEDULE_ROLE_ARN=arn:aws:iam::123456789012:role/scheduler",
	}
}

func TestWhatAFunctionWritesAtEachLevelPassesLambdasFilter(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	var passes int
	for _, f := range tpl.ofType("AWS::Serverless::Function") {
		level, _ := tpl.property(f, "LoggingConfig", "ApplicationLogLevel").(string)
		if passes = slices.Index(lambdaLevels, level); passes < 0 {
			t.Fatalf("%s has the application log level %q, want one of %v", f, level, lambdaLevels)
		}
		tpl.want(f, "LoggingConfig.SystemLogLevel", "WARN")
	}
	for _, tt := range []struct {
		level string
		want  []string
	}{
		{"debug", []string{"DEBUG", "WARN", "ERROR"}},
		{"info", []string{"WARN", "ERROR"}},
		{"warn", []string{"WARN", "ERROR"}},
		{"error", []string{"ERROR"}},
	} {
		t.Run(tt.level, func(t *testing.T) {
			t.Parallel()
			levels, metrics := map[string]bool{}, 0
			for _, line := range invoke(t, tt.level, refusal) {
				if lambdaLevel(line) < passes {
					t.Errorf("Lambda drops %s", line)
				}
				if strings.Contains(line, `"CloudWatchMetrics"`) {
					metrics++
					if lambdaLevels[lambdaLevel(line)] != "INFO" {
						t.Errorf("a line of metrics has a level of its own: %s", line)
					}
					continue
				}
				var fields struct{ Level, Timestamp string }
				if err := json.Unmarshal([]byte(line), &fields); err != nil {
					t.Fatalf("not JSON: %s", line)
				}
				if lambdaLevels[lambdaLevel(line)] != fields.Level {
					t.Errorf("Lambda takes the line for %s: %s", lambdaLevels[lambdaLevel(line)], line)
				}
				levels[fields.Level] = true
			}
			if metrics != 1 {
				t.Errorf("%d lines of metrics, want 1 at every level", metrics)
			}
			for _, l := range lambdaLevels {
				if levels[l] != slices.Contains(tt.want, l) {
					t.Errorf("levels written are %v, want %v", levels, tt.want)
				}
			}
		})
	}
}

func TestAtDebugMessagesAreLoggedWithoutTheirBodies(t *testing.T) {
	t.Parallel()
	received := 0
	for _, line := range invoke(t, "debug", refusal) {
		var fields struct {
			Msg, Queue, Group string
			MessageID         string `json:"message_id"`
			Body              any
		}
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("not JSON: %s", line)
		}
		if fields.Msg != "message received" {
			continue
		}
		received++
		if fields.MessageID == "" || !strings.HasPrefix(fields.Queue, "arn:") || fields.Group != "a" || fields.Body != nil {
			t.Errorf("line is %s", line)
		}
	}
	if received != 2 {
		t.Errorf("%d messages logged, want 2", received)
	}
}

package awslambda_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/awslambda"
)

// Every line of an invocation says which one it is, and what it is about.
func TestEveryLogLineNamesItsInvocation(t *testing.T) {
	t.Parallel()
	const root = "1-5759e988-bd862e3fe1be46a994272793"
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "request-1"})
	ctx = context.WithValue(ctx, "x-amzn-trace-id", "Root="+root+";Parent=53995c3f42cd8ad8;Sampled=1") //nolint:staticcheck // Lambda's own key.
	message := func(id, queue, body string) events.SQSMessage {
		return events.SQSMessage{MessageId: id, EventSourceARN: "arn:aws:sqs:eu-central-1:123456789012:" + queue, Body: body,
			Attributes: map[string]string{"ApproximateReceiveCount": "20", "MessageGroupId": "a", "SentTimestamp": "1000"}}
	}
	bodies := events.SQSEvent{Records: []events.SQSMessage{
		message("m1", "orchestrator.fifo", "{"),
		message("m2", "orchestrator.fifo", `{"v":1,"kind":"Wake","instance":"i","id":"w"}`),
		message("m3", "another", ""),
		message("m4", "delay", "{"),
		message("m5", "activity", `{"v":1,"kind":"ActivityExecute","instance":"i","execution_id":3,"scheduling_event_id":7,"name":"A","token":"t"}`),
	}}
	app := turnstile.NewApp()
	environ := append(functionEnvironment(), "TURNSTILE_LOG_LEVEL=debug")
	var out bytes.Buffer
	options := []awslambda.Option{awslambda.WithAWSConfig(awsThat(refusal)), awslambda.WithOutput(&out)}
	o, err := awslambda.NewOrchestrator(app, environ, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	w, err := awslambda.NewActivityFunction(app, environ, options...)
	if err != nil {
		t.Fatal(err)
	}
	out.Reset() // Lines from the start of a process belong to no invocation.
	if _, err := o.Handle(ctx, bodies); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Handle(ctx, bodies); err != nil {
		t.Fatal(err)
	}
	seen, named := 0, 0
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"CloudWatchMetrics"`) {
			continue
		}
		seen++
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for key, want := range map[string]any{"instance": nil, "execution_id": nil, "event_id": nil, "request_id": "request-1", "xray_trace_id": root} {
			if got, has := fields[key]; !has || want != nil && got != want {
				t.Errorf("%s is %v in %s", key, got, line)
			}
			if n := strings.Count(line, `"`+key+`":`); n != 1 {
				t.Errorf("%s stands %d times in %s", key, n, line)
			}
		}
		if fields["instance"] == "i" && fields["event_id"] == 7.0 && fields["execution_id"] == 3.0 {
			named++
		}
	}
	if seen < 12 || named == 0 {
		t.Errorf("%d lines, %d of the attempt:\n%s", seen, named, out.String())
	}
}

//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/host"
)

// onTheBus is an event about an instance as a target of a rule gets it.
type onTheBus struct {
	Source     string `json:"source"`
	DetailType string `json:"detail-type"`
	Detail     struct {
		Environment string `json:"environment"`
		host.InstanceEvent
	} `json:"detail"`
}

// The deployed stack publishes to the bus that its parameter names, and a rule there
// brings what it selects to a queue.
func TestARuleOnTheBusTakesWhatHappensToAnInstance(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	bus := publishesTo(ctx, t)
	if bus == "" {
		t.Skip("NOT RUN: the stack publishes no events about instances; deploy it by `localstack/local.sh up --parameter EventBusArn=arn:aws:events:us-east-1:000000000000:event-bus/default`, as `make test` does")
	}
	id := unique("told")
	queue := ruleToAQueue(ctx, t, s, bus, id)

	run, err := client.Start(ctx, s.client, orders.Fulfil, order(id), client.WithInstanceID(id))
	if err != nil {
		t.Fatal(err)
	}
	awaitApprovalAwaited(ctx, t, s.client, id)
	if err := s.client.Suspend(ctx, id, "stocktaking"); err != nil {
		t.Fatal(err)
	}
	if err := s.client.Resume(ctx, id, "counted"); err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(ctx, s.client, orders.Approved, id, orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	events, err := s.client.History(ctx, id, 0)
	if err != nil {
		t.Fatal(err)
	}

	want := []string{"started", "suspended", "resumed", "completed"}
	told := receiveReported(ctx, t, s, queue, len(want))
	var types []string
	for _, e := range told {
		d := e.Detail
		types = append(types, d.Type)
		if e.Source != "turnstile" || e.DetailType != "Turnstile Instance Event" || d.Environment == "" || d.Schema != 1 || d.Instance != id || d.Execution != 1 || d.Orchestration != "Fulfil" {
			t.Errorf("on the bus is %+v", e)
		}
		if d.EventID < 1 || d.EventID > int64(len(events)) || events[d.EventID-1].AtMS != d.At.UnixMilli() {
			t.Errorf("%s names event %d at %s, which is not in the history", d.Type, d.EventID, d.At)
		}
	}
	if !slices.Equal(types, want) {
		t.Errorf("by their numbers the events are %q, want %q", types, want)
	}
}

// publishesTo is the bus that the deployed orchestrator function publishes to, empty for
// none.
func publishesTo(ctx context.Context, t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(ctx, "aws", "--endpoint-url", variable(t, "AWS_ENDPOINT_URL"), "lambda", "get-function-configuration",
		"--function-name", variable(t, "TURNSTILE_ORCHESTRATOR_FUNCTION"), "--query", "Environment.Variables.TURNSTILE_EVENT_BUS || ''", "--output", "text").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// ruleToAQueue makes a rule that brings what is told of one instance to a queue of its own,
// and returns the URL of that.
func ruleToAQueue(ctx context.Context, t *testing.T, s *stack, bus, instance string) string {
	t.Helper()
	made, err := s.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &instance})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	if err != nil {
		t.Fatal(err)
	}
	rules, target := eventbridge.NewFromConfig(s.cfg), "queue"
	pattern, err := json.Marshal(map[string]any{"source": []string{"turnstile"}, "detail-type": []string{"Turnstile Instance Event"}, "detail": map[string]any{"instance": []string{instance}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.PutRule(ctx, &eventbridge.PutRuleInput{Name: &instance, EventBusName: &bus, EventPattern: aws.String(string(pattern))}); err != nil {
		t.Fatal(err)
	}
	out, err := rules.PutTargets(ctx, &eventbridge.PutTargetsInput{Rule: &instance, EventBusName: &bus,
		Targets: []types.Target{{Id: &target, Arn: aws.String(got.Attributes[string(sqstypes.QueueAttributeNameQueueArn)])}}})
	if err != nil || out.FailedEntryCount > 0 {
		t.Fatalf("the rule has no target: %+v, %v", out, err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		_, untargeted := rules.RemoveTargets(ctx, &eventbridge.RemoveTargetsInput{Rule: &instance, EventBusName: &bus, Ids: []string{target}})
		_, unruled := rules.DeleteRule(ctx, &eventbridge.DeleteRuleInput{Name: &instance, EventBusName: &bus})
		_, unqueued := s.sqs.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: made.QueueUrl})
		if err := errors.Join(untargeted, unruled, unqueued); err != nil {
			t.Error(err)
		}
	})
	return *made.QueueUrl
}

// receiveReported receives until so many events with different numbers have come, and returns
// them by their numbers. Each may come twice, and the bus keeps no order.
func receiveReported(ctx context.Context, t *testing.T, s *stack, queue string, n int) []onTheBus {
	t.Helper()
	told := map[string]onTheBus{}
	for len(told) < n {
		out, err := s.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1})
		if err != nil {
			t.Fatalf("waiting for %d events, %d have come, %+v: %v", n, len(told), told, err)
		}
		for _, m := range out.Messages {
			var e onTheBus
			if err := json.Unmarshal([]byte(*m.Body), &e); err != nil {
				t.Fatalf("%v: %s", err, *m.Body)
			}
			if before, again := told[e.Detail.Number]; again && before != e {
				t.Errorf("under one number come %+v and %+v", before, e)
			}
			told[e.Detail.Number] = e
			if _, err := s.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
		}
	}
	sorted := slices.Collect(maps.Values(told))
	slices.SortFunc(sorted, func(a, b onTheBus) int { return strings.Compare(a.Detail.Number, b.Detail.Number) })
	return sorted
}

//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timer"
)

// stack is the template as it is deployed in LocalStack.
type stack struct {
	cfg       aws.Config
	sqs       *sqs.Client
	schedules *scheduler.Client
	client    *client.Client
}

// patience bounds a test that hangs. No test needs it, however busy the machine is.
const patience = 20 * time.Minute

// deployed returns the stack that the environment names, and a context that
// ends a test that hangs.
func deployed(t testing.TB) (*stack, context.Context) {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL") == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs LocalStack with the template deployed (TURNSTILE_LOCALSTACK=1 and what `localstack/local.sh env` prints); `make test` starts it and runs this")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// Of the test's own, so that its connections can be closed.
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(transport.CloseIdleConnections)
	cfg.HTTPClient = &http.Client{Transport: transport}
	c, err := awslambda.NewClient(ctx, awslambda.WithAWSConfig(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return &stack{cfg: cfg, sqs: sqs.NewFromConfig(cfg), schedules: scheduler.NewFromConfig(cfg), client: c}, ctx
}

// variable is one that `local.sh env` prints.
func variable(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: eval what `localstack/local.sh env` prints", name)
	}
	return value
}

// eventually looks until ok says so: for what nothing announces.
func eventually(ctx context.Context, t testing.TB, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// awaitEvent returns the first event of a kind in the current history.
func awaitEvent(ctx context.Context, t testing.TB, c *client.Client, instance string, kind history.Kind) (found history.Event) {
	t.Helper()
	eventually(ctx, t, "instance "+instance+" has no "+kind.String(), func() bool {
		events, err := c.History(ctx, instance, 0)
		if err != nil && !errors.Is(err, client.ErrNotFound) && ctx.Err() == nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Kind == kind {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// awaitNoSchedules waits until none is left of the timers in a history (I-08).
func (s *stack) awaitNoSchedules(ctx context.Context, t *testing.T, instance string, execution int64, events []history.Event) {
	t.Helper()
	group := variable(t, "TURNSTILE_SCHEDULE_GROUP")
	for _, e := range events {
		if e.Kind != history.TimerCreated {
			continue
		}
		name := timer.Name(instance, execution, e.EventID, e.AtMS)
		eventually(ctx, t, "I-08: the schedule of event "+instance+" is left over", func() bool {
			_, err := s.schedules.GetSchedule(ctx, &scheduler.GetScheduleInput{GroupName: &group, Name: &name})
			var notFound *types.ResourceNotFoundException
			if err != nil && !errors.As(err, &notFound) && ctx.Err() == nil {
				t.Fatal(err)
			}
			return err != nil
		})
	}
}

// awaitDeadLetter takes the message that fits out of a dead-letter queue. The
// others are only hidden from other tests for a moment.
func (s *stack) awaitDeadLetter(ctx context.Context, t *testing.T, url string, fits func(sqstypes.Message) bool) (found sqstypes.Message) {
	t.Helper()
	for {
		out, err := s.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: &url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: 2,
			MessageAttributeNames:       []string{"All"},
			MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{sqstypes.MessageSystemAttributeNameAll},
		})
		if err != nil {
			t.Fatalf("waiting for a dead letter: %v", err)
		}
		for _, m := range out.Messages {
			if !fits(m) {
				continue
			}
			if _, err := s.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
			return m
		}
	}
}

// ofGroup fits messages of a group: those of an instance.
func ofGroup(group string) func(sqstypes.Message) bool {
	return func(m sqstypes.Message) bool {
		return m.Attributes[string(sqstypes.MessageSystemAttributeNameMessageGroupId)] == group
	}
}

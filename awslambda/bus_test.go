package awslambda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// eventBridge answers as PutEvents does: the second event of each call is throttled, and
// one call fails.
type eventBridge struct {
	calls []*eventbridge.PutEventsInput
	fails int
}

func (e *eventBridge) PutEvents(_ context.Context, in *eventbridge.PutEventsInput, _ ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error) {
	e.calls = append(e.calls, in)
	if len(e.calls) == e.fails {
		return nil, errors.New("no answer")
	}
	out := &eventbridge.PutEventsOutput{FailedEntryCount: 1}
	for i := range in.Entries {
		entry := types.PutEventsResultEntry{EventId: aws.String("id")}
		if i == 1 {
			entry = types.PutEventsResultEntry{ErrorCode: aws.String("ThrottlingException"), ErrorMessage: aws.String("rate exceeded")}
		}
		out.Entries = append(out.Entries, entry)
	}
	return out, nil
}

func TestABusTakesTenEventsPerCallAndReportsRefusedOnes(t *testing.T) {
	t.Parallel()
	events := make([]host.InstanceEvent, 23)
	at := time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)
	for i := range events {
		events[i] = host.InstanceEvent{Schema: 1, Type: "completed", Instance: fmt.Sprint("order-", i), Execution: 1, Number: "n", At: at, EventID: 9}
	}
	client := &eventBridge{fails: 3}
	b := &bus{client: client, name: "arn:aws:events:eu-central-1:123456789012:event-bus/default", environment: "prod"}
	err := b.Publish(t.Context(), events)
	if len(client.calls) != 3 || len(client.calls[0].Entries) != 10 || len(client.calls[2].Entries) != 3 {
		t.Fatalf("%d calls", len(client.calls))
	}
	for i := range events {
		if got, want := queue.ErrorOf(err, i) != nil, i == 1 || i == 11 || i >= 20; got != want {
			t.Errorf("event %d failed: %v, want %v", i, got, want)
		}
	}
	entry := client.calls[1].Entries[2]
	var detail map[string]any
	if err := json.Unmarshal([]byte(*entry.Detail), &detail); err != nil {
		t.Fatal(err)
	}
	if *entry.EventBusName != b.name || *entry.Source != "turnstile" || *entry.DetailType != "Turnstile Instance Event" || !entry.Time.Equal(at) ||
		detail["environment"] != "prod" || detail["instance"] != "order-12" || detail["type"] != "completed" || detail["at"] != "2026-03-01T12:00:00.123Z" || len(detail) != 9 {
		t.Errorf("entry %+v with %v", entry, detail)
	}
}

func TestABusIsNotCalledAgainAfterACallThatFailed(t *testing.T) {
	t.Parallel()
	client := &eventBridge{fails: 2}
	err := (&bus{client: client, name: "bus"}).Publish(t.Context(), make([]host.InstanceEvent, 45))
	for i := range 45 {
		if got, want := queue.ErrorOf(err, i) != nil, i == 1 || i >= 10; got != want {
			t.Errorf("event %d failed: %v, want %v", i, got, want)
		}
	}
	if len(client.calls) != 2 {
		t.Errorf("%d calls, want 2", len(client.calls))
	}
}

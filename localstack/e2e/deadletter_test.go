//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// TestM05 sends, in one call and in one group, a start, a body that is no work
// item, and the event that the instance waits for. On the FIFO queue a message
// that were only refused would keep the event from ever coming.
func TestM05AMalformedMessageIsDeadLetteredAndItsNeighboursContinue(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	queue := variable(t, "TURNSTILE_ORCHESTRATOR_QUEUE_URL")
	id := unique("echo")
	const broken = `{"v": 1, "kind": "ExternalRaised", "instance": `
	entry := func(n, body string) sqstypes.SendMessageBatchRequestEntry {
		return sqstypes.SendMessageBatchRequestEntry{Id: &n, MessageBody: &body, MessageGroupId: &id, MessageDeduplicationId: aws.String(id + n)}
	}
	out, err := s.sqs.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &queue, Entries: []sqstypes.SendMessageBatchRequestEntry{
		entry("1", `{"v": 1, "kind": "StartOrchestration", "instance": "`+id+`", "id": "1", "name": "SmokeEcho", "input": {}}`),
		entry("2", broken),
		entry("3", `{"v": 1, "kind": "ExternalRaised", "instance": "`+id+`", "id": "3", "name": "smoke-signal", "data": "here"}`),
	}})
	if err != nil || len(out.Failed) > 0 {
		t.Fatal(err, out)
	}
	got, err := client.Attach(s.client, smokeapp.Echo, id).Wait(ctx)
	if err != nil || got != "here" {
		t.Errorf("the neighbours: %q, %v", got, err)
	}
	dead := s.awaitDeadLetter(ctx, t, variable(t, "TURNSTILE_DEAD_FIFO_QUEUE_URL"), ofGroup(id))
	if *dead.Body != broken {
		t.Errorf("the body was changed to %q", *dead.Body)
	}
	reason := dead.MessageAttributes[wire.ReasonAttribute]
	if reason.StringValue == nil || !strings.HasPrefix(*reason.StringValue, string(wire.ReasonMalformed)+":") {
		t.Errorf("attribute %s is %v, want one that begins with %q", wire.ReasonAttribute, reason.StringValue, wire.ReasonMalformed)
	}
	var sent string
	for _, e := range out.Successful {
		if *e.Id == "2" {
			sent = *e.MessageId
		}
	}
	if id := dead.Attributes[string(sqstypes.MessageSystemAttributeNameMessageDeduplicationId)]; id != sent {
		t.Errorf("deduplication id %q, want the id of the message, %q", id, sent)
	}
}

package awslambda

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
)

const (
	// eventSource is the source of all events that go to the bus.
	eventSource = "turnstile"
	// detailType is the detail type of an event about an instance.
	detailType = "Turnstile Instance Event"
	// maxEntries is how many events one PutEvents accepts. Together they may have 256 kB; ten events
	// about instances never have more than a tenth of that, because they contain only names and
	// numbers.
	maxEntries = 10
)

// putter has the only method of the EventBridge client that this package uses.
type putter interface {
	PutEvents(context.Context, *eventbridge.PutEventsInput, ...func(*eventbridge.Options)) (*eventbridge.PutEventsOutput, error)
}

// bus publishes events about instances to an event bus.
type bus struct {
	client putter
	// name is the ARN of the bus. environment lets a rule distinguish stacks.
	name, environment string
}

// Publish implements publishing.Publisher. The client repeats a throttled call; entries that the
// bus refuses are published again later. After a failed call it makes no further call.
func (b *bus) Publish(ctx context.Context, events []host.InstanceEvent) error {
	failed := map[int]error{}
	var down error
	for first := 0; first < len(events); first += maxEntries {
		some := events[first:min(first+maxEntries, len(events))]
		if down != nil {
			for i := range some {
				failed[first+i] = down
			}
			continue
		}
		in := &eventbridge.PutEventsInput{Entries: make([]types.PutEventsRequestEntry, len(some))}
		for i := range some {
			// The detail consists of strings, numbers and a time, so it can always be encoded.
			detail, _ := json.Marshal(b.detail(&some[i]))
			in.Entries[i] = types.PutEventsRequestEntry{EventBusName: &b.name, Source: aws.String(eventSource), DetailType: aws.String(detailType),
				Detail: aws.String(string(detail)), Time: &some[i].At}
		}
		out, err := b.client.PutEvents(ctx, in)
		if err != nil {
			down = fmt.Errorf("awslambda: bus %s: %w", b.name, err)
		}
		for i := range some {
			switch {
			case err != nil:
				failed[first+i] = down
			case i >= len(out.Entries):
				failed[first+i] = fmt.Errorf("awslambda: bus %s: its response covers %d of %d events", b.name, len(out.Entries), len(some))
			case out.Entries[i].ErrorCode != nil:
				failed[first+i] = fmt.Errorf("awslambda: bus %s: %s: %s", b.name, *out.Entries[i].ErrorCode, aws.ToString(out.Entries[i].ErrorMessage))
			}
		}
	}
	return queue.Partial(failed, len(events))
}

// busEvent is the detail of an event on the bus. It includes the environment because stacks may share a
// bus.
type busEvent struct {
	Environment string `json:"environment"`
	host.InstanceEvent
}

func (b *bus) detail(e *host.InstanceEvent) busEvent { return busEvent{b.environment, *e} }

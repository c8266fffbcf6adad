package inbox

import (
	"context"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Publish publishes the instance events of a batch in one call. An event that the bus does not
// accept is requeued with a growing delay until the bus accepts it or the event reaches the maximum
// age of an item; then it becomes a dead letter. The caller publishes after the turns, and no turn
// waits for an event, so an unavailable bus blocks no instance.
func (d *Receiver) Publish(ctx context.Context, messages []*Message) {
	var waiting []*Message
	var events []host.InstanceEvent
	for _, m := range messages {
		if m.State != Waiting {
			continue
		}
		e, err := publishing.EventOf(m.Item.Event)
		if err != nil {
			if err := d.DeadLetter(m.logContext(ctx), m, wire.ReasonInvalidField, err.Error()); err != nil {
				d.notTaken(m.logContext(ctx), m, err)
			}
			continue
		}
		waiting, events = append(waiting, m), append(events, e)
	}
	switch {
	case len(events) == 0:
		return
	case d.Bus == nil:
		// These messages were sent by a build, or a stack, that has a bus.
		d.Logger.WarnContext(waiting[0].logContext(ctx), "events about instances are requeued, because this build has no bus to publish them on", "events", len(events), "instance", waiting[0].Item.Instance)
		d.leaveAll(ctx, waiting)
		return
	case !clock.HasTime(ctx, d.Clock, 2*publishing.Time):
		return // They return to the queue.
	}
	err := d.Bus.Publish(ctx, events)
	if err != nil {
		d.Logger.WarnContext(waiting[0].logContext(ctx), "could not publish events about instances; they are requeued and published later", "events", len(events),
			"instance", waiting[0].Item.Instance, "error", err)
	}
	var refused []*Message
	for i, m := range waiting {
		if queue.ErrorOf(err, i) == nil {
			d.Settle(m, "published")
		} else {
			refused = append(refused, m)
		}
	}
	d.leaveAll(ctx, refused)
}

// leaveAll requeues events that were not published.
func (d *Receiver) leaveAll(ctx context.Context, messages []*Message) {
	hops := make([]*hop, len(messages))
	for i, m := range messages {
		hops[i] = d.requeued(m, m.Item, d.nextRequeue(m), "unpublished")
	}
	d.send(ctx, hops)
}

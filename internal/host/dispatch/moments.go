package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Events about an instance follow from its commits, like all messages that a commit sends. They are
// dispatched with the commit and resent with it after a redelivery. So no event is lost when a
// process dies, but a subscriber may receive an event twice.

// publishAgain is the delay before an event that the bus did not accept is published again.
const publishAgain = 5 * time.Second

// moment adds the instance event that corresponds to an event of a commit, if there is one.
func (out *Outbox) moment(c *Commit, e *history.Event) {
	what, code := momentOf(c, e)
	if what == "" || !out.with.bus {
		return
	}
	out.Moment(&host.InstanceEvent{Type: what, Instance: c.Instance, Execution: c.ExecutionID, Orchestration: c.Name,
		Number: publishing.Number(c.ExecutionID, e.EventID, 0), At: time.UnixMilli(e.AtMS).UTC(), EventID: e.EventID, Code: code})
}

// Moment adds an event about an instance.
func (out *Outbox) Moment(e *host.InstanceEvent) {
	e.Schema = publishing.Schema
	item, err := momentItem(e)
	if err == nil {
		item.Hops = 1 // It is requeued for the first time.
		var body string
		if body, err = out.encode(&item); err == nil {
			out.put(outgoing{route: toBus, moment: *e, msg: queue.Outgoing{Body: body, Delay: edge.QueueDelay(publishAgain)}})
			return
		}
	}
	out.failed(fmt.Errorf("event %q about instance %q execution %d: %w", e.Type, e.Instance, e.Execution, err))
}

// momentItem returns the item that holds an event until it is published.
func momentItem(e *host.InstanceEvent) (wire.Item, error) {
	data, err := json.Marshal(e)
	return wire.Item{V: wire.Version, Kind: wire.InstanceEvent, Instance: e.Instance, ExecutionID: e.Execution, ID: e.Number, Event: data}, err
}

// momentOf returns the type of the instance event that corresponds to an event of a commit; empty
// if there is none.
func momentOf(c *Commit, e *history.Event) (what, code string) {
	switch e.Kind {
	case history.OrchestrationStarted, history.OrchestrationRedriven:
		// A fork is a start whose execution begins with the history of another instance.
		switch {
		case !c.Messaged && e.Kind == history.OrchestrationStarted:
			return "", "" // The execution before has continued as new.
		case c.ExecutionID > 1:
			return "restarted", ""
		}
		return "started", ""
	case history.OrchestrationSuspended:
		return "suspended", ""
	case history.OrchestrationResumed:
		if redriving.Releases(e) {
			return "", "" // The execution was not suspended.
		}
		return "resumed", ""
	case history.OrchestrationContinuedAsNew:
		return "continued_as_new", ""
	case history.OrchestrationCompleted:
		return "completed", ""
	case history.OrchestrationFailed:
		what = "failed"
		if f := e.Failure; f != nil {
			switch code = f.Code; f.Kind {
			case history.FailureCancelled:
				what = "cancelled"
			case history.FailureTerminated:
				what = "terminated"
			}
		}
		if e.Forced == history.ForcedByOperator {
			what = "terminated"
		}
		if what != "failed" {
			code = ""
		}
	}
	return what, code
}

// takeMoments publishes events. Events that the bus does not accept in time go to the delay queue
// in the same step.
func (d *dispatcher) takeMoments(ctx context.Context, messages []*outgoing) {
	if len(messages) == 0 || d.stopped() {
		return
	}
	if !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.MinRemaining) {
		d.stop(nil)
		return
	}
	events := make([]host.InstanceEvent, len(messages))
	for i, p := range messages {
		events[i] = p.moment
	}
	err := d.by.To.Bus.Publish(ctx, events)
	if err != nil {
		d.by.Logger.WarnContext(ctx, "could not publish events about instances; they are requeued and published later", "events", len(events),
			"instance", events[0].Instance, "error", err)
	}
	for i, p := range messages {
		if queue.ErrorOf(err, i) == nil {
			p.done = true
		} else {
			p.route = toDelay
		}
	}
}

package otel

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

// Committed implements host.Observer. It creates a span for each commit of a turn, from the start
// of the work until all resulting messages were sent. The span is created here and not where the
// code runs, so that a replayed turn, or one that another process committed first, has no span.
func (t *Telemetry) Committed(c host.Committed) {
	if len(c.Turns) == 0 {
		return
	}
	turn := &c.Turns[0]
	name := "turn"
	options := []trace.SpanStartOption{
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindConsumer), trace.WithTimestamp(c.StartedAt), trace.WithLinks(t.links(&c)...),
		trace.WithAttributes(
			t.system,
			attribute.String("messaging.operation.name", "turn"),
			attribute.String("messaging.operation.type", "process"),
			attribute.String("messaging.destination.name", "orchestrator"),
			attribute.String("faas.trigger", "pubsub"),
			attribute.String("turnstile.instance", turn.Instance),
			attribute.Int64("turnstile.execution_id", turn.ExecutionID),
			attribute.Int64("turnstile.event_id", turn.First()),
			attribute.Int("turnstile.events", len(turn.Events)),
			attribute.Int("turnstile.actions", len(c.Actions)),
			attribute.String("turnstile.outcome", c.Outcome),
		)}
	if started := &turn.Events[0]; started.Kind == history.OrchestrationStarted {
		options = append(options, trace.WithAttributes(attribute.String("turnstile.orchestration", started.Name), attribute.String("turnstile.version", started.Version)))
	}
	if labels := labelsOf(turn.Events); len(labels) > 0 {
		options = append(options, trace.WithAttributes(attribute.StringSlice("turnstile.labels", labels)))
	}
	if c.RequestID != "" {
		options = append(options, trace.WithAttributes(attribute.String("faas.invocation_id", c.RequestID)))
	}
	if c.Messages > 0 {
		options = append(options, trace.WithAttributes(attribute.Int("messaging.batch.message_count", c.Messages)))
	}
	_, span := t.tracer.Start(wanting(context.Background(), t.commitSpan(turn.Instance, turn.ExecutionID, turn.First())), name, options...)
	switch end := &turn.Events[len(turn.Events)-1]; {
	case c.Outcome == "stuck":
		failed(span, "stuck")
	case end.Kind == history.OrchestrationFailed && end.Failure != nil:
		failed(span, end.Failure.Kind)
	}
	span.End(trace.WithTimestamp(c.At))
}

// links returns links to the causes of a commit.
func (t *Telemetry) links(c *host.Committed) []trace.Link {
	turn := &c.Turns[0]
	var all []trace.Link
	add := func(to trace.SpanContext, what string) {
		if to.IsValid() {
			all = append(all, trace.Link{SpanContext: to, Attributes: []attribute.KeyValue{attribute.String("turnstile.cause", what)}})
		}
	}
	if around := trace.SpanContextFromContext(orBackground(c.Context)); around.IsValid() {
		add(around, "invocation")
	}
	later := c.Before.EventID != 0 // not the first commit of the turn
	messages := map[int64]*host.Cause{}
	for i := range c.Causes {
		if cause := &c.Causes[i]; cause.SourceEventID > 0 {
			messages[cause.SourceEventID] = cause
		} else if !later {
			add(contextOf(cause.Headers), string(cause.Kind))
		}
	}
	for i := range turn.Events {
		e := &turn.Events[i]
		if e.SourceEventID == 0 {
			continue
		}
		activity := (e.Kind == history.ActivityCompleted || e.Kind == history.ActivityFailed) && e.Attempt > 0
		switch cause := messages[e.SourceEventID]; {
		case cause != nil && activity:
			// The message has the trace of the commit that scheduled the activity.
			add(t.attemptSpan(contextOf(cause.Headers), turn.Instance, turn.ExecutionID, e.SourceEventID, e.Attempt), string(cause.Kind))
		case cause != nil:
			add(contextOf(cause.Headers), string(cause.Kind))
		case activity && t.inline(turn, e.SourceEventID, later):
			add(t.attemptSpan(trace.SpanContext{}, turn.Instance, turn.ExecutionID, e.SourceEventID, e.Attempt), "inline activity")
		}
	}
	if later {
		add(t.commitSpan(turn.Instance, c.Before.ExecutionID, c.Before.EventID), "commit before")
	}
	return all
}

// mostLabels is the maximum number of labels of a span, because a fan-out may have thousands.
const mostLabels = 16

// labelsOf returns the first labels of the operations that a turn has started, each once.
func labelsOf(events []history.Event) []string {
	var labels []string
	for i := range events {
		if l := events[i].Label; l != "" && len(labels) < mostLabels && !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// inline reports whether an activity ran inside the turn. If it was scheduled in this commit, its
// event says so. Otherwise a result without a message belongs to an inline activity if this is a
// later commit of a turn.
func (t *Telemetry) inline(turn *store.Turn, event int64, later bool) bool {
	if at := event - turn.First(); at >= 0 && at < int64(len(turn.Events)) {
		return turn.Events[at].Inline
	}
	return later
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// Count implements host.Observer.
func (t *Telemetry) Count(c host.Counter, reason string, n int) { t.instruments.count(c, reason, n) }

// Timing implements host.Observer.
func (t *Telemetry) Timing(what host.Timing, d time.Duration) { t.instruments.timing(what, d) }

var _ host.Observer = (*Telemetry)(nil)

package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/querying"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Interceptor returns the interceptor that creates the spans of attempts, of answers to queries and of a client's calls.
// Make it a part of the application, and pass it to the client's WithInterceptors. The spans
// contain neither payloads nor the texts of errors, which may quote them.
func (t *Telemetry) Interceptor() turnstile.Interceptor {
	return turnstile.Interceptor{Name: "otel", Activity: t.attempt, Query: t.answer, Client: t.call}
}

// call creates the span of a client's call, which sends a message.
func (t *Telemetry) call(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
	name := call.Operation
	if call.Name != "" {
		name += " " + call.Name
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(
		t.system,
		attribute.String("messaging.operation.name", call.Operation),
		attribute.String("messaging.operation.type", "send"),
		attribute.String("messaging.destination.name", "orchestrator"),
		attribute.String("turnstile.instance", call.Instance),
	)}
	kind := "send" // of an error
	if call.Operation == "query" {
		kind = "query" // It sends no message.
		options = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("turnstile.query", call.Name), attribute.String("turnstile.instance", call.Instance))}
	}
	ctx, span := t.tracer.Start(ctx, name, options...)
	defer span.End()
	if all := withTrace(ctx, call.Headers); wire.CheckHeaders(all) == nil {
		call.Headers = all // Otherwise the headers have no room for the trace.
	}
	err := next(ctx)
	if err != nil {
		if no, is := errors.AsType[*client.QueryError](err); is {
			kind = no.Kind
		}
		failed(span, kind)
	}
	return err
}

// answer creates the span of the answer to a query, inside the span of the client that asked.
func (t *Telemetry) answer(ctx context.Context, call *turnstile.QueryCall, next func(context.Context) error) error {
	if from := contextOf(call.RequestHeaders); from.IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, from)
	}
	ctx, span := t.tracer.Start(ctx, "answer "+call.Name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("turnstile.query", call.Name),
		attribute.String("turnstile.instance", call.Instance),
		attribute.Int64("turnstile.execution_id", call.ExecutionID),
	))
	kind := "panic" // unless it returns
	defer func() {
		if kind != "" {
			failed(span, kind)
		}
		span.End()
	}()
	err := next(ctx)
	if kind = ""; err != nil {
		kind = "query"
		if no, is := errors.AsType[*querying.Error](err); is {
			kind = no.Kind
		}
	}
	return err
}

// attempt creates the span of an attempt, inside the trace of the commit that scheduled its
// activity.
func (t *Telemetry) attempt(ctx context.Context, _ *turnstile.ActivityCall, next func(context.Context) error) (err error) {
	info := turnstile.ActivityInfo(ctx)
	from := contextOf(info.Headers)
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		t.system,
		attribute.String("messaging.operation.name", "attempt"),
		attribute.String("messaging.operation.type", "process"),
		attribute.String("messaging.destination.name", "activity"),
		attribute.String("faas.trigger", "pubsub"),
		attribute.String("turnstile.activity", info.Name),
		attribute.String("turnstile.instance", info.Instance),
		attribute.Int64("turnstile.execution_id", info.ExecutionID),
		attribute.Int64("turnstile.event_id", info.EventID),
		attribute.Int("turnstile.attempt", info.Number),
		attribute.Int("turnstile.delivery", info.Delivery),
		attribute.Bool("turnstile.inline", info.Inline),
	)}
	if around := trace.SpanContextFromContext(ctx); around.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: around})) // of the invocation
	}
	in := trace.ContextWithSpanContext(ctx, from)
	if info.Inline {
		// The attempt runs before the commit that it becomes part of.
		if from.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
		}
		from, in = trace.SpanContext{}, trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	}
	in, span := t.tracer.Start(wanting(in, t.attemptSpan(from, info.Instance, info.ExecutionID, info.EventID, info.Number)), "attempt "+info.Name, options...)
	kind := "panic" // unless it returns
	defer func() {
		if kind != "" {
			failed(span, kind)
		}
		span.End()
	}()
	err = next(satisfied(in))
	if kind = ""; err != nil {
		var retryable bool
		kind, retryable = failureOf(err)
		span.SetAttributes(attribute.Bool("turnstile.retryable", retryable))
		if code := turnstile.ErrorCode(err); code != "" {
			span.SetAttributes(attribute.String("turnstile.code", code))
		}
	}
	return err
}

// failureOf returns the kind with which an attempt's error is recorded, and whether a retry policy
// may start another attempt. Errors of package turnstile contain both; any other error is a
// retryable failure of the application.
func failureOf(err error) (kind string, retryable bool) {
	f := activities.FailureOf(err)
	return f.Kind, f.Retryable
}

// failed sets the error status of a span, with the kind of failure.
func failed(span trace.Span, kind string) {
	span.SetStatus(codes.Error, kind)
	span.SetAttributes(attribute.String("error.type", kind))
}

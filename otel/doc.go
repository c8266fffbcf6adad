// Package otel reports an application of Turnstile to OpenTelemetry: spans for calls of a client,
// for turns, for attempts of activities and for answers to queries, by the semantic conventions for messaging and for
// functions, and metrics.
//
//	tel, err := otel.New(otel.Config{
//		TracerProvider: sdktrace.NewTracerProvider(
//			sdktrace.WithIDGenerator(otel.IDGenerator()), sdktrace.WithBatcher(exporter)),
//		MeterProvider: metrics,
//	})
//	app := turnstile.NewApp(tel.Interceptor(), Fulfil.Implement(fulfil), Charge.Implement(charge))
//	awslambda.RunOrchestrator(app, awslambda.WithObserver(tel),
//		awslambda.WithPropagator(tel.Propagate), awslambda.WithFlush(tel.Flush))
//
// # Traces
//
// An instance that lives for months is not one trace. Each commit of a turn is the root of its own
// trace, and the attempts of the activities that it scheduled are its children. A commit has links
// to its causes: the call of the client, the attempts whose results arrived, and the turns of
// parents and children. A commit without such a cause has a link to the previous commit.
//
// The ids of these spans derive from instance, execution and event, so a replay, a redelivery or
// another process creates no span twice, and a link finds its span wherever the span was recorded.
// Only spans of clients and of answers to queries have random ids. An answer is in the trace of its
// query.
//
// The trace context is sent in the header traceparent of W3C Trace Context: in a start, which
// records it, and in the work items of a turn, each of which has its own.
package otel

// Package otel tells OpenTelemetry what an application of Turnstile does: spans for
// calls of a client, for turns and for attempts of activities, by the conventions
// for messaging and for functions, and metrics.
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
// An instance that lives for months is not one trace. Each commit of a turn is the
// root of a trace of its own, in which the attempts of the activities that it
// scheduled are its children. It has links to what it answers: the call of the
// client, the attempts whose results came, the turns of parents and children, and
// to the commit before it where there is none of these in between.
//
// The ids of these spans derive from instance, execution and event, so that a
// replay, a redelivery or another process makes no span twice, and a link leads to
// its span wherever that was recorded. Only spans of clients have random ids.
//
// The context of a trace travels as the header traceparent of W3C Trace Context: in
// a start, where it is recorded, and in the work items that a turn sends, where it
// is made anew each time.
package otel

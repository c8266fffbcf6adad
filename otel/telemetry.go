package otel

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/turnstile-go/turnstile/host"
)

// scope names the instrumentation.
const scope = "github.com/turnstile-go/turnstile/otel"

// Config configures [New].
type Config struct {
	// TracerProvider creates the spans. It must use [IDGenerator]. Nil creates no spans.
	TracerProvider trace.TracerProvider
	// MeterProvider creates the metrics; nil for none.
	MeterProvider metric.MeterProvider
	// Sampler is the provider's own sampler, if it has one (sdktrace.WithSampler). It is called
	// only with the id of a trace, so it must decide by the id alone, as sdktrace.TraceIDRatioBased
	// does. By default all traces are sampled.
	Sampler sdktrace.Sampler
	// Environment is part of the input of derived ids. Set a different one for each stack if two
	// stacks with equal instance ids send to one backend.
	Environment string
	// System is the value of the attribute messaging.system; default aws_sqs.
	System string
}

// Telemetry reports an application to OpenTelemetry. It is a host.Observer; also pass Interceptor
// and Propagate to the application. Its methods may be called from several goroutines at the same
// time.
type Telemetry struct {
	host.NoObserver
	tracer      trace.Tracer
	providers   []any
	sampler     sdktrace.Sampler
	environment string
	system      attribute.KeyValue
	instruments instruments
}

// New returns the telemetry of a process. It returns an error if a provider cannot be used, in
// particular a tracer provider without [IDGenerator].
func New(cfg Config) (*Telemetry, error) {
	t := &Telemetry{sampler: cfg.Sampler, environment: cfg.Environment, providers: []any{cfg.TracerProvider, cfg.MeterProvider}}
	if cfg.System == "" {
		cfg.System = "aws_sqs"
	}
	t.system = attribute.String("messaging.system", cfg.System)
	if t.sampler == nil {
		t.sampler = sdktrace.AlwaysSample()
	}
	if cfg.TracerProvider == nil {
		cfg.TracerProvider = tracenoop.NewTracerProvider()
	} else if sdk, is := cfg.TracerProvider.(*sdktrace.TracerProvider); !is {
		return nil, errors.New("otel: Config.TracerProvider is not a TracerProvider of go.opentelemetry.io/otel/sdk/trace: other providers cannot give spans the ids that derive from events")
	} else if err := checkIDs(sdk); err != nil {
		return nil, err
	}
	if cfg.MeterProvider == nil {
		cfg.MeterProvider = metricnoop.NewMeterProvider()
	}
	t.tracer = cfg.TracerProvider.Tracer(scope)
	var err error
	if t.instruments, err = newInstruments(cfg.MeterProvider.Meter(scope)); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return t, nil
}

// checkIDs returns an error if the provider does not give a span the requested ids. The span that
// it creates for the check is never ended, and so never exported.
func checkIDs(p *sdktrace.TracerProvider) error {
	want := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	_, span := p.Tracer(scope).Start(wanting(context.Background(), want), "ids", trace.WithNewRoot())
	if span.SpanContext().SpanID() != want.SpanID() {
		return errors.New("otel: Config.TracerProvider uses a different id generator: create it with sdktrace.WithIDGenerator(otel.IDGenerator())")
	}
	return nil
}

// Flush makes the providers send everything that they have buffered. Pass it to
// awslambda.WithFlush.
func (t *Telemetry) Flush(ctx context.Context) error {
	var errs []error
	for _, p := range t.providers {
		if f, can := p.(interface{ ForceFlush(context.Context) error }); can {
			errs = append(errs, f.ForceFlush(ctx))
		}
	}
	return errors.Join(errs...)
}

var w3c propagation.TraceContext

// contextOf returns the trace context in headers.
func contextOf(headers map[string]string) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier(headers)))
}

// Propagate is the host.Propagator of the application: the messages that a commit sends belong to
// its trace.
func (t *Telemetry) Propagate(instance string, executionID, firstEventID int64) map[string]string {
	return headersOf(t.commitSpan(instance, executionID, firstEventID))
}

func headersOf(s trace.SpanContext) map[string]string {
	headers := map[string]string{}
	w3c.Inject(trace.ContextWithSpanContext(context.Background(), s), propagation.MapCarrier(headers))
	return headers
}

// withTrace returns headers with the trace context of ctx.
func withTrace(ctx context.Context, headers map[string]string) map[string]string {
	all := maps.Clone(headers)
	if all == nil {
		all = map[string]string{}
	}
	w3c.Inject(ctx, propagation.MapCarrier(all))
	return all
}

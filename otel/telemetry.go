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

// Config is what [New] needs.
type Config struct {
	// TracerProvider of the spans, made with [IDGenerator]; nil for none.
	TracerProvider trace.TracerProvider
	// MeterProvider of the metrics; nil for none.
	MeterProvider metric.MeterProvider
	// Sampler that the provider has, if it has one of its own
	// (sdktrace.WithSampler): it is asked by the id of a trace alone, as
	// sdktrace.TraceIDRatioBased is. Default: all are sampled.
	Sampler sdktrace.Sampler
	// Environment is part of what ids derive from: give each stack its own if two
	// that have instances of the same ids send to one backend.
	Environment string
	// System is the attribute messaging.system; default aws_sqs.
	System string
}

// Telemetry tells OpenTelemetry what an application does. It is a host.Observer;
// Interceptor and Propagate are the rest of it. Its methods may be called from
// several goroutines at once.
type Telemetry struct {
	host.NoObserver
	tracer      trace.Tracer
	providers   []any
	sampler     sdktrace.Sampler
	environment string
	system      attribute.KeyValue
	instruments instruments
}

// New returns the telemetry of a process. The error names what is wrong with the
// providers: a tracer provider without [IDGenerator] above all.
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
		return nil, errors.New("otel: Config.TracerProvider is not of the SDK's type (go.opentelemetry.io/otel/sdk/trace): others cannot give spans the ids that derive from events")
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

// checkIDs reports whether the provider gives a span the ids that it is asked for.
// The span that shows it is never ended, and so never exported.
func checkIDs(p *sdktrace.TracerProvider) error {
	want := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}})
	_, span := p.Tracer(scope).Start(wanting(context.Background(), want), "ids", trace.WithNewRoot())
	if span.SpanContext().SpanID() != want.SpanID() {
		return errors.New("otel: Config.TracerProvider has another id generator: make it with sdktrace.WithIDGenerator(otel.IDGenerator())")
	}
	return nil
}

// Flush has the providers send what they hold: for awslambda.WithFlush.
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

// contextOf returns the context of a trace that headers have.
func contextOf(headers map[string]string) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier(headers)))
}

// Propagate is the host.Propagator of the application: what a commit sends is part
// of its trace.
func (t *Telemetry) Propagate(instance string, executionID, firstEventID int64) map[string]string {
	return headersOf(t.commitSpan(instance, executionID, firstEventID))
}

func headersOf(s trace.SpanContext) map[string]string {
	headers := map[string]string{}
	w3c.Inject(trace.ContextWithSpanContext(context.Background(), s), propagation.MapCarrier(headers))
	return headers
}

// withTrace returns headers with the context of the trace that ctx belongs to.
func withTrace(ctx context.Context, headers map[string]string) map[string]string {
	all := maps.Clone(headers)
	if all == nil {
		all = map[string]string{}
	}
	w3c.Inject(ctx, propagation.MapCarrier(all))
	return all
}

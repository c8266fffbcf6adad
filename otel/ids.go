package otel

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// IDGenerator returns the id generator for the tracer provider (sdktrace.WithIDGenerator). It gives
// the spans of turns and attempts derived ids, and all other spans random ids.
func IDGenerator() sdktrace.IDGenerator { return generator{} }

type generator struct{}

// wantedIDs is the context key of the ids for the next span that is started with the context.
type wantedIDs struct{}

func (generator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if want, ok := ctx.Value(wantedIDs{}).(trace.SpanContext); ok && want.IsValid() {
		return want.TraceID(), want.SpanID()
	}
	var t trace.TraceID
	_, _ = rand.Read(t[:])
	return t, randomSpanID()
}

func (generator) NewSpanID(ctx context.Context, of trace.TraceID) trace.SpanID {
	if want, ok := ctx.Value(wantedIDs{}).(trace.SpanContext); ok && want.TraceID() == of {
		return want.SpanID()
	}
	return randomSpanID()
}

func randomSpanID() (s trace.SpanID) {
	_, _ = rand.Read(s[:])
	return s
}

// wanting returns a context in which the next span gets these ids.
func wanting(ctx context.Context, ids trace.SpanContext) context.Context {
	return context.WithValue(ctx, wantedIDs{}, ids)
}

// satisfied returns a context without requested ids, for nested spans.
func satisfied(ctx context.Context) context.Context {
	return context.WithValue(ctx, wantedIDs{}, trace.SpanContext{})
}

// derived returns the id of a span, derived from its kind and the instance and numbers that
// identify it in an environment.
func (t *Telemetry) derived(kind, instance string, numbers ...int64) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, text := range []string{t.environment, kind, instance} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	for _, number := range numbers {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(number))
		h.Write(n[:])
	}
	h.Sum(sum[:0])
	return sum
}

// commitSpan returns the span context of a commit, the root of its trace.
func (t *Telemetry) commitSpan(instance string, execution, first int64) trace.SpanContext {
	sum := t.derived("commit", instance, execution, first)
	c := trace.SpanContextConfig{TraceID: trace.TraceID(sum[:16]), SpanID: trace.SpanID(sum[16:24]), Remote: true}
	if t.sampled(c.TraceID) {
		c.TraceFlags = trace.FlagsSampled
	}
	return trace.NewSpanContext(c)
}

// attemptSpan returns the span context of an attempt. It belongs to the trace of the commit that
// scheduled its activity; the attempt of an inline activity is the root of its own trace.
func (t *Telemetry) attemptSpan(of trace.SpanContext, instance string, execution, event int64, attempt int) trace.SpanContext {
	sum := t.derived("attempt", instance, execution, event, int64(attempt))
	c := trace.SpanContextConfig{TraceID: of.TraceID(), SpanID: trace.SpanID(sum[16:24]), TraceFlags: of.TraceFlags(), Remote: true}
	if !of.IsValid() {
		c.TraceID = trace.TraceID(sum[:16])
		if t.sampled(c.TraceID) {
			c.TraceFlags = trace.FlagsSampled
		}
	}
	return trace.NewSpanContext(c)
}

// sampled reports whether the sampler samples a trace.
func (t *Telemetry) sampled(id trace.TraceID) bool {
	result := t.sampler.ShouldSample(sdktrace.SamplingParameters{ParentContext: context.Background(), TraceID: id, Name: "turn", Kind: trace.SpanKindConsumer})
	return result.Decision == sdktrace.RecordAndSample
}

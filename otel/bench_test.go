package otel_test

import (
	"context"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/otel"
	"github.com/turnstile-go/turnstile/store"
)

// nowhere is an exporter that sends nothing.
type nowhere struct{}

func (nowhere) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (nowhere) Shutdown(context.Context) error                             { return nil }

// BenchmarkTurn measures the cost of telemetry in a turn that takes the result of an activity and
// schedules another: the span with a link, counters and durations, and the headers of the sent
// message. It does not include an exporter.
func BenchmarkTurn(b *testing.B) {
	tel, err := otel.New(otel.Config{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(otel.IDGenerator()), sdktrace.WithSyncer(nowhere{}))})
	if err != nil {
		b.Fatal(err)
	}
	committed := host.Committed{
		Turns: []store.Turn{{Instance: "order-17", ExecutionID: 1, Events: []history.Event{
			{EventID: 3, Kind: history.ActivityCompleted, SourceEventID: 2, Attempt: 1}, {EventID: 4, Kind: history.ActivityScheduled, Name: "Charge"}}}},
		Actions: make([]host.Action, 1), Outcome: "waiting", StartedAt: time.Unix(1, 0), At: time.Unix(2, 0), RequestID: "r", Messages: 1,
		Causes: []host.Cause{{Kind: string(wire.ActivityCompleted), SourceEventID: 2, Attempt: 1, Headers: tel.Propagate("order-17", 1, 1)}},
	}
	b.ReportAllocs()
	for b.Loop() {
		tel.Count(host.CountCache, "warm", 1)
		tel.Count(host.CountTurns, "waiting", 1)
		for _, t := range []host.Timing{host.TimeMessageAge, host.TimeReplay, host.TimeCommit, host.TimeDispatch, host.TimeTurn} {
			tel.Timing(t, time.Millisecond)
		}
		tel.Propagate("order-17", 1, 3)
		tel.Committed(committed)
	}
}

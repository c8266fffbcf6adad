package bench

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Who has no interceptors allocates for a turn what he did before there were any.
// Not parallel: it counts what the process allocates.
func TestUnusedInterceptorsCostNothing(t *testing.T) {
	app := turnstile.NewApp(chain.Implement(typedChain(step)))
	typed := app.Orchestrations()
	got := testing.AllocsPerRun(10, func() { record(t, typed, "Chain", encodeSample) })
	t.Logf("%.0f allocations for %d turns", got, steps+1)
	// Measured at the last commit without them, and a thousandth more.
	const before = 15987
	if got > before*1.001 {
		t.Errorf("%d turns allocate %.0f times, %d were enough", steps+1, got, before)
	}
}

// BenchmarkColdTurn replays ten steps of a chain and makes one more, with so many
// interceptors around it, or a header on each step.
func BenchmarkColdTurn(b *testing.B) {
	events := history.Encode(record(b, turnstile.NewApp(chain.Implement(typedChain(step))).Orchestrations(), "Chain", encodeSample)[:20])
	plain := turnstile.Interceptor{Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
		return next(ctx)
	}}
	headed := turnstile.Interceptor{Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
		ctx, err := turnstile.WithHeaders(ctx, map[string]string{"tenant": "c-1"})
		if err != nil {
			return err
		}
		return next(ctx)
	}}
	for _, c := range []struct {
		name string
		with turnstile.Interceptor
		n    int
	}{{"none", plain, 0}, {"one", plain, 1}, {"three", plain, 3}, {"headers", headed, 1}} {
		b.Run(c.name, func(b *testing.B) {
			parts := []turnstile.Component{chain.Implement(typedChain(step))}
			for i := range c.n {
				own := c.with
				own.Name = fmt.Sprint(i)
				parts = append(parts, own)
			}
			app := turnstile.NewApp(parts...)
			if err := app.Err(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				decoded, err := history.Decode(events)
				if err != nil {
					b.Fatal(err)
				}
				x := engine.New(engine.Config{Instance: "bench", ExecutionID: 1, Registry: app.Orchestrations()})
				if err := x.Feed(decoded, false); err != nil {
					b.Fatal(err)
				}
				turn, err := x.Run(engine.Input{NowMS: 1_700_000_000_000, Arrivals: []engine.Arrival{{Proven: true,
					Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 20, Payload: encodeSample(20)}}}})
				if err != nil || len(turn.Events) != 2 {
					b.Fatal(err, turn.Stuck, len(turn.Events))
				}
				x.Close()
			}
		})
	}
}

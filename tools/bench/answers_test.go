package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// BenchmarkAnswers measures a read of a state and a query in one process, in memory: the time that it takes
// of the processor, because what else the machine does changes the time of the clock.
func BenchmarkAnswers(b *testing.B) {
	flow, step := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewActivity[int, int]("Step")
	approved := turnstile.NewEvent[int]("approved")
	done, left := turnstile.NewState[int]("done"), turnstile.NewQuery[turnstile.None, int]("left")
	env, err := embedded.New(turnstile.NewApp(
		flow.Implement(func(ctx turnstile.Context, steps int) (int, error) {
			n := 0
			left.Handle(ctx, func(turnstile.None) (int, error) { return steps - n, nil })
			for n < steps {
				if _, err := step.Call(ctx, n); err != nil {
					return n, err
				}
				n++
			}
			if err := done.Set(ctx, n); err != nil {
				return n, err
			}
			return approved.Wait(ctx)
		}),
		step.Implement(func(_ context.Context, n int) (int, error) { return n, nil }),
	))
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	c := env.Client()
	for _, events := range []int{10, 1000, 10000} {
		steps := (events - 2) / 2
		run, err := client.Start(b.Context(), c, flow, steps)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := client.WaitState(b.Context(), c, done, run.Instance, client.StateNumber{}); err != nil {
			b.Fatal(err)
		}
		measure := func(name string, ask func(tb testing.TB)) {
			b.Run(fmt.Sprintf("%s/%d events", name, events), func(b *testing.B) {
				var took []float64
				for b.Loop() {
					took = append(took, float64(processorTime(b, 50*time.Millisecond, ask).Nanoseconds())/1e3)
				}
				b.ReportMetric(median(took), "cpu-µs")
				b.ReportMetric(0, "ns/op")
			})
		}
		measure("Get", func(tb testing.TB) {
			if v, err := client.Get(tb.Context(), c, done, run.Instance); err != nil || v.Value != steps {
				tb.Fatalf("%+v, %v", v, err)
			}
		})
		measure("Query", func(tb testing.TB) {
			if a, err := client.Query(tb.Context(), c, left, run.Instance, turnstile.None{}); err != nil || a.Value != 0 {
				tb.Fatalf("%+v, %v", a, err)
			}
		})
	}
}

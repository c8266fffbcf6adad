package bench

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// BenchmarkUpdates measures how long callers wait for the answers to updates, in one process in memory:
// of one instance, and of an instance that each update starts. The handler returns at once.
func BenchmarkUpdates(b *testing.B) {
	account, deposit := turnstile.NewOrchestration[int, int]("Account"), turnstile.NewUpdate[int, int]("deposit")
	closed := turnstile.NewEvent[int]("closed")
	env, err := embedded.New(turnstile.NewApp(account.Implement(func(ctx turnstile.Context, balance int) (int, error) {
		deposit.Handle(ctx, nil, func(_ turnstile.Context, amount int) (int, error) { balance += amount; return balance, nil })
		_, err := closed.Wait(ctx)
		return balance, err
	})))
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
	measure := func(name string, update func(tb testing.TB)) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				startedAt := time.Now()
				update(b)
				took = append(took, time.Since(startedAt))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
	run, err := client.Start(b.Context(), c, account, 0)
	if err != nil {
		b.Fatal(err)
	}
	if err := run.WaitStarted(b.Context()); err != nil {
		b.Fatal(err)
	}
	measure("update", func(tb testing.TB) {
		if _, err := client.Update(tb.Context(), c, deposit, run.Instance, 1); err != nil {
			tb.Fatal(err)
		}
	})
	measure("update with start", func(tb testing.TB) {
		run, err := client.Start(tb.Context(), c, account, 0, client.WithUpdate(deposit, "first", 1))
		if err != nil {
			tb.Fatal(err)
		}
		if got, err := client.AttachUpdate(c, deposit, run.Instance, "first").Wait(tb.Context()); err != nil || got != 1 {
			tb.Fatal(got, err)
		}
	})
}

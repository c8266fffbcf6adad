package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// Chains of ten and fan-outs of a hundred, one after the other and side by side.
func BenchmarkSteps(b *testing.B) {
	for name, level := range map[string]sqlite.Level{"full": sqlite.Full, "normal": sqlite.Normal} {
		for _, s := range []struct {
			of         turnstile.Orchestration[int, int]
			steps      int
			sideBySide int
		}{{chain, 10, 1}, {chain, 10, 50}, {fanOut, 100, 1}, {fanOut, 100, 10}} {
			b.Run(fmt.Sprintf("%s/%s of %d/%d side by side", name, s.of.Name(), s.steps, s.sideBySide), func(b *testing.B) {
				db := open(b, sqlite.WithDurability(level))
				env, err := embedded.New(application(ends), embedded.WithDatabase(db))
				if err != nil {
					b.Fatal(err)
				}
				ctx, stop := context.WithCancel(b.Context())
				ended := make(chan error, 1)
				go func() { ended <- env.Run(ctx) }()
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					var all sync.WaitGroup
					for range s.sideBySide {
						id := fmt.Sprint(n)
						n++
						all.Go(func() {
							run, err := client.Start(ctx, env.Client(), s.of, s.steps, client.WithInstanceID(id))
							if err == nil {
								_, err = run.Wait(ctx)
							}
							if err != nil {
								b.Error(err)
							}
						})
					}
					all.Wait()
				}
				b.ReportMetric(float64(n*s.steps)/b.Elapsed().Seconds(), "steps/s")
				stop()
				if err := <-ended; err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

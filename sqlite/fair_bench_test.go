package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// BenchmarkFairShares times ten activities of a tenant: alone, and where another has
// 10,000 waiting, with a key and without.
func BenchmarkFairShares(b *testing.B) {
	const few, workers = 10, 10
	many := 10_000
	if testing.Short() {
		many = 1000
	}
	work := turnstile.NewActivity[string, int]("Work")
	fan := turnstile.NewOrchestration[string, int]("Fan")
	fair := turnstile.NewOrchestration[string, int]("Fair")
	var made atomic.Int64
	app := func() *turnstile.App {
		run := func(with func(string) turnstile.Activity[string, int]) func(turnstile.Context, string) (int, error) {
			return func(ctx turnstile.Context, tenant string) (int, error) {
				n := few
				if tenant == "many" {
					n = 100
				}
				all := make([]turnstile.Future[int], n)
				for i := range all {
					all[i] = with(tenant).Start(ctx, tenant)
				}
				_, err := turnstile.Join(ctx, all...)
				return n, err
			}
		}
		return turnstile.NewApp(
			work.Implement(func(ctx context.Context, tenant string) (int, error) {
				if tenant == "many" {
					made.Add(1)
				}
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
				}
				return 0, ctx.Err()
			}),
			fan.Implement(run(func(string) turnstile.Activity[string, int] { return work })),
			fair.Implement(run(func(tenant string) turnstile.Activity[string, int] { return work.With(turnstile.FairnessKey(tenant)) })))
	}
	for _, where := range []string{"memory", "SQLite"} {
		for _, c := range []struct {
			name string
			flow turnstile.Orchestration[string, int]
			many int
		}{{"alone", fair, 0}, {"beside others, with a key", fair, many}, {"beside others, without", fan, many}} {
			b.Run(where+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					options := []embedded.Option{embedded.WithWorkers(workers)}
					if where == "SQLite" {
						options = append(options, embedded.WithDatabase(open(b, sqlite.WithDurability(sqlite.Full))))
					}
					env, err := embedded.New(app(), options...)
					if err != nil {
						b.Fatal(err)
					}
					ctx, stop := context.WithCancel(b.Context())
					ended := make(chan error, 1)
					go func() { ended <- env.Run(ctx) }()
					made.Store(0)
					var starting sync.WaitGroup
					for n := range c.many / 100 {
						starting.Go(func() {
							if _, err := client.Start(ctx, env.Client(), c.flow, "many", client.WithInstanceID(fmt.Sprint("many-", n))); err != nil {
								b.Error(err)
							}
						})
					}
					starting.Wait()
					if c.many > 0 { // all of them wait by then
						time.Sleep(2 * time.Second)
					}
					before := made.Load()
					startedAt := time.Now()
					run, err := client.Start(ctx, env.Client(), c.flow, "few", client.WithInstanceID("few"))
					if err == nil {
						_, err = run.Wait(ctx)
					}
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(time.Since(startedAt).Milliseconds()), "ms")
					b.ReportMetric(float64(made.Load()-before), "others-meanwhile")
					b.ReportMetric(float64(int64(c.many)-before), "others-waiting")
					stop()
					if err := <-ended; err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

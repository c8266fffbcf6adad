//go:build unix

package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// Ten thousand activities of 10 ms that share a limit over instances, as many without one, and as
// many under a rate. Run it with -benchtime 1x; -short has a tenth of them.
func BenchmarkLimitedActivities(b *testing.B) {
	const each = 100
	instances := 100
	if testing.Short() {
		instances = 10
	}
	for _, c := range []struct {
		name    string
		options []turnstile.ActivityOption
		each    int
	}{
		{"without a limit", nil, each},
		{"under a limit of 10", []turnstile.ActivityOption{turnstile.Limit("api", 10)}, each},
		{"under a limit of 100", []turnstile.ActivityOption{turnstile.Limit("api", 100)}, each},
		{"under a rate of 100 a second", []turnstile.ActivityOption{turnstile.Rate("api", 100, time.Second)}, each},
	} {
		b.Run(c.name, func(b *testing.B) {
			var running, most atomic.Int32
			work := turnstile.NewActivity[int, int]("Work").With(c.options...)
			fan := turnstile.NewOrchestration[int, int]("Fan")
			app := turnstile.NewApp(
				work.Implement(func(ctx context.Context, n int) (int, error) {
					now := running.Add(1)
					for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					select {
					case <-time.After(10 * time.Millisecond):
					case <-ctx.Done():
					}
					running.Add(-1)
					return n, ctx.Err()
				}),
				fan.Implement(func(ctx turnstile.Context, n int) (int, error) {
					all := make([]turnstile.Future[int], n)
					for i := range all {
						all[i] = work.Start(ctx, i)
					}
					_, err := turnstile.Join(ctx, all...)
					return n, err
				}))
			env, err := embedded.New(app, embedded.WithDatabase(open(b, sqlite.WithDurability(sqlite.Full))), embedded.WithWorkers(64))
			if err != nil {
				b.Fatal(err)
			}
			ctx, stop := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- env.Run(ctx) }()
			rounds := 0
			spent := processor(b)
			for b.Loop() {
				var all sync.WaitGroup
				for n := range instances {
					all.Go(func() {
						run, err := client.Start(ctx, env.Client(), fan, c.each, client.WithInstanceID(fmt.Sprint("fan-", rounds, "-", n)))
						if err == nil {
							_, err = run.Wait(ctx)
						}
						if err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				rounds++
			}
			b.ReportMetric(float64(rounds*instances*c.each)/b.Elapsed().Seconds(), "activities/s")
			b.ReportMetric((processor(b)-spent).Seconds()*1000/float64(rounds*instances*c.each), "cpu-ms/activity")
			b.ReportMetric(float64(most.Load()), "at-once")
			stop()
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// processor is the time of processors that this process has used.
func processor(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package dbos

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

var atOnce, mostAtOnce atomic.Int32

// limited takes 10 ms, as the activities of BenchmarkLimitedActivities in module sqlite do.
func limited(_ dbos.Context, n int) (int, error) {
	now := atOnce.Add(1)
	for m := mostAtOnce.Load(); now > m && !mostAtOnce.CompareAndSwap(m, now); m = mostAtOnce.Load() {
	}
	time.Sleep(10 * time.Millisecond)
	atOnce.Add(-1)
	return n, nil
}

// Workflows of 10 ms on a queue of DBOS with a limit, polled at its default of a second and at 10 ms.
// Run it with -benchtime 1x; -short has a tenth of them.
func BenchmarkLimitedWorkflows(b *testing.B) {
	for _, c := range []struct {
		name    string
		n       int
		options []dbos.QueueOption
	}{
		{"without a limit", 10_000, nil},
		{"under a limit of 10", 10_000, []dbos.QueueOption{dbos.WithGlobalConcurrency(10)}},
		{"under a limit of 10, polled each 10 ms", 10_000, []dbos.QueueOption{dbos.WithGlobalConcurrency(10), dbos.WithQueueBasePollingInterval(10 * time.Millisecond)}},
		{"under a rate of 100 a second", 10_000, []dbos.QueueOption{dbos.WithRateLimiter(&dbos.RateLimiter{Limit: 100, Period: time.Second})}},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := c.n
			if testing.Short() {
				n /= 10
			}
			mostAtOnce.Store(0)
			ctx, err := dbos.NewContext(b.Context(), dbos.Config{
				AppName: "limited", DatabaseURL: "sqlite:" + filepath.Join(b.TempDir(), "limited.db"),
				Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			})
			if err != nil {
				b.Fatal(err)
			}
			dbos.RegisterWorkflow(ctx, limited)
			if err := dbos.Launch(ctx); err != nil {
				b.Fatal(err)
			}
			defer dbos.Shutdown(ctx, time.Minute)
			queue, err := dbos.RegisterQueue(ctx, "limited", c.options...)
			if err != nil {
				b.Fatal(err)
			}
			rounds, spent := 0, processor(b)
			for b.Loop() {
				handles := make([]dbos.WorkflowHandle[int], n)
				for i := range handles {
					if handles[i], err = dbos.RunWorkflow(ctx, limited, i, dbos.WithQueue(queue), dbos.WithWorkflowID(fmt.Sprint(rounds, "-", i))); err != nil {
						b.Fatal(err)
					}
				}
				for _, h := range handles {
					if _, err := h.GetResult(); err != nil {
						b.Fatal(err)
					}
				}
				rounds++
			}
			b.ReportMetric(float64(rounds*n)/b.Elapsed().Seconds(), "workflows/s")
			b.ReportMetric((processor(b)-spent).Seconds()*1000/float64(rounds*n), "cpu-ms/workflow")
			b.ReportMetric(float64(mostAtOnce.Load()), "at-once")
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

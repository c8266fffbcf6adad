package workloads_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

// environment runs the workloads in this process.
type environment struct {
	*embedded.Runtime
	agency *workloads.Agency
}

func newEnvironment(t testing.TB, options ...embedded.Option) environment {
	t.Helper()
	agency := &workloads.Agency{}
	env, err := embedded.New(workloads.App(agency), options...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the environment ended with: %v", err)
		}
	})
	return environment{env, agency}
}

// workload is one to be run in an environment: n of its units, side by side.
type workload struct {
	name string
	run  func(ctx context.Context, e environment, id string, n int) error
}

var all = []workload{
	{"HelloSequence5", func(ctx context.Context, e environment, id string, n int) error {
		return workloads.Hello(ctx, e.Client(), id, n)
	}},
	{"FanOutFanIn1000", func(ctx context.Context, e environment, id string, n int) error {
		return workloads.FanOut(ctx, e.Client(), id, n, 1000)
	}},
	{"Bank", func(ctx context.Context, e environment, id string, n int) error {
		_, _, err := workloads.Bank(ctx, e.Client(), id, 2*n, pairs(n))
		return err
	}},
	{"TripBooked", func(ctx context.Context, e environment, id string, n int) error {
		return workloads.Trips(ctx, e.Client(), e.agency, id, n, "")
	}},
	{"TripNoCar", func(ctx context.Context, e environment, id string, n int) error {
		return workloads.Trips(ctx, e.Client(), e.agency, id, n, "car")
	}},
}

func TestInOneProcess(t *testing.T) {
	t.Parallel()
	for _, l := range all {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			n := 20
			if l.name == "FanOutFanIn1000" {
				n = 2
			}
			if err := l.run(ctx, newEnvironment(t), "some", n); err != nil {
				t.Error(err)
			}
		})
	}
}

// Ten at once in this process, on memory.
func BenchmarkInOneProcess(b *testing.B) {
	for _, l := range all {
		b.Run(l.name, func(b *testing.B) {
			e := newEnvironment(b)
			b.ReportAllocs()
			id := 0
			for b.Loop() {
				id++
				if err := l.run(b.Context(), e, fmt.Sprint("run-", id), 10); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(10*b.N)/b.Elapsed().Seconds(), "units/s")
		})
	}
}

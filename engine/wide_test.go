package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
)

// wide has the ways to wait for many operations.
var wide = map[string]func(c *engine.Context, fs []*engine.Future) error{
	"AsCompleted": func(c *engine.Context, fs []*engine.Future) error {
		for range c.AsCompleted(fs...) {
		}
		return nil
	},
	"Any": func(c *engine.Context, fs []*engine.Future) error {
		var all *engine.AllFailedError
		if _, _, err := c.Any(fs...); !errors.As(err, &all) || len(all.Errs) != len(fs) {
			return fmt.Errorf("Any gave %v", err)
		}
		return nil
	},
	"Select": func(c *engine.Context, fs []*engine.Future) error {
		_, err := c.Select(false, fs...)
		return err
	},
}

// runWide starts n activities, waits for them in one of these ways, and passes their
// failures in from last to first.
func runWide(t testing.TB, n int, await func(*engine.Context, []*engine.Future) error) {
	t.Helper()
	reg := registryOf(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		fs := make([]*engine.Future, n)
		for i := range fs {
			fs[i] = c.Activity(engine.ActivityCall{Name: "Step"})
		}
		return nil, await(c, fs)
	})
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
	defer x.Close()
	in := engine.Input{NowMS: 6, Arrivals: []engine.Arrival{start("0")}}
	turn, err := x.Run(in)
	if err != nil || turn.Stuck != nil {
		t.Fatal(err, turn.Stuck)
	}
	in.Arrivals = nil
	for i := n; i > 0; i-- {
		in.Arrivals = append(in.Arrivals, failed(int64(i)+1, "no"))
	}
	turn, err = x.Run(in)
	if err != nil || turn.State != engine.Ended {
		t.Fatal(err, turn.State, turn.Stuck)
	}
	if end := turn.End(); end.Failure != nil {
		t.Fatal(end.Failure.Message)
	}
}

// inBranches awaits each operation in its own branch.
func inBranches(await func(*engine.Context, []*engine.Future) error) func(*engine.Context, []*engine.Future) error {
	return func(c *engine.Context, fs []*engine.Future) error {
		branches := make([]*engine.Future, len(fs))
		for i, f := range fs {
			branches[i] = c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(f) })
		}
		return await(c, branches)
	}
}

// Not parallel, because it counts the allocations of the process.
func TestTheCostOfWaitingForManyIsNotQuadratic(t *testing.T) {
	for name, await := range wide {
		cost := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			runWide(t, n, await)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		few, many := cost(1000), cost(8000)
		t.Logf("%s: %d bytes for each of 1,000, %d for each of 8,000", name, few/1000, many/8000)
		if many > 12*few {
			t.Errorf("%s: eight times as many take %.1f times as many bytes", name, float64(many)/float64(few))
		}
	}
}

func BenchmarkWaitingFor10000(b *testing.B) {
	for name, await := range wide {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				runWide(b, 9999, await)
			}
		})
		b.Run(name+"/branches", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				runWide(b, 9999, inBranches(await))
			}
		})
	}
}

// A scope's timeout takes effect in the visit of its timer: an operation that is started
// later in that turn is cancelled, whichever branch runs first.
func TestK09AScopesTimeoutTakesEffectBeforeAnyCodeRuns(t *testing.T) {
	t.Parallel()
	var errs []error
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		errs = nil
		scope, _ := c.WithTimeout(5)
		timer := c.Timer(5)
		branch := scope.Go(func(c *engine.Context) ([]byte, error) { return c.Await(c.ExternalEvent("never")) })
		_, err := c.Await(timer)
		errs = append(errs, err)
		_, err = c.Await(branch)
		errs = append(errs, err)
		_, err = scope.GUID()
		return nil, err
	})
	f.turn(start("0"))
	turn := f.turn(fired(3), fired(2))
	f.replaysCleanly()
	if turn.State != engine.Ended || turn.End().Failure != nil {
		t.Fatalf("the turn ended as %v", turn.State)
	}
	var cancelled *engine.CancelledError
	if len(errs) < 2 || errs[0] != nil || !errors.As(errs[1], &cancelled) || !cancelled.Timeout || errors.Is(errs[1], engine.ErrCancelled) {
		t.Errorf("the errors are %v", errs)
	}
}

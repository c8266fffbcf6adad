package bill

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// What one turn asks for is sent within one invocation: 10,000 timers of a day at 25 ms
// a call within its minute, 9,900 activities at 8 ms a call in two seconds.
func TestAnInvocationDispatchesMuch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		n      int
		start  func(c *engine.Context) *engine.Future
		within time.Duration
	}{
		{"timers", 10_000, func(c *engine.Context) *engine.Future { return c.Timer(24 * time.Hour) }, 50 * time.Second},
		{"activities", 9_900, func(c *engine.Context) *engine.Future { return c.Activity(engine.ActivityCall{Name: "Step"}) }, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{}, func(ctx *engine.Context, in []byte) ([]byte, error) {
					all := make([]*engine.Future, c.n)
					for i := range all {
						all[i] = c.start(ctx)
					}
					_, err := ctx.Join(all...)
					return in, err
				})
				w.start(instance(0))
				startedAt := time.Now()
				if !w.Step() {
					t.Fatal("the start did not come")
				}
				took := time.Since(startedAt)
				t.Logf("%d %s in %s", c.n, c.name, took)
				if took > c.within {
					t.Errorf("it took %s, want at most %s", took, c.within)
				}
				if again, err := w.FIFO.Receive(t.Context(), 10, 3*time.Minute); err != nil || len(again) != 0 {
					t.Errorf("%d messages came back (%v): the dispatch was cut short", len(again), err)
				}
			})
		})
	}
}

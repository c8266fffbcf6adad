package embedded_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// A wait of a month takes no time, and time passes while an activity runs: otherwise an activity
// that waits for the runtime's own time would wait for ever.
func TestWithAPaceTimePassesAndWaitsAreShortened(t *testing.T) {
	t.Parallel()
	var env *embedded.Runtime
	look := turnstile.NewActivity[int, int]("Look")
	flow := turnstile.NewOrchestration[int, int]("Flow")
	app := turnstile.NewApp(
		look.Implement(func(ctx context.Context, n int) (int, error) {
			later := make(chan struct{})
			defer env.AfterFunc(50*time.Millisecond, func() { close(later) })()
			select {
			case <-later:
			case <-ctx.Done():
			}
			return n, ctx.Err()
		}),
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			if _, err := look.Call(ctx, n); err != nil {
				return 0, err
			}
			if err := turnstile.Sleep(ctx, 30*24*time.Hour); err != nil {
				return 0, err
			}
			return look.Call(ctx, n)
		}),
	)
	env, err := embedded.New(app, embedded.WithVirtualTime(epoch), embedded.WithRealTimePacing(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	run(t, env)
	started, err := client.Start(t.Context(), env.Client(), flow, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := started.Wait(t.Context()); got != 7 || err != nil {
		t.Fatalf("it gives %d, %v", got, err)
	}
	events, err := env.Client().History(t.Context(), started.Instance, 0)
	if err != nil {
		t.Fatal(err)
	}
	if took := events[2].AtMS - events[1].AtMS; took < 50 {
		t.Errorf("the activity took %d ms of the runtime's time, and waited for 50", took)
	}
	if took := events[len(events)-1].AtMS - events[0].AtMS; took < (30 * 24 * time.Hour).Milliseconds() {
		t.Errorf("the history is %d ms long, less than the wait", took)
	}
}

func TestAPaceWithoutVirtualTimeIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := embedded.New(application(), embedded.WithRealTimePacing(time.Second)); err == nil {
		t.Error("it is taken")
	}
}

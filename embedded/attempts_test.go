package embedded_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// In one process the state of an attempt is always known: a worker runs it, or no worker has it
// yet.
func TestTheConsoleKnowsWhichAttemptRuns(t *testing.T) {
	t.Parallel()
	work := turnstile.NewActivity[int, int]("Work")
	two := turnstile.NewOrchestration[int, int]("Two")
	begun, free := make(chan int), make(chan struct{})
	app := turnstile.NewApp(
		work.Implement(func(ctx context.Context, n int) (int, error) {
			begun <- n
			<-free
			return n, nil
		}),
		two.Implement(func(ctx turnstile.Context, n int) (int, error) {
			first, second := work.Start(ctx, 1), work.Start(ctx, 2)
			if _, err := first.Await(ctx); err != nil {
				return 0, err
			}
			return second.Await(ctx)
		}),
	)
	env, err := embedded.New(app, embedded.WithWorkers(1), embedded.WithConsole("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	run, err := client.Start(t.Context(), env.Client(), two, 0, client.WithInstanceID("i"))
	if err != nil {
		t.Fatal(err)
	}
	texts := func() (doing []string) {
		t.Helper()
		_, body := get(t, env.ConsoleURL()+"api/v1/instances/i/timeline")
		var shown api.Timeline
		if err := json.Unmarshal([]byte(body), &shown); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		for _, r := range shown.Rows {
			doing = append(doing, string(r.State)+": "+r.Text)
		}
		return doing
	}
	for i := range 2 {
		n := <-begun
		states := texts()
		if len(states) != 2 {
			t.Fatalf("rows are %q", states)
		}
		other := 3 - n
		if states[n-1] != "open: attempt 1 is running" {
			t.Errorf("the attempt that a worker has: %q", states[n-1])
		}
		if i == 0 && states[other-1] != "open: attempt 1 is waiting for a worker" {
			t.Errorf("the other one: %q", states[other-1])
		}
		free <- struct{}{}
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

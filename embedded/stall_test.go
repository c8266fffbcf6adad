package embedded

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
)

func TestA06AnAttemptThatWaitsForItsTimeoutGetsItInVirtualTime(t *testing.T) {
	t.Parallel()
	hang := turnstile.NewActivity[int, int]("Hang").With(turnstile.AttemptTimeout(time.Minute))
	flow := turnstile.NewOrchestration[int, int]("Flow")
	// What the attempt returns after its timeout is ignored; here it returns
	// when the test has seen that.
	seen := make(chan struct{})
	app := turnstile.NewApp(
		hang.Is(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			<-seen
			return 0, ctx.Err()
		}),
		flow.Is(func(ctx turnstile.Context, n int) (int, error) { return hang.Call(ctx, n) }))
	env, err := New(app, VirtualTime(time.Unix(0, 0)), func(o *options) { o.stall = time.Millisecond },
		Settings(host.Settings{BlockLimit: -1}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	run, err := flow.StartWith(t.Context(), env.Client(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer close(seen)
	if _, err := run.Wait(t.Context()); !errors.Is(err, turnstile.ErrTimeout) {
		t.Errorf("it ended with %v", err)
	}
}

package embedded

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
)

func TestA06A11A13AnAttemptThatWaitsForItsTimeLimitGetsItInVirtualTime(t *testing.T) {
	t.Parallel()
	for kind, options := range map[turnstile.FailureKind][]turnstile.ActivityOption{
		turnstile.KindTimeout:          {turnstile.AttemptTimeout(time.Minute)},
		turnstile.KindHeartbeatTimeout: {turnstile.HeartbeatTimeout(time.Minute)},
		turnstile.KindTotalTimeout:     {turnstile.TotalTimeout(time.Minute), turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 9})},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			expectTimeout(t, kind, options)
		})
	}
}

func expectTimeout(t *testing.T, kind turnstile.FailureKind, limits []turnstile.ActivityOption) {
	hang := turnstile.NewActivity[int, int]("Hang").With(limits...)
	flow := turnstile.NewOrchestration[int, int]("Flow")
	// The attempt's result after its timeout is ignored; here it returns when the test has seen the
	// timeout.
	seen := make(chan struct{})
	app := turnstile.NewApp(
		hang.Implement(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			<-seen
			return 0, ctx.Err()
		}),
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			_, err := hang.Call(ctx, n)
			failed, isActivity := errors.AsType[*turnstile.ActivityError](err)
			if !isActivity || failed.Kind != kind || !errors.Is(err, turnstile.ErrTimeout) || failed.Attempt != 1 {
				t.Errorf("failed with %v, want %s on attempt 1", err, kind)
			}
			return 0, err
		}))
	env, err := New(app, WithVirtualTime(time.Unix(0, 0)), option(func(o *options) { o.stall = 500 * time.Millisecond }),
		WithSettings(host.Settings{Turn: host.TurnSettings{BlockLimit: -1}}))
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
	run, err := client.Start(t.Context(), env.Client(), flow, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer close(seen)
	if _, err := run.Wait(t.Context()); err == nil {
		t.Error("it did not fail")
	}
}

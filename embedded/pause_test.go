package embedded_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// The attempts of a paused queue wait, running ones end, and other queues continue. A retry whose
// delay is over waits too.
func TestOnlyThePausedQueueWaits(t *testing.T) {
	t.Parallel()
	draw := turnstile.NewActivity[string, string]("draw").With(turnstile.Queue("gpu"), turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3}))
	tell := turnstile.NewActivity[string, string]("tell")
	picture := turnstile.NewOrchestration[string, string]("Picture")
	var drawn, told atomic.Int32
	var env *embedded.Runtime
	app := turnstile.NewApp(picture.Implement(func(ctx turnstile.Context, what string) (string, error) {
		if _, err := tell.Call(ctx, what); err != nil {
			return "", err
		}
		return draw.Call(ctx, what)
	}), tell.Implement(func(_ context.Context, what string) (string, error) {
		told.Add(1)
		return what, nil
	}), draw.Implement(func(ctx context.Context, what string) (string, error) {
		if drawn.Add(1) == 1 {
			// The attempt is running, and ends; its retry belongs to the paused queue.
			if err := env.PauseQueue(ctx, "gpu", "ada"); err != nil {
				t.Error(err)
			}
			return "", errors.New("not now")
		}
		return what, nil
	}))
	env, err := embedded.New(app, embedded.WithVirtualTime(epoch), embedded.WithQueue("gpu", 2))
	if err != nil {
		t.Fatal(err)
	}
	first, err := client.Start(t.Context(), env.Client(), picture, "a cat")
	if err != nil {
		t.Fatal(err)
	}
	days := make(chan struct{})
	env.AfterFunc(48*time.Hour, func() { close(days) })
	second, err := client.Start(t.Context(), env.Client(), picture, "a dog")
	if err != nil {
		t.Fatal(err)
	}
	run(t, env)
	<-days
	if n, m := drawn.Load(), told.Load(); n > 2 || m != 2 {
		t.Errorf("%d attempts of the paused queue have begun in two days, and %d of the other", n, m)
	}
	before := drawn.Load()
	listed := func(q client.ListQuery) (ids []string) {
		t.Helper()
		page, err := env.Client().List(t.Context(), q)
		if err != nil {
			t.Error(err)
		}
		for _, d := range page.Instances {
			ids = append(ids, d.Instance)
		}
		return ids
	}
	// At least the failed attempt's retry waits there; the other queue is empty.
	waits := listed(client.ListQuery{Queue: "gpu"})
	if len(waits) == 0 || len(listed(client.ListQuery{Queue: "default"})) != 0 || len(listed(client.ListQuery{Queue: "gpu", Name: "Other"})) != 0 {
		t.Errorf("%q wait in the paused queue, %q in the other", waits, listed(client.ListQuery{Queue: "default"}))
	}
	if _, err := env.Client().List(t.Context(), client.ListQuery{Queue: "cpu"}); err == nil || !strings.Contains(err.Error(), "no such activity queue") {
		t.Errorf("an unknown queue is searched: %v", err)
	}
	if err := env.PauseQueue(t.Context(), "cpu", "ada"); !errors.Is(err, client.ErrNotFound) || !strings.Contains(err.Error(), "default, gpu") {
		t.Errorf("an unknown queue is paused: %v", err)
	}
	if err := env.UnpauseQueue(t.Context(), "gpu", "ada"); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*client.Run[string]{first, second} {
		if _, err := r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if all := listed(client.ListQuery{Queue: "gpu"}); len(all) != 0 {
		t.Errorf("after all have ended, %q are in the queue", all)
	}
	if n := drawn.Load(); n != 3 || before == n {
		t.Errorf("%d attempts before the end of the pause, %d in all; want 3", before, n)
	}
}

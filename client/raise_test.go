package client_test

import (
	"errors"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
)

func TestARaiseWithACheckReportsWhatHappensToTheEvent(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[string, string]("Flow")
	e := start(t, flow.Implement(func(ctx turnstile.Context, does string) (string, error) {
		if does == "end" {
			return "ended", nil
		}
		a, err := approved.Wait(ctx)
		return a.By, err
	}))
	for _, instance := range []string{"end", "purged"} {
		ok[string](t)(ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, "end", client.WithInstanceID(instance))).Wait(e.ctx))
	}
	if err := e.client.Purge(e.ctx, "purged"); err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(e.ctx); err != nil {
		t.Fatal(err)
	}
	if err := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, "wait", client.WithInstanceID("wait"))).WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	raise := func(instance string, options ...client.RaiseOption) error {
		return client.Raise(e.ctx, e.client, approved, instance, approval{By: "Grace"}, options...)
	}
	for _, instance := range []string{"end", "purged", "nobody"} {
		if err := raise(instance); err != nil {
			t.Errorf("without looking, %s: %v", instance, err)
		}
	}
	if ended, is := errors.AsType[*client.EndedError](raise("end", client.CheckRunning())); !is || ended.Instance != "end" || ended.Status != client.StatusCompleted {
		t.Errorf("for one that has ended: %v", ended)
	}
	if gone, is := errors.AsType[*client.NotFoundError](raise("purged", client.CheckRunning())); !is || gone.FreeAt.IsZero() {
		t.Errorf("for one that was purged: %v", gone)
	}
	if err := raise("wait", client.CheckRunning()); err != nil {
		t.Errorf("for one that waits: %v", err)
	}
	if by := ok[string](t)(client.Attach(e.client, flow, "wait").Wait(e.ctx)); by != "Grace" {
		t.Errorf("it got %q", by)
	}
}

// The start may still be queued, so the event is sent behind it.
func TestARaiseThatFindsNoRecordIsSentAllTheSame(t *testing.T) {
	t.Parallel()
	q := ok[*memoryqueue.Queue](t)(memoryqueue.New(memoryqueue.Options{FIFO: true}))
	c := ok[*client.Client](t)(client.New(client.Config{Store: memorystore.New(), Queue: q}))
	if err := client.Raise(t.Context(), c, approved, "later", approval{}, client.CheckRunning()); !errors.Is(err, client.ErrNoRecord) {
		t.Error(err)
	}
	if n := len(q.Peek()); n != 1 {
		t.Errorf("%d messages were sent", n)
	}
}

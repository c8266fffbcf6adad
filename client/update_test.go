package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// throttled is a store that throttles the first read of an answer.
type throttled struct {
	store.Store
	reads int
}

func (s *throttled) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if s.reads++; s.reads == 1 {
		return store.Answer{}, store.ErrUnavailable
	}
	return s.Store.ReadAnswer(ctx, key)
}

func TestAnUpdateWhoseAnswerCannotBeReadIsNotReportedAsSent(t *testing.T) {
	t.Parallel()
	rename := turnstile.NewUpdate[string, string]("rename")
	closing := turnstile.NewEvent[string]("closing")
	named := turnstile.NewOrchestration[string, string]("Named")
	env := turnstiletest.New(t, turnstile.NewApp(rename, closing, named.Implement(func(ctx turnstile.Context, name string) (string, error) {
		rename.Handle(ctx, nil, func(_ turnstile.Context, to string) (string, error) { name = to; return to, nil })
		_, err := closing.Wait(ctx)
		return name, err
	})))
	turnstiletest.Start(env, named, "a", client.WithInstanceID("i"))
	if got, err := turnstiletest.Update(env, rename, "i", "b", client.WithDeduplicationID("u")); got != "b" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	c, err := client.New(client.Config{Store: &throttled{Store: env.Store()}, Queue: &sentTo{}})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.UpdateStatus(t.Context(), "i", "u"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("throttled, the update is %q, %v", s.Stage, err)
	}
	if s, err := c.UpdateStatus(t.Context(), "i", "u"); err != nil || s.Stage != client.UpdateCompleted {
		t.Errorf("read again, the update is %q, %v", s.Stage, err)
	}
}

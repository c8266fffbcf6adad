package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// pendingApproval is an activity that hands out its token, and an orchestration that
// waits for it.
func pendingApproval(t *testing.T, options ...turnstile.ActivityOption) (e *env, ask turnstile.Activity[string, bool], run *client.Run[bool], token string) {
	t.Helper()
	ask = turnstile.NewActivity[string, bool]("Ask").With(options...)
	flow := turnstile.NewOrchestration[string, bool]("Flow")
	tokens := make(chan string, 1)
	e = start(t,
		ask.Implement(func(ctx context.Context, _ string) (bool, error) {
			tokens <- turnstile.ActivityInfo(ctx).CompletionToken
			return false, turnstile.ErrPending
		}),
		flow.Implement(func(ctx turnstile.Context, who string) (bool, error) { return ask.Call(ctx, who) }))
	run = ok[*client.Run[bool]](t)(client.Start(e.ctx, e.client, flow, "ada", client.WithInstanceID("a-1")))
	select {
	case token = <-tokens:
	case <-e.ctx.Done():
		t.Fatal("the activity did not run")
	}
	return e, ask, run, token
}

func TestA12ATokenCompletesAPendingActivityOnce(t *testing.T) {
	t.Parallel()
	e, ask, run, token := pendingApproval(t)
	if err := client.Complete(e.ctx, e.client, ask, token, true); err != nil {
		t.Fatal(err)
	}
	if !ok[bool](t)(run.Wait(e.ctx)) {
		t.Error("it was completed with another result")
	}
	var gone *client.NotPendingError
	if err := client.Complete(e.ctx, e.client, ask, token, false); !errors.As(err, &gone) || gone.EventID != 2 || errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("the second use: %v, want a *NotPendingError for event 2", err)
	}
}

func TestA12ATokenFailsAPendingActivity(t *testing.T) {
	t.Parallel()
	e, _, run, token := pendingApproval(t, turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}))
	if err := e.client.Fail(e.ctx, token, turnstile.WithCode(errors.New("nobody is in"), "absent")); err != nil {
		t.Fatal(err)
	}
	_, err := run.Wait(e.ctx)
	failed, isOrchestration := errors.AsType[*client.OrchestrationError](err)
	if !isOrchestration || failed.Code != "absent" || !strings.Contains(err.Error(), "nobody is in") {
		t.Errorf("it ended with %v; want the failure that was sent, with its code", err)
	}
	if n := len(e.history("a-1")); n != 4 {
		t.Errorf("%d events", n)
	}
}

func TestA12WhatIsNoTokenOfThisInstanceIsATypedError(t *testing.T) {
	t.Parallel()
	e, _, _, token := pendingApproval(t)
	parts := strings.Split(token, ".")
	noActivity := strings.Join(append([]string{parts[0], parts[1], "1"}, parts[3:]...), ".")
	elsewhere := strings.Replace(token, ".YS0x.", ".Yi0x.", 1) // b-1
	for name, text := range map[string]string{"malformed": "what?", "empty": "", "of an event that is no activity": noActivity, "of an instance that is not there": elsewhere} {
		var bad *client.TokenError
		if err := e.client.Complete(e.ctx, text, nil); !errors.As(err, &bad) {
			t.Errorf("%s: %v, want a *TokenError", name, err)
		} else if strings.Contains(err.Error(), "a-1") {
			t.Errorf("%s: the error tells about the instance: %v", name, err)
		}
	}
	if err := e.client.Fail(e.ctx, token, nil); err == nil {
		t.Error("a nil failure was taken")
	}
	if err := e.client.Heartbeat(e.ctx, token, []byte(`{"page":1}`)); err != nil {
		t.Error(err)
	}
}

func TestAHeartbeatByTokenLearnsThatTheWorkIsNotWanted(t *testing.T) {
	t.Parallel()
	ask := turnstile.NewActivity[string, bool]("Ask")
	flow := turnstile.NewOrchestration[string, bool]("Flow")
	tokens := make(chan string, 1)
	enough := turnstile.NewEvent[string]("enough")
	e := arrange(t, nil,
		ask.Implement(func(ctx context.Context, _ string) (bool, error) {
			tokens <- turnstile.ActivityInfo(ctx).CompletionToken
			return false, turnstile.ErrPending
		}),
		flow.Implement(func(ctx turnstile.Context, who string) (bool, error) {
			f := ask.Start(ctx, who)
			_, err := turnstile.Select(ctx, f, turnstile.After(ctx, time.Hour))
			if err != nil {
				return false, err
			}
			_, err = enough.Wait(ctx)
			return false, err
		}))
	run := ok[*client.Run[bool]](t)(client.Start(e.ctx, e.client, flow, "ada", client.WithInstanceID("a-1")))
	var token string
	var before, behind error
	e.AfterFunc(30*time.Minute, func() {
		token = <-tokens
		before = e.client.Heartbeat(e.ctx, token, nil)
	})
	e.AfterFunc(2*time.Hour, func() {
		behind = errors.Join(e.client.Heartbeat(e.ctx, token, nil), client.Raise(e.ctx, e.client, enough, "a-1", ""))
	})
	e.run()
	ok[bool](t)(run.Wait(e.ctx))
	if before != nil || !errors.Is(behind, turnstile.ErrCancelled) {
		t.Errorf("before the timer won: %v; behind it: %v, want ErrCancelled", before, behind)
	}
}

func TestA13APendingActivityThatIsTooLate(t *testing.T) {
	t.Parallel()
	e, ask, run, token := pendingApproval(t, turnstile.TotalTimeout(48*time.Hour))
	_, err := run.Wait(e.ctx)
	if !errors.Is(err, turnstile.ErrTimeout) || !strings.Contains(err.Error(), "48h0m0s") {
		t.Errorf("it ended with %v, want a timeout", err)
	}
	var gone *client.NotPendingError
	if err := client.Complete(e.ctx, e.client, ask, token, true); !errors.As(err, &gone) {
		t.Errorf("a use behind the deadline: %v", err)
	}
}

package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
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

// A redrive starts an open activity again, and the token that was mailed before completes it.
func TestO10ATokenFromBeforeARedriveCompletesTheCopiedActivity(t *testing.T) {
	t.Parallel()
	ask, work := turnstile.NewActivity[string, bool]("Ask"), turnstile.NewActivity[int, int]("Work")
	flow := turnstile.NewOrchestration[string, bool]("Flow")
	tokens, runs := make(chan string, 3), 0
	e := start(t,
		ask.Implement(func(ctx context.Context, _ string) (bool, error) {
			tokens <- turnstile.ActivityInfo(ctx).CompletionToken
			return false, turnstile.ErrPending
		}),
		work.Implement(func(_ context.Context, n int) (int, error) {
			if runs++; runs < 3 {
				return 0, turnstile.NonRetryable(errors.New("broken"))
			}
			return n, nil
		}),
		flow.Implement(func(ctx turnstile.Context, who string) (bool, error) {
			asked := ask.Start(ctx, who)
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return false, err
			}
			if _, err := work.Call(ctx, 1); err != nil {
				return false, err
			}
			again := ask.Start(ctx, "again")
			if _, err := asked.Await(ctx); err != nil {
				return false, err
			}
			return again.Await(ctx)
		}))
	run := ok[*client.Run[bool]](t)(client.Start(e.ctx, e.client, flow, "ada", client.WithInstanceID("a-1")))
	mailed := make([]string, 4)
	next := func(i int) {
		t.Helper()
		select {
		case mailed[i] = <-tokens:
		case <-e.ctx.Done():
			t.Fatal("the activity did not run")
		}
	}
	next(0)
	for i := range 2 {
		if _, err := run.Wait(e.ctx); err == nil {
			t.Fatal("it did not fail")
		}
		var gone *client.NotPendingError
		if err := e.client.Heartbeat(e.ctx, mailed[0], nil); !errors.As(err, &gone) {
			t.Errorf("ahead of redrive %d: %v, want a *NotPendingError", i+1, err)
		}
		redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "a-1"}))
		run = client.Attach(e.client, flow, "a-1")
		run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
		next(i + 1)
	}
	next(3)
	if err := e.client.Heartbeat(e.ctx, mailed[0], []byte(`"reads"`)); err != nil {
		t.Errorf("a heartbeat: %v", err)
	}
	var gone *client.NotPendingError
	if err := e.client.Fail(e.ctx, mailed[1], errors.New("no")); !errors.As(err, &gone) || !strings.Contains(err.Error(), "in execution 3") || errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("a failure: %v, want a *NotPendingError that names the execution", err)
	}
	if err := client.Complete(e.ctx, e.client, ask, mailed[0], true); err != nil {
		t.Errorf("a result: %v", err)
	}
	if err := client.Complete(e.ctx, e.client, ask, mailed[3], true); err != nil {
		t.Error(err)
	}
	if !ok[bool](t)(run.Wait(e.ctx)) {
		t.Error("it was completed with another result")
	}
	state := ok[store.ActivityState](t)(e.client.ActivityState(e.ctx, store.ActivityKey{Instance: "a-1", ExecutionID: 3, EventID: 2}))
	if string(state.Beat.Details) != `"reads"` {
		t.Errorf("execution 3 has the heartbeat %s", state.Beat.Details)
	}
	for i, token := range mailed {
		if err := client.Complete(e.ctx, e.client, ask, token, true); !errors.As(err, &gone) || gone.ExecutionID != 3 || !strings.Contains(err.Error(), "completed at event") {
			t.Errorf("token %d once more: %v", i, err)
		}
	}
}

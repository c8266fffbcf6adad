package client_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestAnOperatorFiresATimerEarly(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(remind.Implement(func(ctx turnstile.Context, _ string) (string, error) {
		if err := turnstile.Sleep(ctx, 48*time.Hour); err != nil {
			return "", err
		}
		return turnstile.Now(ctx).Format(time.TimeOnly), turnstile.Sleep(ctx, time.Hour)
	})))
	startedAt := env.Now()
	due := startedAt.Add(48 * time.Hour)
	run := turnstiletest.Start(env, remind, "", client.WithInstanceID("sleeps"))
	c, ctx := env.Client(), t.Context()
	env.After(time.Minute, func() {
		if o, err := c.OpenTimer(ctx, "sleeps", 2); err != nil || !o.DueAt.Equal(due) {
			t.Errorf("the timer is %+v, %v; want it due at %s", o, err, due)
		}
		for _, event := range []int64{1, 3, 99} {
			if err := c.FireTimer(ctx, "sleeps", event, ""); !errors.Is(err, client.ErrNotWaiting) {
				t.Errorf("firing event %d: %v", event, err)
			}
		}
		if err := c.FireTimer(ctx, "nobody", 2, ""); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("firing a timer of nobody: %v", err)
		}
		if err := c.WithActor("ada").FireTimer(ctx, "sleeps", 2, "by phone"); err != nil {
			t.Error(err)
		}
	})
	env.After(10*time.Minute, func() {
		if err := c.FireTimer(ctx, "sleeps", 2, ""); !errors.Is(err, client.ErrNotWaiting) {
			t.Errorf("firing it again: %v", err)
		}
	})
	if out, err := run.Wait(); err != nil || out != startedAt.Add(time.Minute).Format(time.TimeOnly) {
		t.Errorf("it came to %q, %v", out, err)
	}
	var ended *client.EndedError
	if err := c.FireTimer(ctx, "sleeps", 2, ""); !errors.As(err, &ended) {
		t.Errorf("firing a timer of what has ended: %v", err)
	}
	events, err := c.History(ctx, "sleeps", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == history.TimerFired && e.SourceEventID == 2 && (e.Actor != "ada" || e.Reason != "by phone" || e.SenderID == "" || e.FireAtMS != due.UnixMilli()) {
			t.Errorf("it is recorded as %+v", e)
		}
	}
}

var book = turnstile.NewActivity[int, int]("Book")

func TestAnOperatorRetriesAnActivityNow(t *testing.T) {
	t.Parallel()
	var attempts []time.Time
	var env *turnstiletest.Env
	env = turnstiletest.New(t, turnstile.NewApp(
		remind.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			_, err := book.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 4, InitialInterval: 2 * time.Hour, BackoffCoefficient: 1})).Call(ctx, 1)
			return "booked", err
		}),
		book.Implement(func(context.Context, int) (int, error) {
			if attempts = append(attempts, env.Now()); len(attempts) < 4 {
				return 0, errors.New("the bank is closed")
			}
			return 1, nil
		})))
	run := turnstiletest.Start(env, remind, "", client.WithInstanceID("books"))
	c, ctx := env.Client(), t.Context()
	for i := range 2 {
		env.After(time.Duration(i+1)*time.Minute, func() {
			next, err := c.NextAttempt(ctx, "books", 2)
			if err != nil || next.Attempt != i+2 || next.Message != "the bank is closed" {
				t.Errorf("the next attempt is %+v, %v", next, err)
			}
			if err := c.RetryNow(ctx, "books", 1); !errors.Is(err, client.ErrNotWaiting) {
				t.Errorf("retrying the start: %v", err)
			}
			if err := c.WithActor("ada").RetryNow(ctx, "books", 2); err != nil {
				t.Error(err)
			}
		})
	}
	if out, err := run.Wait(); err != nil || out != "booked" {
		t.Errorf("it came to %q, %v", out, err)
	}
	if len(attempts) != 4 || attempts[2].Sub(attempts[0]) > 3*time.Minute || attempts[3].Sub(attempts[2]) < 2*time.Hour {
		t.Errorf("the attempts began at %v", attempts)
	}
	var ended *client.EndedError
	if err := c.RetryNow(ctx, "books", 2); !errors.As(err, &ended) {
		t.Errorf("retrying what has ended: %v", err)
	}
}

// Who asked for an attempt stands with what came of it: in the note of one that failed, and
// in the history of the one that ended the activity. Of one that began by itself nobody does,
// and whoever completes an activity by hand stands in its completion.
func TestTheActorOfAnAttemptIsRecordedWithItsResult(t *testing.T) {
	t.Parallel()
	attempts, token := 0, ""
	env := turnstiletest.New(t, turnstile.NewApp(
		remind.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			for i := range 3 {
				if _, err := book.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: 2 * time.Hour, BackoffCoefficient: 1})).Call(ctx, i); err != nil {
					return "", err
				}
			}
			return "booked", nil
		}),
		book.Implement(func(ctx context.Context, i int) (int, error) {
			if attempts++; i == 2 {
				token = turnstile.ActivityInfo(ctx).CompletionToken
				return 0, turnstile.ErrPending
			}
			if (attempts-1)%3 < 2 {
				return 0, errors.New("the bank is closed")
			}
			return 1, nil
		})))
	run := turnstiletest.Start(env, remind, "", client.WithInstanceID("books"))
	c, ctx := env.Client(), t.Context()
	retries := func(who string) func() {
		return func() {
			if err := c.WithActor(who).RetryNow(ctx, "books", 2); err != nil {
				t.Error(err)
			}
		}
	}
	env.After(time.Minute, retries("ada"))
	env.After(2*time.Minute, func() {
		retries("bob")()
		state, err := c.ActivityState(ctx, store.ActivityKey{Instance: "books", ExecutionID: 1, EventID: 2})
		if err != nil || state.Next.Attempt != 3 || state.Next.Actor != "ada" || len(state.Earlier) != 1 || state.Earlier[0].Actor != "" {
			t.Errorf("the notes are %+v and %+v, %v; want that ada asked for the second attempt", state.Earlier, state.Next, err)
		}
	})
	env.After(24*time.Hour, func() {
		if err := c.WithActor("eve").Complete(ctx, token, []byte("1")); err != nil {
			t.Error(err)
		}
	})
	if out, err := run.Wait(); err != nil || out != "booked" {
		t.Errorf("it came to %q, %v", out, err)
	}
	events, err := c.History(ctx, "books", 0)
	if err != nil {
		t.Fatal(err)
	}
	actors := map[int64]string{}
	for _, e := range events {
		if e.Kind == history.ActivityCompleted {
			actors[e.SourceEventID] = e.Actor
		} else if e.Actor != "" {
			t.Errorf("event %d, %s, is of %q", e.EventID, e.Kind, e.Actor)
		}
	}
	if want := map[int64]string{2: "bob", 4: "", 6: "eve"}; !maps.Equal(actors, want) {
		t.Errorf("the completions are of %v, want %v", actors, want)
	}
}

package client_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
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
	began := env.Now()
	due := began.Add(48 * time.Hour)
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
	if out, err := run.Wait(); err != nil || out != began.Add(time.Minute).Format(time.TimeOnly) {
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

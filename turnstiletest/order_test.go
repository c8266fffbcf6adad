package turnstiletest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// M-10: a sender's events are received in order, even if one of them is part of a start and all are
// in the same batch.
func TestM10ARaiseIsTakenBeforeALaterStartWithAnEvent(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		all := ""
		for range n {
			s, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			all += s
		}
		return all, nil
	})
	for name, exists := range map[string]bool{"the instance exists": true, "an earlier start of the batch begins it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, app)
			run := turnstiletest.Start(env, fulfil, 4, client.WithInstanceID("order-7"))
			if exists {
				env.Run()
			}
			turnstiletest.Raise(env, approved, run.Instance, "a")
			for _, s := range []string{"b", "c"} {
				turnstiletest.Start(env, fulfil, 4, client.WithInstanceID("order-7"), client.UseExisting(), client.WithEvent(approved, s))
			}
			turnstiletest.Raise(env, approved, run.Instance, "d")
			if got, err := run.Wait(); got != "abcd" || err != nil {
				t.Errorf("it took %q, %v", got, err)
			}
		})
	}
}

// T-04: overdue timers fire in the order of their times.
func TestT04TimersThatAreOverdueAtARedriveFireInTheOrderOfTheirTimes(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		sleeps := []time.Duration{3 * time.Hour, time.Hour, 48 * time.Hour, 2 * time.Hour}
		names := []string{"three", "one", "late", "two"}
		var timers []turnstile.Awaitable
		for _, d := range sleeps {
			timers = append(timers, turnstile.After(ctx, d))
		}
		if _, err := charge.Call(ctx, n); err != nil {
			return "", err
		}
		all := ""
		for len(timers) > 0 {
			i, err := turnstile.SelectWithoutCancel(ctx, timers...)
			if err != nil {
				return "", err
			}
			all += names[i] + " "
			timers, names = append(timers[:i:i], timers[i+1:]...), append(names[:i:i], names[i+1:]...)
		}
		return all, nil
	})
	env := turnstiletest.New(t, app)
	turnstiletest.On(env, charge).Return("", turnstile.NonRetryable(errBusy)).Once()
	turnstiletest.On(env, charge).Return("r", nil)
	run := turnstiletest.Start(env, fulfil, 1)
	if _, err := run.Wait(); err == nil {
		t.Fatal("it did not fail")
	}
	env.Advance(5 * time.Hour)
	if _, err := env.Client().Redrive(context.Background(), client.RedriveRequest{Instance: run.Instance}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if got, err := run.Wait(); got != "one two three late " || err != nil {
		t.Errorf("they fired as %q, %v", got, err)
	}
}

// An operator's reason is shown, whatever the instance itself waits for.
func TestTheReasonOfASuspendBeforeTheStartIsShown(t *testing.T) {
	t.Parallel()
	code := func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) }
	limited := fulfil.With(turnstile.Limit("k", 1))
	for name, c := range map[string]struct {
		options []client.StartOption
		status  client.Status
	}{
		"scheduled": {[]client.StartOption{client.StartAfter(24 * time.Hour)}, client.StatusScheduled},
		"queued":    {nil, client.StatusQueued},
		"suspended": {nil, client.StatusSuspended},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, flow(code))
			o := fulfil
			if c.status == client.StatusQueued {
				o = limited
				turnstiletest.Start(env, o, 1)
			}
			run := turnstiletest.Start(env, o, 2, c.options...)
			ctx, as := context.Background(), func(who string) *client.Client { return env.Client().WithActor(who) }
			env.Advance(time.Minute)
			if c.status == client.StatusSuspended {
				if err := as("bob").Suspend(ctx, run.Instance, "an earlier one"); err != nil {
					t.Fatal(err)
				}
				env.Advance(time.Minute)
			}
			if got := run.Describe().Status; got != c.status {
				t.Fatalf("it is %s", got)
			}
			if err := errors.Join(as("ada").Suspend(ctx, run.Instance, "the bank is down"), as("eve").Suspend(ctx, run.Instance, "")); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Minute)
			d := run.Describe()
			if s := d.Suspension; d.Status != client.StatusSuspended || s == nil || s.Reason != "the bank is down" || s.Actor != "ada" {
				t.Errorf("it is %s, %+v", d.Status, s)
			}
			if err := as("ada").Resume(ctx, run.Instance, ""); err != nil {
				t.Fatal(err)
			}
			env.Advance(time.Minute)
			if d := run.Describe(); d.Status != client.StatusRunning || d.Suspension != nil {
				t.Errorf("resumed, it is %s, %+v", d.Status, d.Suspension)
			}
		})
	}
}

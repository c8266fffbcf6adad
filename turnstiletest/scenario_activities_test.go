package turnstiletest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestActivitiesAsAnAuthorSeesThem(t *testing.T) {
	t.Parallel()
	nothing := turnstile.NewActivity[*int, []string]("Nothing")
	text := turnstile.NewActivity[string, string]("Charge") // the name of charge with another type
	busy := func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
		turnstiletest.On(env, charge).Return("", turnstile.WithCode(errBusy, "E7"))
	}
	look(t, map[string]*seen{
		"A-01 nil and zero values": {code: func(ctx turnstile.Context, _ int) (string, error) {
			none, err := nothing.Call(ctx, nil)
			if err != nil {
				return "", err
			}
			s, err := charge.Call(ctx, 0)
			return fmt.Sprint(none == nil, s == ""), err
		}, parts: []turnstile.Component{
			nothing.Implement(func(_ context.Context, in *int) ([]string, error) {
				if in != nil {
					return nil, errors.New("it is not nil")
				}
				return nil, nil
			}),
			charge.Implement(func(_ context.Context, n int) (string, error) { return strings.Repeat("x", n), nil }),
		}, want: "true true"},
		"A-02 an error is a value that says what failed": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := charge.Call(ctx, n)
			e, _ := errors.AsType[*turnstile.ActivityError](err)
			return fmt.Sprint(e.Activity, " ", e.EventID, " ", e.Kind, " ", e.Attempt, " ", turnstile.ErrorCode(err), " ", e.Message), nil
		}, do: busy, want: "Charge 2 application 1 E7 busy"},
		"A-02 an unhandled error fails the orchestration": {code: func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) },
			do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
				turnstiletest.On(env, charge).Return("", turnstile.NonRetryable(errBusy))
			}, err: errAny, history: "Started Act(Charge) Failed(application)←2 Failed(application)",
			check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
				if f := run.Describe().Failure; f == nil || f.Source != "Charge" {
					t.Errorf("it failed as %+v", f)
				}
			}},
		"A-04 a final code is not open to another attempt": {code: func(ctx turnstile.Context, n int) (string, error) {
			final := charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, NonRetryableCodes: []string{"E7"}}))
			var says []string
			for _, call := range []func(turnstile.Context, int) (string, error){final.Call, final.Inline} {
				_, err := call(ctx, n)
				e, _ := errors.AsType[*turnstile.ActivityError](err)
				says = append(says, fmt.Sprint(e.Attempt, " ", e.Retryable))
			}
			return strings.Join(says, ", "), nil
		}, do: busy, want: "1 false, 1 false"},
		"A-09 keys of idempotency": {code: func(ctx turnstile.Context, n int) (string, error) {
			both, err := turnstile.Join(ctx, charge.Start(ctx, n), charge.Start(ctx, n))
			return fmt.Sprint(both[0] != both[1], both[0] != ""), err
		}, parts: []turnstile.Component{charge.Implement(func(ctx context.Context, _ int) (string, error) {
			return turnstile.ActivityInfo(ctx).IdempotencyKey, nil
		})},
			want: "true true"},
		"A-17 an input that the implementation cannot take": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5})).Call(ctx, n)
			e, _ := errors.AsType[*turnstile.ActivityError](err)
			return fmt.Sprint(e.Kind, " ", e.Attempt), nil
		}, parts: []turnstile.Component{text.Implement(echo)}, want: "invalid_input 1"},
		"L-01 an input over the limit is an error at the call": {code: func(ctx turnstile.Context, _ int) (string, error) {
			_, err := ship.Call(ctx, strings.Repeat("x", 300<<10))
			e, ok := errors.AsType[*turnstile.PayloadTooLargeError](err)
			return fmt.Sprint(ok, e.Name), nil
		}, want: "trueShip", history: "Started Completed"},
		"L-02 a result over the limit is a failure": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := charge.Call(ctx, n)
			e, _ := errors.AsType[*turnstile.ActivityError](err)
			return string(e.Kind), nil
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			turnstiletest.On(env, charge).Return(strings.Repeat("x", 300<<10), nil)
		}, want: "too_large", history: "Started Act(Charge) Failed(too_large)←2 Completed"},
		"R-13 a durable call in a side effect": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := turnstile.SideEffect(ctx, "dice", func() (string, error) { return charge.Call(ctx, n) })
			return fmt.Sprint(strings.Contains(err.Error(), "dice"), strings.Contains(err.Error(), "Charge")), nil
		}, want: "true true", history: "Started Side(dice) Completed"},
	})
}

func TestA05DelaysGrowUpToTheirBound(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		return charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 6, InitialInterval: time.Minute, BackoffCoefficient: 3, MaxInterval: 20 * time.Minute})).Call(ctx, n)
	}))
	var startedAt []time.Time
	keys := map[string]bool{}
	turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
		startedAt = append(startedAt, env.Now())
		keys[turnstile.ActivityInfo(ctx).IdempotencyKey] = true
		return "", errBusy
	})
	run := turnstiletest.Start(env, fulfil, 1)
	if _, err := run.Wait(); err == nil {
		t.Error("it did not fail")
	}
	var delays []time.Duration
	for i := range startedAt[1:] {
		delays = append(delays, startedAt[i+1].Sub(startedAt[i]))
	}
	if want := []time.Duration{time.Minute, 3 * time.Minute, 9 * time.Minute, 20 * time.Minute, 20 * time.Minute}; !slices.Equal(delays, want) {
		t.Errorf("the delays are %v, want %v", delays, want)
	}
	if len(keys) != 1 {
		t.Errorf("its attempts have %d keys of idempotency", len(keys))
	}
	run.AssertHistory("Started Act(Charge) Failed(application)←2 Failed(application)")
}

func TestA13AnUnusedToken(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		_, err := charge.With(turnstile.TotalTimeout(time.Hour)).Call(ctx, n)
		e, _ := errors.AsType[*turnstile.ActivityError](err)
		return string(e.Kind), nil
	}))
	var token string
	turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
		token = turnstile.ActivityInfo(ctx).CompletionToken
		return "", turnstile.ErrPending
	})
	run := turnstiletest.Start(env, fulfil, 1)
	if got, err := run.Wait(); got != "total_timeout" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	before := run.History().String()
	err := client.Complete(t.Context(), env.Client(), charge, token, "late")
	if _, ok := errors.AsType[*client.NotPendingError](err); !ok {
		t.Errorf("using the token gives %v", err)
	}
	if env.Run(); run.History().String() != before {
		t.Errorf("it changed the history to %s", run.History())
	}
}

package turnstiletest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestTimersAndEventsAsAnAuthorSeesThem(t *testing.T) {
	t.Parallel()
	upper := turnstile.NewEvent[string]("Approved")
	look(t, map[string]*seen{
		"R-01 code without durable calls": {code: func(turnstile.Context, int) (string, error) { return "at once", nil },
			want: "at once", history: "Started Completed", check: noTime},
		"R-06 T-08 what is not awaited, and a timer that is open at the end": {code: func(ctx turnstile.Context, n int) (string, error) {
			charge.Start(ctx, n)
			turnstile.After(ctx, 24*time.Hour)
			return "done", nil
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) { numbered(env, atOnce) },
			want: "done", history: "Started Act(Charge) Timer(24h0m0s) Completed", check: noTime},
		"R-10 an event after the one that ends it": {code: func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) },
			do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
				turnstiletest.Raise(env, approved, run.Instance, "first")
				turnstiletest.Raise(env, approved, run.Instance, "second")
			}, want: "first", history: "Started Sub(approved) Ev(approved) Completed"},
		"T-02 timers of nothing and less": {code: func(ctx turnstile.Context, _ int) (string, error) {
			return "", errors.Join(turnstile.Sleep(ctx, 0), turnstile.Sleep(ctx, -time.Minute))
		}, history: "Started Timer(0s) Fired←2 Timer(-1m0s) Fired←4 Completed", check: noTime},
		"T-04 a hundred timers at one time": {code: func(ctx turnstile.Context, _ int) (string, error) {
			var timers []turnstile.Future[struct{}]
			for range 100 {
				timers = append(timers, turnstile.After(ctx, time.Hour))
			}
			fired, err := turnstile.Join(ctx, timers...)
			return fmt.Sprint(len(fired)), err
		}, want: "100", check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			if n := strings.Count(run.History().String(), "Fired"); n != 100 {
				t.Errorf("%d have fired", n)
			}
		}},
		"T-07 F-03 a timer that loses is removed": {code: func(ctx turnstile.Context, n int) (string, error) {
			work, timer := charge.Start(ctx, n), turnstile.After(ctx, 24*time.Hour)
			first, err := turnstile.Select(ctx, timer, work)
			if err != nil {
				return "", err
			}
			_, lost := timer.Await(ctx)
			return fmt.Sprint(first, errors.Is(lost, turnstile.ErrCancelled)), nil
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) { numbered(env, atOnce) },
			want: "1 true", history: "Started Act(Charge) Timer(24h0m0s) Done←2 Completed", check: noTime},
		"E-02 E-03 events that came before anybody waits": {code: func(ctx turnstile.Context, _ int) (string, error) {
			if err := turnstile.Sleep(ctx, 2*time.Hour); err != nil {
				return "", err
			}
			one, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			two, err := approved.Wait(ctx)
			return one + two, err
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, run.Instance, "one ")
			env.After(time.Hour, func() { turnstiletest.Raise(env, approved, run.Instance, "two") })
		}, want: "one two", history: "Started Timer(2h0m0s) Ev(approved) Ev(approved) Fired←2 Sub(approved) Sub(approved) Completed"},
		"E-04 equal events are two, one sent twice is one": {code: func(ctx turnstile.Context, _ int) (string, error) {
			if err := turnstile.Sleep(ctx, 2*time.Hour); err != nil {
				return "", err
			}
			all := ""
			for {
				data, came, err := approved.TryWait(ctx)
				if err != nil || !came {
					return all, err
				}
				all += data
			}
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			for range 2 {
				turnstiletest.Raise(env, approved, run.Instance, "equal ")
				turnstiletest.Raise(env, approved, run.Instance, "same ", client.WithDeduplicationID("mail-1"))
			}
			env.After(time.Hour, func() {
				turnstiletest.Raise(env, approved, run.Instance, "same ", client.WithDeduplicationID("mail-1"))
			})
		}, want: "equal same equal "},
		"E-05 names have their case, and each its order": {code: func(ctx turnstile.Context, _ int) (string, error) {
			all := ""
			for _, event := range []turnstile.Event[string]{upper, approved, approved} {
				data, err := event.Wait(ctx)
				if err != nil {
					return "", err
				}
				all += data
			}
			return all, nil
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, run.Instance, "a1 ")
			turnstiletest.Raise(env, upper, run.Instance, "b1 ")
			turnstiletest.Raise(env, approved, run.Instance, "a2 ")
		}, want: "b1 a1 a2 "},
		"E-06 of two waits the one that was first takes the event": {code: func(ctx turnstile.Context, _ int) (string, error) {
			one, two := approved.Next(ctx), approved.Next(ctx)
			first, err := turnstile.Select(ctx, two, one)
			return fmt.Sprint(first), err
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() { turnstiletest.Raise(env, approved, run.Instance, "x") })
		}, want: "1", history: "Started Sub(approved) Sub(approved) Ev(approved) Completed"},
		"E-08 an event sent again after a continue-as-new": {code: func(ctx turnstile.Context, n int) (string, error) {
			if n == 3 {
				if _, err := approved.Wait(ctx); err != nil {
					return "", err
				}
				return "", fulfil.ContinueAsNew(ctx, 0)
			}
			_, err := approved.WaitTimeout(ctx, 3*time.Hour)
			return fmt.Sprint(errors.Is(err, turnstile.ErrTimeout)), nil
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, run.Instance, "x", client.WithDeduplicationID("mail-1"))
			env.After(time.Hour, func() { turnstiletest.Raise(env, approved, run.Instance, "x", client.WithDeduplicationID("mail-1")) })
		}, want: "true", history: "Started Sub(approved) Timer(3h0m0s) Fired←3 Completed"},
		"M-07 an event ahead of the start waits for it": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := fulfil.With(turnstile.InstanceID("later")).StartDetached(ctx, 0)
			if n == 0 {
				return approved.Wait(ctx)
			}
			return "", err
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, "later", "early")
		}, check: func(t turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			if got, err := turnstiletest.Instance(env, fulfil, "later").Wait(); got != "early" || err != nil {
				t.Errorf("the later one ended with %q, %v", got, err)
			}
		}},
		"O-03 a state stays through continue-as-new": {code: func(ctx turnstile.Context, n int) (string, error) {
			if n == 0 {
				return "", nil
			}
			if err := errors.Join(status.Set(ctx, "first"), status.Set(ctx, "last")); err != nil {
				return "", err
			}
			return "", fulfil.ContinueAsNew(ctx, 0)
		}, check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			if shown, err := client.StateOf(run.Describe(), status); shown.Value != "last" || shown.Number.ExecutionID != 1 || err != nil {
				t.Errorf("it shows %+v, %v", shown, err)
			}
		}},
	})
}

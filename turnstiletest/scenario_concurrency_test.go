package turnstiletest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestConcurrencyAsAnAuthorSeesIt(t *testing.T) {
	t.Parallel()
	threeTwoOne := func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
		numbered(env, func(n int) int { return 4 - n })
	}
	quick := func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) { numbered(env, atOnce) }
	look(t, map[string]*seen{
		"R-02 two equal calls, the second is done first": {code: func(ctx turnstile.Context, n int) (string, error) {
			both, err := turnstile.Join(ctx, charge.Start(ctx, n), charge.Start(ctx, n))
			return fmt.Sprint(both), err
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			turnstiletest.On(env, charge).Return("slow", nil).After(2 * time.Minute).Once()
			turnstiletest.On(env, charge).Return("fast", nil)
		}, want: "[slow fast]", history: "Started Act(Charge) Act(Charge) Done←3 Done←2 Completed"},
		"R-03 awaited in the other order": {code: func(ctx turnstile.Context, _ int) (string, error) {
			one, two := charge.Start(ctx, 3), charge.Start(ctx, 1)
			b, err := two.Await(ctx)
			if err != nil {
				return "", err
			}
			a, err := one.Await(ctx)
			return b + a, err
		}, do: threeTwoOne, want: "r-1r-3", history: "Started Act(Charge) Act(Charge) Done←2 Done←3 Completed"},
		"R-23 F-10 the parent goes on first, branches in the order of their start": {code: func(ctx turnstile.Context, _ int) (string, error) {
			var branches []turnstile.Future[string]
			for i := range 3 {
				branches = append(branches, turnstile.Go(ctx, func(ctx turnstile.Context) (string, error) { return charge.Call(ctx, i) }))
			}
			own := charge.Start(ctx, 9)
			all, err := turnstile.Join(ctx, append(branches, own)...)
			return fmt.Sprint(all), err
		}, do: quick, want: "[r-0 r-1 r-2 r-9]", check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			if first := string(run.History()[1].Payload); first != "9" {
				t.Errorf("the first call has the input %s", first)
			}
		}},
		"R-27 the context of the parent in a branch": {code: func(parent turnstile.Context, n int) (string, error) {
			branch := turnstile.Go(parent, func(turnstile.Context) (string, error) { return charge.Call(parent, n) })
			beside, err := charge.Call(parent, 1)
			if err != nil {
				return "", err
			}
			s, err := branch.Await(parent)
			return beside + s, err
		}, do: quick, want: "r-1r-3"},
		"F-02 of nothing": {code: func(ctx turnstile.Context, _ int) (string, error) {
			none, err := turnstile.Join[string](ctx)
			mapped, mapErr := turnstile.Map(ctx, nil, 2, charge.Call)
			_, selectErr := turnstile.Select(ctx)
			_, _, anyErr := turnstile.Any[string](ctx)
			return fmt.Sprint(len(none), len(mapped), err, mapErr, selectErr != nil, anyErr != nil), nil
		}, want: "0 0 <nil> <nil> true true", history: "Started Completed"},
		"F-04 three races that the activity wins": {code: func(ctx turnstile.Context, n int) (string, error) {
			for range n {
				if first, err := turnstile.Select(ctx, charge.Start(ctx, n), turnstile.After(ctx, time.Hour)); first != 0 || err != nil {
					return "", fmt.Errorf("the winner is %d, %w", first, err)
				}
			}
			return charge.Call(ctx, 7)
		}, do: quick, want: "r-7", check: noTime},
		"F-06 a wait that loses takes nothing": {code: func(ctx turnstile.Context, _ int) (string, error) {
			if first, err := turnstile.Select(ctx, approved.Next(ctx), turnstile.After(ctx, time.Minute)); first != 1 || err != nil {
				return "", fmt.Errorf("the winner is %d, %w", first, err)
			}
			return approved.Wait(ctx)
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() { turnstiletest.Raise(env, approved, run.Instance, "for the second") })
		}, want: "for the second", history: "Started Sub(approved) Timer(1m0s) Fired←3 Sub(approved) Ev(approved) Completed"},
		"F-07 Any takes the first success": {code: func(ctx turnstile.Context, _ int) (string, error) {
			i, s, err := turnstile.Any(ctx, ship.Start(ctx, "fails"), charge.Start(ctx, 1), charge.Start(ctx, 2))
			return fmt.Sprint(i, s), err
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			threeTwoOne(env, run)
			turnstiletest.On(env, ship).Return("", errBusy)
		}, want: "2r-2"},
		"F-07 all of Any fail": {code: func(ctx turnstile.Context, _ int) (string, error) {
			_, _, err := turnstile.Any(ctx, ship.Start(ctx, "one"), ship.Start(ctx, "two"))
			return fmt.Sprint(strings.Count(err.Error(), "busy")), nil
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			turnstiletest.On(env, ship).Return("", errBusy)
		}, want: "2"},
		"F-08 as they complete, and what is left is still open": {code: func(ctx turnstile.Context, _ int) (string, error) {
			all := []turnstile.Future[string]{charge.Start(ctx, 1), charge.Start(ctx, 2), charge.Start(ctx, 3)}
			var order []string
			for i, o := range turnstile.AsCompleted(ctx, all...) {
				if order = append(order, fmt.Sprint(i, o.Value)); len(order) == 2 {
					break
				}
			}
			last, err := all[0].Await(ctx)
			return fmt.Sprint(order, last), err
		}, do: threeTwoOne, want: "[2r-3 1r-2]r-1"},
		"F-09 two at a time": {code: func(ctx turnstile.Context, _ int) (string, error) {
			all, err := turnstile.Map(ctx, []int{1, 2, 3, 4, 5}, 2, charge.Call)
			_, wrong := turnstile.Map(ctx, []int{1}, 0, charge.Call)
			return fmt.Sprint(all, wrong != nil), err
		}, do: quick, want: "[r-1 r-2 r-3 r-4 r-5] true", history: "Started Act(Charge) Act(Charge) Done←2 Act(Charge) Done←3 Act(Charge) Done←5 Act(Charge) Done←7 Done←9 Completed"},
		"F-11 the end comes while a branch waits": {code: func(ctx turnstile.Context, n int) (string, error) {
			turnstile.Go(ctx, func(ctx turnstile.Context) (string, error) { return approved.Wait(ctx) })
			return charge.Call(ctx, n)
		}, do: quick, want: "r-3", history: "Started Act(Charge) Sub(approved) Done←2 Completed"},
		"K-03 code that catches its cancellation": {code: func(ctx turnstile.Context, _ int) (string, error) {
			_, err := approved.Wait(ctx)
			return fmt.Sprint(errors.Is(err, turnstile.ErrCancelled)), nil
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() { run.Cancel("enough") })
		}, want: "true", history: "Started Sub(approved) CancelRequested Completed"},
		"K-04 the first of three cancels counts": {code: func(ctx turnstile.Context, _ int) (string, error) {
			_, err := approved.Wait(ctx)
			return "", err
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() {
				for _, reason := range []string{"the first", "the second", "the third"} {
					run.Cancel(reason)
				}
			})
		}, err: turnstile.ErrCancelled, check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			h := run.History()
			if h[2].Reason != "the first" || strings.Count(h.String(), "CancelRequested") != 1 {
				t.Errorf("its history is %s, its reason %q", h, h[2].Reason)
			}
		}},
		"K-08 an event in one batch with a cancel after it": {code: func(ctx turnstile.Context, _ int) (string, error) {
			first, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			_, err = approved.Wait(ctx)
			return fmt.Sprint(first, errors.Is(err, turnstile.ErrCancelled)), nil
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() {
				turnstiletest.Raise(env, approved, run.Instance, "came ")
				run.Cancel("enough")
			})
		}, want: "came true", history: "Started Sub(approved) Ev(approved) Sub(approved) CancelRequested Completed"},
		"K-09 a scope's time is over": {code: func(ctx turnstile.Context, _ int) (string, error) {
			outside := charge.Start(ctx, 1)
			scope, cancel := turnstile.WithTimeout(ctx, time.Minute)
			defer cancel("done")
			_, timer := turnstile.After(scope, time.Hour).Await(scope)
			_, event := approved.Wait(scope)
			s, err := outside.Await(ctx)
			return fmt.Sprint(s, errors.Is(timer, turnstile.ErrTimeout), errors.Is(event, turnstile.ErrTimeout)), err
		}, do: threeTwoOne, want: "r-1true true"},
		"K-10 a saga whose third step fails": {code: func(ctx turnstile.Context, _ int) (string, error) {
			var saga turnstile.Saga
			for i := range 2 {
				if _, err := charge.Call(ctx, i); err != nil {
					return "", saga.Compensate(ctx, err)
				}
				saga.Add(fmt.Sprint("step ", i), func(ctx turnstile.Context) error {
					_, err := charge.Call(ctx, 10+i)
					return err
				})
			}
			_, err := ship.Call(ctx, "x")
			undone := saga.Compensate(ctx, err)
			return fmt.Sprint(errors.Is(undone, err), len(undone.(*turnstile.CompensationError).Failed)), nil
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.On(env, charge).Match(func(n int) bool { return n == 11 }).Return("", errBusy)
			quick(env, run)
			turnstiletest.On(env, ship).Return("", errBusy)
		}, want: "true 1", history: "Started Act(Charge) Done←2 Act(Charge) Done←4 Act(Ship) Failed(application)←6 Act(Charge) Failed(application)←8 Act(Charge) Done←10 Completed"},
	})
}

// F-12: a fan-out of a typical size, in one turn.
func TestF12ManyActivitiesAtOnce(t *testing.T) {
	t.Parallel()
	const n = 300
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, _ int) (string, error) {
		var all []turnstile.Future[string]
		for i := range n {
			all = append(all, charge.Start(ctx, i))
		}
		got, err := turnstile.Join(ctx, all...)
		return got[0] + got[n-1], err
	}))
	numbered(env, atOnce)
	if got, err := turnstiletest.Start(env, fulfil, 0).Wait(); got != "r-0r-299" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

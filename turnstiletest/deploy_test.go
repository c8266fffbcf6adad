package turnstiletest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// says is an orchestration that waits for an event and returns its own name.
func says(who string) func(turnstile.Context, int) (string, error) {
	return func(ctx turnstile.Context, n int) (string, error) {
		if n > 0 {
			if _, err := approved.Wait(ctx); err != nil {
				return "", err
			}
			return "", fulfil.ContinueAsNew(ctx, 0)
		}
		by, err := approved.Wait(ctx)
		return who + by, err
	}
}

func versions(all ...string) *turnstile.App {
	var parts turnstile.Components
	for _, v := range all {
		parts = append(parts, fulfil.With(turnstile.Version(v)).Implement(says(v)))
	}
	return turnstile.NewApp(parts)
}

func TestV01V03AnInstanceStaysOnItsVersionUntilItContinuesAsNew(t *testing.T) {
	t.Parallel()
	turnstiletest.CrashTest(t, versions("1.2", "1.10"), func(env *turnstiletest.Env) {
		stays := turnstiletest.Start(env, fulfil, 0)
		continues := turnstiletest.Start(env, fulfil, 1)
		asked := turnstiletest.Start(env, fulfil, 0, client.WithVersion("1.2"))
		env.RunUntil(turnstiletest.Idle())
		env.Deploy(versions("1.2", "1.10", "1.11"))
		for _, run := range []*turnstiletest.Run[string]{stays, continues, asked} {
			for range 2 {
				turnstiletest.Raise(env, approved, run.Instance, "")
			}
		}
		for run, want := range map[*turnstiletest.Run[string]]string{stays: "1.10", continues: "1.11", asked: "1.2"} {
			if got, err := run.Wait(); got != want || err != nil || run.Describe().Version != want {
				t.Errorf("it ended on %q, %v, want %q", got, err, want)
			}
		}
	}, turnstiletest.WithMaxRuns(12))
}

func TestV02AVersionThatIsNoLongerDeployed(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, versions("1", "2"), turnstiletest.AllowStuck())
	run := turnstiletest.Start(env, fulfil, 0)
	env.RunUntil(turnstiletest.Idle())
	env.Deploy(versions("1", "3"))
	turnstiletest.Raise(env, approved, run.Instance, "!")
	env.Run()
	d := run.Describe()
	if d.Status != client.StatusStuck || d.Problem.Kind != "not_registered" || !strings.Contains(d.Problem.Message, `"2"`) || !strings.Contains(d.Problem.Message, "3") {
		t.Fatalf("it is %s, %+v", d.Status, d.Problem)
	}
	env.Deploy(versions("1", "2", "3"))
	if got, err := waitStuck(env, run); got != "2!" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

// waitStuck lets a stuck instance try again, and waits for the attempt.
func waitStuck(env *turnstiletest.Env, run *turnstiletest.Run[string]) (string, error) {
	env.Advance(2 * time.Hour)
	return run.Wait()
}

func TestM09R18WhatIsNotDeployedYetWaitsForIt(t *testing.T) {
	t.Parallel()
	other := turnstile.NewOrchestration[int, int]("Other")
	empty := turnstile.NewApp(other.Implement(func(turnstile.Context, int) (int, error) { return 0, nil }))
	env := turnstiletest.New(t, empty, turnstiletest.AllowStuck())
	run := turnstiletest.Start(env, fulfil, 0)
	env.Run()
	if d := run.Describe(); d.Status != client.StatusStuck || !strings.Contains(d.Problem.Message, "Other") {
		t.Fatalf("it is %+v", d)
	}
	turnstiletest.Raise(env, approved, run.Instance, "!")
	env.Deploy(flow(says("now ")))
	if got, err := waitStuck(env, run); got != "now !" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

// M-13: an event that arrives while the code is wrong is recorded without scheduled
// operations, and counts in order after the right code is deployed.
func TestR18R19M13TheRightCodeContinuesWhereTheWrongOneStopped(t *testing.T) {
	t.Parallel()
	const events = 3
	right := func(ctx turnstile.Context, n int) (string, error) {
		all, err := charge.Call(ctx, n)
		for range events {
			s, eventErr := approved.Wait(ctx)
			all, err = all+s, errors.Join(err, eventErr)
		}
		return all, err
	}
	for name, c := range map[string]struct {
		wrong func(turnstile.Context, int) (string, error)
		kind  string
	}{
		"another activity": {func(ctx turnstile.Context, _ int) (string, error) { return ship.Call(ctx, "x") }, "nondeterminism"},
		"a panic after it": {func(ctx turnstile.Context, n int) (string, error) {
			if _, err := charge.Call(ctx, n); err != nil {
				return "", err
			}
			panic("kaboom")
		}, "panic"},
		"R-20 a panic, and a deferred function that waits": {func(ctx turnstile.Context, n int) (string, error) {
			defer func() { _, _ = ship.Call(ctx, "clean up") }()
			if _, err := charge.Call(ctx, n); err != nil {
				return "", err
			}
			if _, err := approved.Wait(ctx); err != nil {
				return "", err
			}
			panic("kaboom")
		}, "panic"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, flow(right), turnstiletest.AllowStuck())
			paid := turnstiletest.On(env, charge).Return("r-3 ", nil)
			run := turnstiletest.Start(env, fulfil, 3)
			env.RunUntil(turnstiletest.EventAwaited(approved))
			env.Deploy(flow(c.wrong))
			for _, s := range []string{"one ", "two ", "three"} {
				turnstiletest.Raise(env, approved, run.Instance, s)
				env.Advance(time.Minute)
			}
			if d := run.Describe(); d.Status != client.StatusStuck || d.Problem.Kind != c.kind {
				t.Fatalf("it is %s, %+v", d.Status, d.Problem)
			}
			env.Deploy(flow(right))
			if got, err := waitStuck(env, run); got != "r-3 one two three" || err != nil || paid.Calls() != 1 {
				t.Errorf("it ended with %q, %v, charged %d times", got, err, paid.Calls())
			}
			run.AssertHistory("Started Act(Charge) Done←2 Sub(approved) Ev(approved) Ev(approved) Ev(approved) Sub(approved) Sub(approved) Completed")
		})
	}
}

func TestV04APatchIsDeployedWhileInstancesRun(t *testing.T) {
	t.Parallel()
	before := func(ctx turnstile.Context, n int) (string, error) {
		if _, err := charge.Call(ctx, n); err != nil {
			return "", err
		}
		return approved.Wait(ctx)
	}
	patched := func(ctx turnstile.Context, n int) (string, error) {
		if turnstile.Patched(ctx, "check first") {
			if _, err := ship.Call(ctx, "check"); err != nil {
				return "", err
			}
		}
		return before(ctx, n)
	}
	turnstiletest.CrashTest(t, flow(before), func(env *turnstiletest.Env) {
		turnstiletest.On(env, charge).Return("r", nil)
		turnstiletest.On(env, ship).Return("checked", nil)
		older := turnstiletest.Start(env, fulfil, 1)
		env.RunUntil(turnstiletest.EventAwaited(approved))
		env.Deploy(flow(patched))
		newer := turnstiletest.Start(env, fulfil, 2)
		env.RunUntil(turnstiletest.EventAwaited(approved))
		for _, run := range []*turnstiletest.Run[string]{older, newer} {
			turnstiletest.Raise(env, approved, run.Instance, "x")
			if _, err := run.Wait(); err != nil {
				t.Error(err)
			}
		}
		older.AssertHistory("Started Act(Charge) Done←2 Sub(approved) Ev(approved) Completed")
		newer.AssertHistory("Started Patch(check first) Act(Ship) Done←3 Act(Charge) Done←5 Sub(approved) Ev(approved) Completed")
	}, turnstiletest.WithMaxRuns(12))
}

func TestDeployTakesNoApplicationThatCannotRun(t *testing.T) {
	t.Parallel()
	good := flow(func(turnstile.Context, int) (string, error) { return "", nil })
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.New(ft, good).Deploy(nil) }), "NewApp")
	twice := turnstile.NewApp(fulfil.Implement(says("a")), fulfil.Implement(says("b")))
	// V-08: the error names both places.
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.New(ft, good).Deploy(twice) }), "Fulfil", "deploy_test.go:")
}

package turnstiletest_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// exportedBy runs code once and returns the export of its history.
func exportedBy(t *testing.T, app *turnstile.App) string {
	t.Helper()
	env := turnstiletest.New(t, app)
	turnstiletest.On(env, charge).Return("r-1", nil)
	run := turnstiletest.Start(env, fulfil, 3)
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	return string(run.Export())
}

func TestV05APatchIsRetired(t *testing.T) {
	t.Parallel()
	old := func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }
	fresh := func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, 2*n) }
	patched := func(ctx turnstile.Context, n int) (string, error) {
		if turnstile.Patched(ctx, "double") {
			return fresh(ctx, n)
		}
		return old(ctx, n)
	}
	retired := func(ctx turnstile.Context, n int) (string, error) {
		turnstile.PatchRetired(ctx, "double")
		return fresh(ctx, n)
	}
	before, behind := write(t, "before.json", exportedBy(t, flow(old))), write(t, "behind.json", exportedBy(t, flow(patched)))
	turnstiletest.Replay(t, flow(patched), before)
	turnstiletest.Replay(t, flow(patched), behind)
	turnstiletest.Replay(t, flow(retired), behind)
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(retired), before) }),
		"at event 2", `before the patch "double", which the code has retired`, "restore the code from before the patch")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.Replay(ft, flow(fresh), behind) }), "at event 2", "Patch(double)")
}

func TestR26AnAddedFieldMakesNoInstanceStuck(t *testing.T) {
	t.Parallel()
	type older struct {
		Total int `json:"total"`
	}
	type newer struct {
		Total int    `json:"total"`
		Note  string `json:"note"`
	}
	calls := func(in func(ctx turnstile.Context, n int) error) *turnstile.App {
		return flow(func(ctx turnstile.Context, n int) (string, error) { return "", in(ctx, n) },
			turnstile.NewActivity[older, string]("Bill").Implement(func(context.Context, older) (string, error) { return "", nil }))
	}
	bill := turnstile.NewActivity[newer, string]("Bill")
	history := write(t, "older.json", exportedBy(t, calls(func(ctx turnstile.Context, n int) error {
		_, err := turnstile.NewActivity[older, string]("Bill").Call(ctx, older{n})
		return err
	})))
	turnstiletest.Replay(t, calls(func(ctx turnstile.Context, n int) error {
		_, err := bill.Call(ctx, newer{Total: n})
		return err
	}), history)
	mentions(t, failure(t, func(ft turnstiletest.T) {
		turnstiletest.Replay(ft, calls(func(ctx turnstile.Context, n int) error {
			_, err := bill.Call(ctx, newer{Total: n, Note: "new"})
			return err
		}), history)
	}), "at event 2", "input differs", "change_test.go:")
}

func TestR21AForcedEndReplays(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) })
	env := turnstiletest.New(t, app)
	run := turnstiletest.Start(env, fulfil, 3)
	env.RunUntil(turnstiletest.EventAwaited(approved))
	run.Terminate("enough")
	env.Run()
	run.AssertHistory("Started Sub(approved) Failed(terminated)")
	turnstiletest.Replay(t, app, write(t, "terminated.json", string(run.Export())))
}

func TestR14ByPolicyWhatCannotContinueFails(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(fulfil.With(turnstile.FailWhenStuck()).Implement(func(turnstile.Context, int) (string, error) { panic("kaboom") })))
	run := turnstiletest.Start(env, fulfil, 3)
	if _, err := run.Wait(); err == nil || !strings.Contains(err.Error(), "kaboom") {
		t.Errorf("it ended with %v", err)
	}
	run.AssertHistory("Started Failed(panic)")
}

func TestR16ALineIsLoggedOnceHoweverOftenTheTurnsAreReplayed(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	logger := slog.New(slog.NewTextHandler(&text, nil))
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		turnstile.Logger(ctx).Info("line one")
		for range n {
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
		}
		turnstile.Logger(ctx).Info("line two")
		return "", nil
	}), turnstiletest.WithLogger(logger), turnstiletest.WithSettings(host.Settings{Cache: host.CacheSettings{Instances: -1}}))
	if _, err := turnstiletest.Start(env, fulfil, 5).Wait(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"line one", "line two"} {
		if n := strings.Count(text.String(), line); n != 1 {
			t.Errorf("%q was logged %d times:\n%s", line, n, text.String())
		}
	}
}

func TestL05ALoopThatNeverWaitsIsStopped(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		for {
			charge.Start(ctx, n)
		}
	}), turnstiletest.AllowStuck())
	run := turnstiletest.Start(env, fulfil, 3)
	env.Run()
	if d := run.Describe(); d.Problem == nil || d.Problem.Kind != "limit" || !strings.Contains(d.Problem.Message, "10000") || !strings.Contains(d.Problem.Message+d.Problem.Stack, "change_test.go:") {
		t.Errorf("it is %s, %+v", d.Status, d.Problem)
	}
	run.AssertHistory("Started")
}

package turnstiletest_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestWhatNeverEndsFailsTheTestWithAllThereIsToKnow(t *testing.T) {
	t.Parallel()
	own := func(ctx turnstile.Context, _ int) (string, error) {
		slept := make(chan error)
		go func() { slept <- turnstile.Sleep(ctx, time.Second) }()
		return "", <-slept
	}
	for name, c := range map[string]struct {
		code func(turnstile.Context, int) (string, error)
		do   func(turnstiletest.T, *turnstiletest.Env, *turnstiletest.Run[string])
		want []string
	}{
		"R-14 a panic, with its stack": {func(turnstile.Context, int) (string, error) { panic("kaboom") }, nil,
			[]string{"stuck", "panic", "kaboom", "stuck_test.go:", "its history: Started"}},
		"R-22 a deadlock": {func(ctx turnstile.Context, _ int) (string, error) {
			var f turnstile.Future[int]
			f = turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) { return f.Await(ctx) })
			_, err := f.Await(ctx)
			return "", err
		}, func(_ turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) { env.Run() }, []string{"Run:", "deadlock: the code waits at", "stuck_test.go:"}},
		"an event that is not raised": {func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) }, nil,
			[]string{"never ends", `event "approved", which was not raised (event 2)`, "its history: Started Sub(approved)"}},
		"an event of another name": {func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) }, func(_ turnstiletest.T, env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, turnstile.NewEvent[string]("Approved"), run.Instance, "yes")
			_, _ = run.Wait()
		}, []string{`event "approved", which was not raised (event 2), but "Approved" was`}},
		"P-01 an event that is not raised for a child": {func(ctx turnstile.Context, n int) (string, error) {
			if n == 0 {
				return approved.Wait(ctx)
			}
			return fulfil.With(turnstile.InstanceID("the child")).Call(ctx, 0)
		}, nil, []string{"never ends", `sub-orchestration "Fulfil", instance "the child", which is running (event 2)`,
			`instance "the child" (Fulfil) is running and waits for event "approved", which was not raised (event 2)`}},
		"an instance that was not started": {nil, func(_ turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			_, _ = turnstiletest.Instance(env, fulfil, "other").Wait()
		}, []string{`instance "other" does not exist`}},
		"R-25 a goroutine of the orchestration's own": {own, func(ft turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			_, err := run.Wait()
			ft.Errorf("%v", err)
		}, []string{"stuck_test.go:", "goroutine that the orchestration started itself"}},
		"an orchestration that is not registered": {nil, func(_ turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			_, _ = turnstiletest.Start(env, turnstile.NewOrchestration[int, int]("Unknown"), 1).Wait()
		}, []string{"stuck", `"Unknown"`, "not registered", "Fulfil"}},
		"an endless loop": {func(ctx turnstile.Context, n int) (string, error) {
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return "", fulfil.ContinueAsNew(ctx, n+1)
		}, nil, []string{"no end after 200 batches", "Advance", "WithMaxBatches"}},
		"a history that grows for ever": {func(ctx turnstile.Context, n int) (string, error) {
			for {
				if err := turnstile.Sleep(ctx, time.Hour); err != nil {
					return "", err
				}
			}
		}, nil, []string{"no end after 1", "have read 20", "events", "ContinueAsNew", "KeepWarm", "WithMaxBatches"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.code == nil {
				c.code = func(turnstile.Context, int) (string, error) { return "", nil }
			}
			test := func(ft turnstiletest.T) {
				env := turnstiletest.New(ft, flow(c.code), turnstiletest.WithMaxBatches(200))
				run := turnstiletest.Start(env, fulfil, 7)
				if c.do != nil {
					c.do(ft, env, run)
				} else if _, err := run.Wait(); err != nil {
					ft.Errorf("it ended with %v", err)
				}
			}
			mentions(t, failure(t, test), c.want...)
		})
	}
}

func TestAllowStuckPermitsStuckInstances(t *testing.T) {
	t.Parallel()
	broken := true
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, _ int) (string, error) {
		if broken {
			panic("broken")
		}
		return "mended", nil
	}), turnstiletest.AllowStuck())
	run := turnstiletest.Start(env, fulfil, 0)
	env.Run()
	if d := run.Describe(); d.Status != client.StatusStuck || d.Problem == nil || d.Problem.Kind != "panic" {
		t.Fatalf("it is %+v", d)
	}
	broken = false
	env.Advance(2 * time.Minute)
	if got, err := run.Wait(); got != "mended" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

func TestOtherInstancesContinueWhileOneIsStuck(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		if n == 0 {
			panic("broken")
		}
		return "well", turnstile.Sleep(ctx, 30*time.Hour)
	}), turnstiletest.AllowStuck())
	turnstiletest.Start(env, fulfil, 0)
	run := turnstiletest.Start(env, fulfil, 1)
	if got, err := run.Wait(); got != "well" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	called := false
	env.After(time.Hour, func() { called = true })
	env.Run()
	if !called {
		t.Error("what was to be done in an hour was not done")
	}
}

func TestAnApplicationThatCannotRunFailsTheTest(t *testing.T) {
	t.Parallel()
	twice := charge.Implement(nil)
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.New(ft, turnstile.NewApp(twice)) }), "has no implementation")
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.New(ft, nil) }), "NewApp")
}

func TestRunInsideACallbackOrAfterTheEndIsAnError(t *testing.T) {
	t.Parallel()
	text := failure(t, func(ft turnstiletest.T) {
		env := turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) { return "", nil }))
		env.After(time.Hour, func() { env.Run() })
		env.Run()
	})
	mentions(t, text, "Run inside a function given to After")
	var env *turnstiletest.Env
	attempt(func(ft turnstiletest.T) {
		env = turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) { return "", nil }))
	})
	func() {
		defer func() { _ = recover() }()
		env.Run()
		t.Error("it ran after its end")
	}()
}

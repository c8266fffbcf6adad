package turnstiletest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestAPlainRunFailsForCodeThatIsNotTheSameTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code func() func(turnstile.Context, int) (string, error)
		want []string
	}{
		"a captured counter as an input": {func() func(turnstile.Context, int) (string, error) {
			n := 0
			return func(ctx turnstile.Context, _ int) (string, error) {
				n++
				return charge.Call(ctx, n)
			}
		}, []string{"stuck", "nondeterminism", "input 1", "input 2", "cold_test.go:"}},
		"a captured counter as an output": {func() func(turnstile.Context, int) (string, error) {
			n := 0
			return func(turnstile.Context, int) (string, error) {
				n++
				return fmt.Sprint(n), nil
			}
		}, []string{"has ended, but its code does not do the same again", `OrchestrationCompleted(output "1")`, `OrchestrationCompleted(output "2")`}},
		"the time of day": {func() func(turnstile.Context, int) (string, error) {
			return func(ctx turnstile.Context, _ int) (string, error) {
				if err := turnstile.Sleep(ctx, time.Hour); err != nil {
					return "", err
				}
				return fmt.Sprint(time.Now().UnixNano()), nil
			}
		}, []string{"does not do the same again"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(options ...turnstiletest.Option) func(turnstiletest.T) {
				return func(ft turnstiletest.T) {
					env := turnstiletest.New(ft, flow(c.code()), options...)
					turnstiletest.On(env, charge).Return("receipt", nil)
					_, _ = turnstiletest.Start(env, fulfil, 7).Wait()
				}
			}
			mentions(t, failure(t, run()), c.want...)
			mentions(t, failure(t, run(turnstiletest.Cold(true))), c.want...)
			if r := attempt(run(turnstiletest.Cold(false))); len(r.texts) != 0 {
				t.Errorf("warm it failed too: %v", r.texts)
			}
		})
	}
}

func TestRunReplaysWhatHasEndedToo(t *testing.T) {
	t.Parallel()
	test := func(ft turnstiletest.T) {
		n := 0
		env := turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) {
			n++
			return fmt.Sprint(n), nil
		}))
		turnstiletest.Start(env, fulfil, 7, client.InstanceID("mine"))
		env.Run()
		env.Run()
	}
	if r := attempt(test); len(r.texts) != 1 {
		t.Errorf("it failed %d times, want once: %v", len(r.texts), r.texts)
	}
	mentions(t, failure(t, test), `Run: instance "mine" has ended, but`)
}

// What ended did so with the code of before.
func TestADeploymentMayChangeTheCodeOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(turnstile.Context, int) (string, error) { return "old", nil }))
	run := turnstiletest.Start(env, fulfil, 7)
	env.WaitFor(turnstiletest.Blocked())
	env.Deploy(flow(func(turnstile.Context, int) (string, error) { return "new", nil }))
	if got, err := run.Wait(); got != "old" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

func TestADrillRunsWarmAndColdUnlessItIsToldHow(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		turns := 0 // in which the code begins anew
		app := flow(func(ctx turnstile.Context, n int) (string, error) {
			turns++
			return charge.Call(ctx, n)
		})
		runs := turnstiletest.Drill(t, app, func(env *turnstiletest.Env) {
			turns = 0
			turnstiletest.On(env, charge).Return("receipt", nil)
			if _, err := turnstiletest.Start(env, fulfil, 7).Wait(); err != nil {
				t.Error(err)
			}
			if cold && turns < 2 {
				t.Errorf("the code began %d times, want once for each turn", turns)
			}
		}, turnstiletest.Cold(cold))
		if runs.Runs < 4 {
			t.Errorf("%d runs", runs.Runs)
		}
	}
}

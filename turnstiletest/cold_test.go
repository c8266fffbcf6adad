package turnstiletest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestANormalRunDetectsNondeterministicCode(t *testing.T) {
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
		}, []string{"has ended, but its code does not repeat the same operations", `OrchestrationCompleted(output "1")`, `OrchestrationCompleted(output "2")`}},
		"the time of day": {func() func(turnstile.Context, int) (string, error) {
			return func(ctx turnstile.Context, _ int) (string, error) {
				if err := turnstile.Sleep(ctx, time.Hour); err != nil {
					return "", err
				}
				return fmt.Sprint(time.Now().UnixNano()), nil
			}
		}, []string{"does not repeat the same operations"}},
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
			if r := attempt(run(turnstiletest.KeepWarm())); len(r.texts) != 0 {
				t.Errorf("warm it failed too: %v", r.texts)
			}
		})
	}
}

func TestRunReplaysEndedInstancesToo(t *testing.T) {
	t.Parallel()
	test := func(ft turnstiletest.T) {
		n := 0
		env := turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) {
			n++
			return fmt.Sprint(n), nil
		}))
		turnstiletest.Start(env, fulfil, 7, client.WithInstanceID("mine"))
		env.Run()
		env.Run()
	}
	if r := attempt(test); len(r.texts) != 1 {
		t.Errorf("it failed %d times, want once: %v", len(r.texts), r.texts)
	}
	mentions(t, failure(t, test), `Run: instance "mine" has ended, but`)
}

// The instance ended with the previous code.
func TestADeploymentMayChangeTheCodeOfEndedInstances(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(turnstile.Context, int) (string, error) { return "old", nil }))
	run := turnstiletest.Start(env, fulfil, 7)
	env.RunUntil(turnstiletest.Idle())
	env.Deploy(flow(func(turnstile.Context, int) (string, error) { return "new", nil }))
	if got, err := run.Wait(); got != "old" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

func TestACrashTestRunsWarmAndOnceCold(t *testing.T) {
	t.Parallel()
	turns, cold := 0, []int{} // how often the code starts in a run, and the runs that start it more than once
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		turns++
		return charge.Call(ctx, n)
	})
	run := 0
	turnstiletest.CrashTest(t, app, func(env *turnstiletest.Env) {
		run++
		turns = 0
		turnstiletest.On(env, charge).Return("receipt", nil)
		if _, err := turnstiletest.Start(env, fulfil, 7).Wait(); err != nil {
			t.Error(err)
		}
		if turns > 1 {
			cold = append(cold, run)
		}
	}, turnstiletest.WithMaxRuns(4))
	// A message that is delivered twice may also start it again.
	if slices.Contains(cold, 1) || slices.Contains(cold, 2) || !slices.Contains(cold, 3) {
		t.Errorf("runs %v began the code anew, want run 3 and neither 1 nor 2", cold)
	}
}

package turnstiletest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestRunUntilStopsAtTheMilestone(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[string, string]("Child")
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		receipt, err := charge.Call(ctx, n)
		if err != nil {
			return "", err
		}
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return "", err
		}
		return child.With(turnstile.InstanceID("child")).Call(ctx, receipt)
	}, child.Implement(func(ctx turnstile.Context, _ string) (string, error) { return approved.Wait(ctx) })))
	startedAt := false
	turnstiletest.On(env, charge).Do(func(context.Context, int) (string, error) {
		startedAt = true
		return "r-1", nil
	})
	run := turnstiletest.Start(env, fulfil, 7)

	if instance := env.RunUntil(turnstiletest.ActivityStarted(charge)); instance != run.Instance || startedAt {
		t.Errorf("the activity of %s has begun: %t", instance, startedAt)
	}
	run.AssertHistory("Started Act(Charge)")
	env.RunUntil(turnstiletest.Idle())
	run.AssertHistory("Started Act(Charge) Done←2 Timer(1h0m0s)")
	env.RunUntil(turnstiletest.OrchestrationStarted(child))
	// Milestones since the last RunUntil count: the wait was recorded in the same turn.
	if instance := env.RunUntil(turnstiletest.EventAwaited(approved)); instance != "child" {
		t.Errorf("%s waits for the event", instance)
	}
	turnstiletest.Raise(env, approved, "child", "Grace")
	if got, err := run.Wait(); got != "Grace" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

// The label distinguishes timers of the same duration.
func TestRunUntilStopsAtALabel(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		pay := turnstile.Go(ctx.WithLabel("payment"), func(ctx turnstile.Context) (string, error) {
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return "", turnstile.Sleep(ctx.WithLabel("grace period"), time.Hour)
		})
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return "", err
		}
		if _, err := pay.Await(ctx); err != nil {
			return "", err
		}
		return approved.Wait(ctx.WithLabel("second approval"))
	}))
	startedAt := env.Now()
	run := turnstiletest.Start(env, fulfil, 7)
	env.RunUntil(turnstiletest.TimerCreatedFor(time.Hour).WithLabel("payment / grace period"))
	if after := env.Now().Sub(startedAt); after != time.Hour {
		t.Errorf("the timer is there after %s", after)
	}
	env.RunUntil(turnstiletest.EventAwaited(approved).WithLabel("second approval"))
	turnstiletest.Raise(env, approved, run.Instance, "Grace")
	if got, err := run.Wait(); got != "Grace" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

func TestK05ACancelWhileTheActivityIsUnderWay(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }))
	m := turnstiletest.On(env, charge).Return("r-1", nil).After(time.Minute)
	run := turnstiletest.Start(env, fulfil, 7)
	env.RunUntil(turnstiletest.ActivityStarted(charge))
	run.Cancel("enough")
	if _, err := run.Wait(); !errors.Is(err, turnstile.ErrCancelled) || m.Calls() != 0 {
		t.Errorf("it ended with %v, the activity was called %d times", err, m.Calls())
	}
	env.Run()
	if m.Calls() != 1 {
		t.Errorf("the activity was called %d times in the end", m.Calls())
	}
}

func TestAMilestoneThatIsNeverReachedFailsTheTest(t *testing.T) {
	t.Parallel()
	text := failure(t, func(ft turnstiletest.T) {
		env := turnstiletest.New(ft, flow(func(ctx turnstile.Context, _ int) (string, error) {
			return "", turnstile.Sleep(ctx, time.Hour)
		}))
		turnstiletest.Start(env, fulfil, 7)
		env.RunUntil(turnstiletest.TimerCreated())
		env.RunUntil(turnstiletest.TimerCreatedFor(time.Minute))
	})
	mentions(t, text, "a timer of 1m0s is created", "(Fulfil) is completed")
}

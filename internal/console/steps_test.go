package console_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Over many instances, durations stand by activity, child, timer and wait, with failures and retries. What a redrive has
// taken over is counted where it ran.
func TestTheTimeSpentIsListedByStep(t *testing.T) {
	t.Parallel()
	order, ship := turnstile.NewOrchestration[int, string]("Order"), turnstile.NewOrchestration[int, string]("Ship")
	quick, flaky, broken := turnstile.NewActivity[int, int]("quick"), turnstile.NewActivity[int, int]("flaky"), turnstile.NewActivity[int, int]("broken")
	retries := turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: 10 * time.Second, BackoffCoefficient: 1})
	approved := turnstile.NewEvent[string]("approved")
	tries := map[int]int{}
	healed := false
	app := turnstile.NewApp(
		order.Implement(func(ctx turnstile.Context, n int) (string, error) {
			if _, err := quick.Call(ctx, n); err != nil {
				return "", err
			}
			if _, err := flaky.With(retries).Call(ctx, n); err != nil {
				return "", err
			}
			if _, err := approved.Wait(ctx); err != nil {
				return "", err
			}
			if n == 3 {
				if _, err := broken.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 1})).Call(ctx, n); err != nil {
					return "", err
				}
			}
			return ship.Call(ctx, n)
		}),
		ship.Implement(func(ctx turnstile.Context, _ int) (string, error) {
			return "", turnstile.Sleep(ctx.WithLabel("transport"), 2*time.Hour)
		}),
		quick.Implement(func(_ context.Context, n int) (int, error) { return n, nil }),
		flaky.Implement(func(_ context.Context, n int) (int, error) {
			if tries[n]++; tries[n] < 3 {
				return 0, errors.New("not now")
			}
			return n, nil
		}),
		broken.Implement(func(_ context.Context, n int) (int, error) {
			if healed {
				return n, nil
			}
			return 0, errors.New("broken")
		}),
	)
	env := turnstiletest.New(t, app, turnstiletest.AllowStuck())
	for n := 1; n <= 3; n++ {
		id := []string{"", "o-1", "o-2", "o-3"}[n]
		turnstiletest.Start(env, order, n, client.WithInstanceID(id))
		env.After(time.Hour, func() { turnstiletest.Raise(env, approved, id, "ada") })
	}
	env.Run()
	h, err := console.Handler(env.Client(), console.WithClock(env.Now))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, h: h}
	look := func() (l api.StepList, of map[string]api.Step) {
		t.Helper()
		l = get[api.StepList](b, "steps?name=Order&from="+env.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339))
		of = map[string]api.Step{}
		for _, s := range l.Steps {
			of[string(s.Kind)+" "+s.Name] = s
		}
		return l, of
	}
	l, of := look()
	if l.Started != 3 || l.Histories != 3 || l.More || len(l.Steps) != 5 || l.Dollars <= 0 || l.Dollars > 0.00001 {
		t.Errorf("the steps are %+v", l)
	}
	flakyStep, ships := of["activity flaky"], of["child Ship"]
	if s := flakyStep; s.Retries != 6 || s.Failed != 0 || s.Took.Of != 3 || s.Took.P50MS < 20_000 || s.Took.P50MS > 25_000 {
		t.Errorf("flaky has %+v %+v", s, s.Took)
	}
	if s := of["activity broken"]; s.Failed != 1 || s.Retries != 0 || s.Took.Of != 1 {
		t.Errorf("broken has %+v", s)
	}
	if s := of["wait approved"]; s.Took.Of != 3 || s.Took.MaxMS < 3_500_000 || s.Took.MaxMS > 3_600_000 {
		t.Errorf("the wait has %+v %+v", s, s.Took)
	}
	if s := ships; s.Took.Of != 2 || s.Took.P99MS < 7_200_000 || l.Steps[0].Name != "Ship" || s.Share < 0.4 || s.Share > 0.6 {
		t.Errorf("the child has %+v %+v, and the first is %s", s, s.Took, l.Steps[0].Name)
	}
	if _, of := look(); of["timer transport"].Kind != "" {
		t.Error("the timer of a child is counted with its parent")
	}
	child := get[api.StepList](b, "steps?name=Ship&from="+env.Now().Add(-24*time.Hour).UTC().Format(time.RFC3339))
	if len(child.Steps) != 1 || child.Steps[0].Kind != "timer" || child.Steps[0].Name != "transport" || child.Steps[0].Took.P50MS != 7_200_000 {
		t.Errorf("the steps of the child are %+v", child.Steps)
	}

	// What a redrive takes over did not run in it: the median of flaky stays as it is.
	healed = true
	if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: "o-3"}); err != nil {
		t.Fatal(err)
	}
	env.Run()
	_, of = look()
	if s := of["activity flaky"]; s.Took.Of != 2 || s.Took.P50MS < 20_000 {
		t.Errorf("after a redrive flaky has %+v %+v", s, s.Took)
	}
	if s, is := of["activity broken"]; is {
		t.Errorf("after a redrive broken, which was asked for before it, has %+v", s)
	}
	b.do("GET", "api/v1/steps", nil).fails(api.CodeInvalid, "name is missing")
}

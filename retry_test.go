package turnstile_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func policy(p turnstile.RetryPolicy) turnstile.Option { return turnstile.Retry(p) }

func TestInvalidOptionsAreRejectedWhereTheyAreDeclared(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, c := range map[string]struct {
		option turnstile.ActivityOption
		// wrong are the arguments that the error must name; none if the option is valid.
		wrong string
	}{
		"attempts below zero":              {policy(turnstile.RetryPolicy{MaxAttempts: -1}), "MaxAttempts is -1"},
		"attempts beyond counting":         {policy(turnstile.RetryPolicy{MaxAttempts: math.MaxInt}), "MaxAttempts"},
		"no attempts, which are one":       {policy(turnstile.RetryPolicy{}), ""},
		"a jitter of seven":                {policy(turnstile.RetryPolicy{MaxAttempts: 2, Jitter: 7}), "Jitter is 7"},
		"a jitter below zero":              {policy(turnstile.RetryPolicy{Jitter: -0.1}), "Jitter"},
		"a jitter that is no number":       {policy(turnstile.RetryPolicy{Jitter: math.NaN()}), "Jitter"},
		"a jitter of all":                  {policy(turnstile.RetryPolicy{Jitter: 1}), ""},
		"a negative interval":              {policy(turnstile.RetryPolicy{InitialInterval: -1}), "InitialInterval is -1ns"},
		"a negative longest interval":      {policy(turnstile.RetryPolicy{MaxInterval: -minute}), "MaxInterval"},
		"intervals the wrong way round":    {policy(turnstile.RetryPolicy{InitialInterval: minute, MaxInterval: time.Second}), "MaxInterval is 1s"},
		"a longest interval alone":         {policy(turnstile.RetryPolicy{MaxAttempts: 2, MaxInterval: time.Millisecond}), ""},
		"an interval of three centuries":   {policy(turnstile.RetryPolicy{InitialInterval: math.MaxInt64}), "InitialInterval"},
		"delays that shrink":               {policy(turnstile.RetryPolicy{BackoffCoefficient: 0.5}), "BackoffCoefficient is 0.5"},
		"a coefficient that is no number":  {policy(turnstile.RetryPolicy{BackoffCoefficient: math.NaN()}), "BackoffCoefficient"},
		"a coefficient without end":        {policy(turnstile.RetryPolicy{BackoffCoefficient: math.Inf(1)}), "BackoffCoefficient"},
		"the same delay each time":         {policy(turnstile.RetryPolicy{BackoffCoefficient: 1}), ""},
		"an empty final code":              {policy(turnstile.RetryPolicy{NonRetryableCodes: []string{"declined", ""}}), "NonRetryableCodes"},
		"a negative timeout of an attempt": {turnstile.AttemptTimeout(-minute), "AttemptTimeout: the duration is -1m0s"},
		"a negative timeout of them all":   {turnstile.TotalTimeout(-minute), "TotalTimeout"},
		"a negative timeout of heartbeats": {turnstile.HeartbeatTimeout(-minute), "HeartbeatTimeout"},
		"a timeout of more than a century": {turnstile.TotalTimeout(turnstile.MaxTimer + 1), "TotalTimeout"},
		"a timeout of a century":           {turnstile.TotalTimeout(turnstile.MaxTimer), ""},
		"no timeout":                       {turnstile.AttemptTimeout(0), ""},
		"a commit every less than nothing": {turnstile.CommitEvery(-2), "CommitEvery: the number is -2"},
		"no option":                        {nil, "option is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			declared := double.With(c.option)
			err := turnstile.NewApp(declared.Implement(doubled)).Err()
			if c.wrong == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, typed := errors.AsType[*turnstile.InvalidArgumentError](err); !typed {
				t.Fatalf("the application has the error %v", err)
			}
			for _, want := range []string{`activity "Double": `, c.wrong, "(at ", "(registered at ", "retry_test.go:"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not have %q: %v", want, err)
				}
			}
			// A process that only calls the activity finds the problem at the call: nothing is
			// recorded.
			kinds, err := outcome(t, func(ctx turnstile.Context) error {
				_, called := declared.Call(ctx, 1)
				if _, inline := declared.Inline(ctx, 1); inline == nil || inline.Error() != called.Error() {
					return differ("Call gave %v, Inline %v", called, inline)
				}
				return called
			})
			if err == nil || !strings.Contains(err.Error(), c.wrong) || len(kinds) != 2 {
				t.Errorf("a call gave %v, and recorded %v", err, kinds)
			}
		})
	}
}

func TestInvalidOptionsOfOrchestrationsAreRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option turnstile.OrchestrationOption
		wrong  string
	}{
		"a negative timeout":               {turnstile.RunTimeout(-time.Second), "RunTimeout: the duration is -1s"},
		"a timeout of more than a century": {turnstile.RunTimeout(math.MaxInt64), "RunTimeout"},
		"a retry policy":                   {policy(turnstile.RetryPolicy{MaxAttempts: -1}), "MaxAttempts is -1"},
		"no option":                        {nil, "option is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := turnstile.NewOrchestration[int, int]("Child").With(c.option)
			err := turnstile.NewApp(child.Implement(calculated)).Err()
			if err == nil || !strings.Contains(err.Error(), c.wrong) || !strings.Contains(err.Error(), `orchestration "Child"`) {
				t.Errorf("the application has the error %v", err)
			}
			kinds, err := outcome(t, func(ctx turnstile.Context) error {
				_, called := child.Call(ctx, 1)
				if _, detached := child.StartDetached(ctx, 1); detached == nil || detached.Error() != called.Error() {
					return differ("Call gave %v, StartDetached %v", called, detached)
				}
				return called
			})
			if err == nil || !strings.Contains(err.Error(), c.wrong) || len(kinds) != 2 {
				t.Errorf("a call gave %v, and recorded %v", err, kinds)
			}
		})
	}
}

func TestAnApplicationNamesEachOfSeveralMistakesOfOneDeclaration(t *testing.T) {
	t.Parallel()
	err := turnstile.NewApp(
		double.With(policy(turnstile.RetryPolicy{MaxAttempts: -1, Jitter: 7, BackoffCoefficient: -2}), turnstile.AttemptTimeout(-1)).Implement(doubled),
		calculate.Implement(calculated), calculate.Implement(calculated),
		turnstile.NewOrchestration[int, int]("NoCode").Implement(nil),
		odd.Implement(oddOnly), odd.Implement(oddOnly),
		turnstile.NewActivity[int, int]("NoBody").Implement(nil),
	).Err()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, want := range []string{"MaxAttempts is -1", "Jitter is 7", "BackoffCoefficient is -2", "AttemptTimeout", `"Calculate" version "" is registered twice`, `"NoCode" registered at`,
		`"Odd" is registered twice`, `"NoBody" registered at`} {
		n := 0
		for _, l := range lines {
			if strings.Contains(l, want) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d lines have %q, want one", n, want)
		}
	}
	if len(lines) != 8 {
		t.Errorf("%d lines, want one for each mistake:\n%v", len(lines), err)
	}
}

func TestARetryPolicyWithoutAnIntervalBacksOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy           turnstile.RetryPolicy
		initial, longest int64
	}{
		"no interval":             {turnstile.RetryPolicy{MaxAttempts: 5}, 1000, 60_000},
		"a longest alone":         {turnstile.RetryPolicy{MaxAttempts: 5, MaxInterval: time.Hour}, 1000, 3_600_000},
		"an interval of its own":  {turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Millisecond}, 1, 0},
		"one attempt, no retries": {turnstile.RetryPolicy{MaxAttempts: 1}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t, double.Implement(doubled), calculate.Implement(func(ctx turnstile.Context, n int) (int, error) {
				return double.With(policy(c.policy)).Call(ctx, n)
			}))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1))
			ok[int](t)(run.Wait(e.ctx))
			for _, ev := range e.history(run.Instance) {
				if ev.Kind == history.ActivityScheduled && (ev.Retry.InitialMS != c.initial || ev.Retry.MaxMS != c.longest) {
					t.Errorf("the history has the intervals %d and %d ms, want %d and %d", ev.Retry.InitialMS, ev.Retry.MaxMS, c.initial, c.longest)
				}
			}
		})
	}
}

func TestAPolicyWithoutAnIntervalDelaysRetries(t *testing.T) {
	t.Parallel()
	var at []time.Time
	var e *env
	flaky := turnstile.NewActivity[int, int]("Flaky").With(policy(turnstile.RetryPolicy{MaxAttempts: 9}))
	e = start(t,
		flaky.Implement(func(context.Context, int) (int, error) {
			at = append(at, e.Now())
			return 0, errors.New("not yet")
		}),
		calculate.Implement(func(ctx turnstile.Context, n int) (int, error) { return flaky.Call(ctx, n) }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	if len(at) != len(want)+1 {
		t.Fatalf("%d attempts", len(at))
	}
	for i, seconds := range want {
		if got := at[i+1].Sub(at[i]).Round(time.Second); got != seconds*time.Second {
			t.Errorf("attempt %d came after %s, want %ds", i+2, got, seconds)
		}
	}
}

package turnstiletest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestA03AMockFailsTwiceAndThenAnswers(t *testing.T) {
	t.Parallel()
	retried := charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Hour, BackoffCoefficient: 1, Jitter: 0.5}))
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return retried.Call(ctx, n) }))
	busy := turnstiletest.On(env, charge).Return("", errBusy).Times(2)
	answers := turnstiletest.On(env, charge).Do(func(ctx context.Context, n int) (string, error) {
		return fmt.Sprintf("%d on attempt %d", n, turnstile.ActivityInfo(ctx).Number), nil
	})
	startedAt := env.Now()
	run := turnstiletest.Start(env, fulfil, 7)
	if got, err := run.Wait(); got != "7 on attempt 3" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	if busy.Calls() != 2 || !slices.Equal(answers.Inputs(), []int{7}) {
		t.Errorf("the mocks answered %d and %v", busy.Calls(), answers.Inputs())
	}
	run.AssertHistory("Started Act(Charge) Done←2 Completed")
	// Jitter is always half of its maximum.
	if passed := env.Now().Sub(startedAt); passed != 90*time.Minute {
		t.Errorf("the two delays were %s", passed)
	}
}

func TestA04AMocksErrorIsFinalAsTheImplementationsWouldBe(t *testing.T) {
	t.Parallel()
	retried := charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}))
	env := turnstiletest.New(t, flow(
		func(ctx turnstile.Context, n int) (string, error) { return retried.Call(ctx, n) },
		charge.Implement(func(context.Context, int) (string, error) { return "", nil }, turnstile.NonRetryableErrors(errBusy))))
	m := turnstiletest.On(env, charge).Return("", errBusy)
	if _, err := turnstiletest.Start(env, fulfil, 7).Wait(); err == nil || m.Calls() != 1 {
		t.Errorf("it ended with %v after %d calls", err, m.Calls())
	}
}

func TestTheFirstMatchingMockAnswersOrElseTheImplementation(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, _ int) (string, error) {
		var all string
		for n := range 4 {
			s, err := charge.Call(ctx, n)
			if err != nil {
				return "", err
			}
			all += s + " "
		}
		return all, nil
	}, charge.Implement(func(_ context.Context, n int) (string, error) { return fmt.Sprint("own", n), nil })))
	turnstiletest.On(env, charge).Match(func(n int) bool { return n%2 == 1 }).Return("odd", nil).Once()
	turnstiletest.On(env, charge).Match(func(n int) bool { return n == 2 }).Return("two", nil)
	if got, err := turnstiletest.Start(env, fulfil, 0).Wait(); got != "own0 odd two own3 " || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
}

func TestAnUnmockedActivityFailsTheTestImmediately(t *testing.T) {
	t.Parallel()
	call := flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) })
	inline := flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Inline(ctx, n) })
	for name, c := range map[string]struct {
		app  *turnstile.App
		mock func(*turnstiletest.Env)
		want []string
	}{
		"no mock and no implementation": {call, nil, []string{`activity "Charge"`, "has no mock", "turnstiletest.On", `instance "00`}},
		"the same of an inline one":     {inline, nil, []string{`activity "Charge"`, "has no mock", "turnstiletest.On"}},
		"no mock that fits": {call, func(env *turnstiletest.Env) {
			turnstiletest.On(env, charge).Match(func(n int) bool { return n > 100 }).Return("", nil)
			turnstiletest.On(env, charge).Return("", errBusy).Times(1)
		}, []string{`activity "Charge"`, "input is 7", "mock_test.go:", "Match rejects", "answered its 1 calls"}},
		"a mock without an answer": {call, func(env *turnstiletest.Env) { turnstiletest.On(env, charge).Times(2) },
			[]string{`activity "Charge"`, "mock_test.go:", "Return or Do"}},
		"mocks of different types": {call, func(env *turnstiletest.Env) {
			turnstiletest.On(env, charge)
			turnstiletest.On(env, turnstile.NewActivity[string, int]("Charge"))
		}, []string{`activity "Charge"`, "different types"}},
		"an invalid declaration": {call, func(env *turnstiletest.Env) {
			turnstiletest.On(env, turnstile.Activity[int, int]{})
		}, []string{"cannot be mocked", "empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := failure(t, func(ft turnstiletest.T) {
				env := turnstiletest.New(ft, c.app)
				if c.mock != nil {
					c.mock(env)
				}
				run := turnstiletest.Start(env, fulfil, 7)
				for range 2 {
					// The second start exhausts the mock that answers once.
					_, err := run.Wait()
					if !errors.Is(err, turnstile.ErrCancelled) {
						run = turnstiletest.Start(env, fulfil, 7)
					}
				}
			})
			mentions(t, text, c.want...)
		})
	}
}

func TestA12AMockHandsOutItsTokenAndIsCompletedLater(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }))
	turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
		token := turnstile.ActivityInfo(ctx).CompletionToken
		env.After(72*time.Hour, func() {
			if err := client.Complete(t.Context(), env.Client(), charge, token, "by hand"); err != nil {
				t.Error(err)
			}
		})
		return "", turnstile.ErrPending
	})
	run := turnstiletest.Start(env, fulfil, 0)
	if got, err := run.Wait(); got != "by hand" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	run.AssertHistory("Started Act(Charge) Done←2 Completed")
}

func TestA07APanicIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) })
	env := turnstiletest.New(t, app)
	turnstiletest.On(env, charge).Do(func(context.Context, int) (string, error) { panic("kaboom") })
	_, err := turnstiletest.Start(env, fulfil, 0).Wait()
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindPanic {
		t.Errorf("it ended with %v", err)
	} else {
		mentions(t, failed.Message+failed.Stack, "kaboom", "mock_test.go:")
	}
}

// t.FailNow ends its goroutine, which is not the goroutine of the test.
func TestA07AnActivityThatEndsItsGoroutineIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	retried := charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3}))
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return retried.Call(ctx, n) }))
	attempts := 0
	turnstiletest.On(env, charge).Do(func(context.Context, int) (string, error) {
		if attempts++; attempts < 3 {
			runtime.Goexit()
		}
		return "done", nil
	})
	if got, err := turnstiletest.Start(env, fulfil, 0).Wait(); got != "done" || err != nil || attempts != 3 {
		t.Errorf("it ended with %q, %v after %d attempts", got, err, attempts)
	}
	env = turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }))
	turnstiletest.On(env, charge).Do(func(context.Context, int) (string, error) {
		runtime.Goexit()
		return "", nil
	})
	_, err := turnstiletest.Start(env, fulfil, 0).Wait()
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindPanic || !strings.Contains(failed.Message, `activity "Charge" ended its goroutine`) {
		t.Errorf("it ended with %v", err)
	}
}

func TestSleepOutsideOfAnEnvironmentIsAnError(t *testing.T) {
	t.Parallel()
	if err := turnstiletest.Sleep(t.Context(), time.Second); err == nil {
		t.Error("Sleep returned no error")
	}
}

func TestSleepInTwoGoroutinesOfAnAttemptIsAnError(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) }))
	turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
		other := make(chan error)
		go func() { other <- turnstiletest.Sleep(ctx, time.Minute) }()
		err := errors.Join(turnstiletest.Sleep(ctx, time.Minute), <-other)
		if err == nil {
			return "one behind the other", nil
		}
		return err.Error(), nil
	})
	got, err := turnstiletest.Start(env, fulfil, 0).Wait()
	if err != nil {
		t.Error(err)
	}
	if got != "one behind the other" {
		mentions(t, got, "another goroutine")
	}
}

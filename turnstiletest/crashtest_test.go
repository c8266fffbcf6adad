package turnstiletest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var retried = charge.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Minute}))

// scenario is something to crash test.
type scenario struct {
	code  func(turnstile.Context, int) (string, error)
	parts []turnstile.Component
	mock  func(*turnstiletest.Env)
	later func(*turnstiletest.Env, *turnstiletest.Run[string])
	want  string
}

func (s *scenario) run(t turnstiletest.T) func(*turnstiletest.Env) {
	return func(env *turnstiletest.Env) {
		if s.mock != nil {
			s.mock(env)
		}
		run := turnstiletest.Start(env, fulfil, 3, client.WithInstanceID("main"))
		if s.later != nil {
			env.After(time.Hour, func() { s.later(env, run) })
		}
		if got, err := run.Wait(); got != s.want || err != nil {
			t.Errorf("it ended with %q, %v, want %q", got, err, s.want)
		}
	}
}

func scenarios() map[string]*scenario {
	child := turnstile.NewOrchestration[int, string]("Child")
	numbers := func(env *turnstiletest.Env) {
		turnstiletest.On(env, charge).Do(func(_ context.Context, n int) (string, error) { return fmt.Sprint("r-", n), nil })
	}
	chain := func(ctx turnstile.Context, n int) (string, error) {
		var all string
		for i := range n {
			s, err := charge.Call(ctx, i)
			if err != nil {
				return "", err
			}
			all += s + " "
		}
		return all, nil
	}
	return map[string]*scenario{
		"R-01 A-01 a chain": {code: chain, mock: numbers, want: "r-0 r-1 r-2 "},
		"F-01 F-03 a fan-out, with a race against a timer": {code: func(ctx turnstile.Context, n int) (string, error) {
			all, err := turnstile.Map(ctx, []int{1, 2, 3, 4, 5}, 3, charge.Call)
			if err != nil {
				return "", err
			}
			first, err := turnstile.Select(ctx, ship.Start(ctx, "x"), turnstile.After(ctx, time.Minute))
			return fmt.Sprint(all, first), err
		}, mock: func(env *turnstiletest.Env) {
			turnstiletest.On(env, charge).Do(func(ctx context.Context, n int) (string, error) {
				return fmt.Sprint(n), turnstiletest.Sleep(ctx, time.Duration(6-n)*time.Second)
			})
			turnstiletest.On(env, ship).Return("late", nil).After(2 * time.Minute)
		}, want: "[1 2 3 4 5] 1"},
		"A-03 A-06 retries after a failure and a timeout": {code: func(ctx turnstile.Context, n int) (string, error) {
			return retried.With(turnstile.AttemptTimeout(10*time.Second)).Call(ctx, n)
		}, mock: func(env *turnstiletest.Env) {
			turnstiletest.On(env, charge).Return("", errBusy).Once()
			turnstiletest.On(env, charge).Return("late", nil).After(time.Hour).Once()
			turnstiletest.On(env, charge).Return("r-3", nil)
		}, want: "r-3"},
		"A-14 inline activities": {code: func(ctx turnstile.Context, n int) (string, error) {
			var all string
			for i := range n {
				s, err := charge.Inline(ctx, i)
				if err != nil {
					return "", err
				}
				all += s
			}
			s, err := charge.Call(ctx, 9)
			return all + s, err
		}, mock: numbers, want: "r-0r-1r-2r-9"},
		"T-01 E-01 E-02 timers and events": {code: func(ctx turnstile.Context, n int) (string, error) {
			if err := turnstile.Sleep(ctx, 90*time.Minute); err != nil {
				return "", err
			}
			first, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			_, err = approved.WaitTimeout(ctx, 2*time.Hour)
			return fmt.Sprint(first, errors.Is(err, turnstile.ErrTimeout)), nil
		}, later: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, run.Instance, "Grace ")
		}, want: "Grace true"},
		"K-02 a cancel, and what is cleaned up": {code: func(ctx turnstile.Context, n int) (string, error) {
			if _, err := approved.Wait(ctx); !errors.Is(err, turnstile.ErrCancelled) {
				return "", err
			}
			return charge.Call(turnstile.WithoutCancel(ctx), n)
		}, mock: numbers, later: func(_ *turnstiletest.Env, run *turnstiletest.Run[string]) { run.Cancel("enough") }, want: "r-3"},
		"N-01 P-01 children, one that continues as new, and a detached one": {code: func(ctx turnstile.Context, n int) (string, error) {
			if _, err := child.With(turnstile.InstanceID("apart")).StartDetached(ctx, 0); err != nil {
				return "", err
			}
			return child.Call(ctx, n)
		}, parts: []turnstile.Component{child.Implement(func(ctx turnstile.Context, n int) (string, error) {
			if n > 0 {
				return "", child.ContinueAsNew(ctx, n-1)
			}
			return charge.Call(ctx, n)
		})}, mock: numbers, want: "r-0"},
		"R-12 what is recorded once": {code: func(ctx turnstile.Context, n int) (string, error) {
			id := turnstile.UUID(ctx)
			turnstile.Now(ctx)
			random := turnstile.Random(ctx)
			if _, err := ship.Call(ctx, id); err != nil {
				return "", err
			}
			return charge.Call(ctx, random.IntN(1000)*0+n)
		}, parts: []turnstile.Component{ship.Implement(echo)}, mock: numbers, want: "r-3"},
		"V-04 a patch": {code: func(ctx turnstile.Context, n int) (string, error) {
			if turnstile.Patched(ctx, "double") {
				n *= 2
			}
			return charge.Call(ctx, n)
		}, mock: numbers, want: "r-6"},
	}
}

func TestCrashTestPassesForCorrectCode(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := turnstiletest.CrashTest(t, flow(s.code, s.parts...), s.run(t))
			if done.Runs != 4+2*done.Calls || done.Calls < 5 || done.Skipped != 0 {
				t.Errorf("it did %+v", done)
			}
		})
	}
}

func TestEveryRunHasTheSameBytes(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios() {
		for _, options := range [][]turnstiletest.Option{nil, {turnstiletest.WithRandomOrder(3)}} {
			t.Run(fmt.Sprint(name, ", shuffled ", options != nil), func(t *testing.T) {
				t.Parallel()
				export := func() string {
					env := turnstiletest.New(t, flow(s.code, s.parts...), options...)
					s.run(t)(env)
					return string(turnstiletest.Instance(env, fulfil, "main").Export())
				}
				if first, second := export(), export(); first != second {
					t.Errorf("it was\n%s\nand is\n%s", first, second)
				}
			})
		}
	}
}

func TestACrashTestSaysInWhichRunTheTestEndedItself(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	left := make(chan struct{})
	go func() {
		defer close(left)
		runs := 0
		turnstiletest.CrashTest(r, flow(func(turnstile.Context, int) (string, error) { return "", nil }), func(env *turnstiletest.Env) {
			if runs++; runs == 3 {
				runtime.Goexit() // as t.FailNow does
			}
			_, _ = turnstiletest.Start(env, fulfil, 1).Wait()
		})
	}()
	<-left
	mentions(t, strings.Join(r.logs, "\n"), "that was run 3, with every turn replayed")
}

func TestARandomOrderGivesTheSameOutcome(t *testing.T) {
	t.Parallel()
	for name, s := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(10) {
				s.run(t)(turnstiletest.New(t, flow(s.code, s.parts...), turnstiletest.WithRandomOrder(seed)))
			}
		})
	}
}

func TestCrashTestsAreBoundedByACount(t *testing.T) {
	t.Parallel()
	s := scenarios()["R-01 A-01 a chain"]
	done := turnstiletest.CrashTest(t, flow(s.code), s.run(t), turnstiletest.WithMaxRuns(10))
	if done.Runs != 10 || done.Skipped != 2*done.Calls-6 {
		t.Errorf("it did %+v", done)
	}
}

func TestARandomOrderCrashTestComparesOutcomes(t *testing.T) {
	t.Parallel()
	s := scenarios()["F-01 F-03 a fan-out, with a race against a timer"]
	turnstiletest.CrashTest(t, flow(s.code), s.run(t), turnstiletest.WithRandomOrder(7), turnstiletest.WithMaxRuns(100))
}

func TestCrashTestFindsWhatACrashBreaks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scenario func(t turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env))
		want     []string
	}{
		"an orchestration that is not deterministic": {func(ft turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			// The order of execution in this process.
			n := 0
			s := &scenario{code: func(ctx turnstile.Context, _ int) (string, error) {
				n++
				if _, err := charge.Call(ctx, n%2); err != nil {
					return "", err
				}
				return charge.Call(ctx, 7)
			}, mock: func(env *turnstiletest.Env) {
				n = 0
				turnstiletest.On(env, charge).Return("r", nil)
			}, want: "r"}
			return flow(s.code), s.run(ft)
		}, []string{"run 1, without a crash", "does not do what the history", "input 1", "input 0", "crashtest_test.go:"}},
		"an activity that is not idempotent": {func(ft turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			var sold int
			sell := charge.Implement(func(context.Context, int) (string, error) {
				sold++
				return fmt.Sprint("ticket ", sold), nil
			})
			app := flow(func(ctx turnstile.Context, n int) (string, error) {
				first, err := charge.Call(ctx, 1)
				if err != nil {
					return "", err
				}
				second, err := charge.Call(ctx, 2)
				return first + second, err
			}, sell)
			return app, func(env *turnstiletest.Env) {
				sold = 0
				_, _ = turnstiletest.Start(env, fulfil, 1).Wait()
			}
		}, []string{"differs from the first run", `- instance "00`, "ticket 1ticket 2", "every message delivered twice"}},
		"an activity that a crash behind its effect repeats": {func(ft turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			sold := map[int]bool{}
			app := flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, 1) },
				charge.Implement(func(ctx context.Context, n int) (string, error) {
					// It counts deliveries of the queue, which tells it nothing.
					if sold[n] && turnstile.ActivityInfo(ctx).Delivery > 1 {
						return "", turnstile.NonRetryable(errors.New("sold already"))
					}
					sold[n] = true
					return "ticket", nil
				}))
			return app, func(env *turnstiletest.Env) {
				clear(sold)
				_, _ = turnstiletest.Start(env, fulfil, 1).Wait()
			}
		}, []string{"with a crash before call", "(the worker sends ActivityCompleted of event 2", "sold already"}},
		"a scenario that is not deterministic": {func(ft turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			runs := 0
			app := flow(func(ctx turnstile.Context, n int) (string, error) { return fmt.Sprint(n), nil })
			return app, func(env *turnstiletest.Env) {
				runs++
				_, _ = turnstiletest.Start(env, fulfil, runs).Wait()
			}
		}, []string{"run 2, without a crash, a second time", "the scenario itself is not deterministic"}},
		"a scenario that does nothing": {func(turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			return flow(func(turnstile.Context, int) (string, error) { return "", nil }), func(*turnstiletest.Env) {}
		}, []string{"makes no call"}},
		"a scenario that is nil": {func(turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			return flow(func(turnstile.Context, int) (string, error) { return "", nil }), nil
		}, []string{"the scenario is nil"}},
		"what the scenario itself asserts": {func(ft turnstiletest.T) (*turnstile.App, func(*turnstiletest.Env)) {
			app := flow(func(ctx turnstile.Context, n int) (string, error) { return approved.Wait(ctx) })
			return app, func(env *turnstiletest.Env) { _, _ = turnstiletest.Start(env, fulfil, 1).Wait() }
		}, []string{"run 1, without a crash", "never ends"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mentions(t, failure(t, func(ft turnstiletest.T) {
				app, run := c.scenario(ft)
				turnstiletest.CrashTest(ft, app, run)
			}), c.want...)
		})
	}
}

func TestA16WhatRunsAtMostOnceIsInterruptedByACrashAndTheOutcomeMayBeTheSame(t *testing.T) {
	t.Parallel()
	once := charge.With(turnstile.AtMostOnce())
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		if _, err := once.Call(ctx, n); err != nil && !errors.Is(err, turnstile.ErrCancelled) {
			return "asked", nil
		}
		return "asked", nil
	})
	run := func(env *turnstiletest.Env) {
		turnstiletest.On(env, charge).Return("r", nil)
		_, _ = turnstiletest.Start(env, fulfil, 1).Wait()
	}
	turnstiletest.CrashTest(t, app, run, turnstiletest.CompareOutcomes())
	mentions(t, failure(t, func(ft turnstiletest.T) { turnstiletest.CrashTest(ft, app, run) }),
		"history of instance", "- ", "Done←2", "+ ", "Failed(interrupted)←2")
}

// the message that checks a pending activity stays one message, though each is delivered
// twice.
func TestCrashTestOverAPendingActivityThatIsHeldForADay(t *testing.T) {
	t.Parallel()
	done := turnstiletest.CrashTest(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		return charge.With(turnstile.TotalTimeout(48*time.Hour)).Call(ctx, n)
	}), func(env *turnstiletest.Env) {
		token := ""
		turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
			token = turnstile.ActivityInfo(ctx).CompletionToken
			return "", turnstile.ErrPending
		})
		run := turnstiletest.Start(env, fulfil, 1)
		env.After(24*time.Hour, func() {
			if err := client.Complete(context.Background(), env.Client(), charge, token, "by hand"); err != nil {
				t.Error(err)
			}
		})
		if got, err := run.Wait(); got != "by hand" || err != nil {
			t.Errorf("it ended with %q, %v", got, err)
		}
	}, turnstiletest.WithMaxRuns(60))
	if done.Runs < 20 || done.Skipped > 0 {
		t.Errorf("it did %+v", done)
	}
}

// With every message delivered twice, an attempt that waits for a Rate stays two messages, and a
// crash may change which attempt gets the next permit.
func TestCrashTestOverAttemptsThatWaitForAPermit(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, string]("Child").With(turnstile.Limit("x", 2))
	rate, limit := turnstile.Rate("r", 1, time.Minute), turnstile.Limit("l", 2)
	for name, c := range map[string]struct {
		call   func(turnstile.Context, int) (string, error)
		waited bool
	}{
		"a rate":                        {charge.With(rate).Call, true},
		"a limit":                       {charge.With(limit).Call, true},
		"both":                          {charge.With(limit, rate).Call, true},
		"a rate that no attempt meets":  {charge.With(turnstile.Rate("r", 100, time.Minute)).Call, false},
		"a limit of the children alone": {child.Call, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := flow(func(ctx turnstile.Context, _ int) (string, error) {
				all, err := turnstile.Map(ctx, []int{1, 2, 3, 4}, 4, c.call)
				return fmt.Sprint(all), err
			}, child.Implement(charge.Call))
			logs := &logged{T: t}
			done := turnstiletest.CrashTest(logs, app, func(env *turnstiletest.Env) {
				turnstiletest.On(env, charge).Do(func(ctx context.Context, n int) (string, error) {
					return fmt.Sprint(n), turnstiletest.Sleep(ctx, time.Duration(7*n%4)*10*time.Second)
				})
				if got, err := turnstiletest.Start(env, fulfil, 0).Wait(); got != "[1 2 3 4]" || err != nil {
					t.Errorf("it ended with %q, %v", got, err)
				}
			}, turnstiletest.WithMaxBatches(2000), turnstiletest.WithMaxRuns(100))
			if done.Runs != min(100, 4+2*done.Calls) {
				t.Errorf("it did %+v", done)
			}
			if said := strings.Contains(logs.text, "only outcomes"); said != c.waited {
				t.Errorf("attempts waited is %v, and it says %q", c.waited, logs.text)
			}
		})
	}
}

// logged is a T that keeps its log.
type logged struct {
	turnstiletest.T
	text string
}

func (l *logged) Logf(format string, args ...any) { l.text += fmt.Sprintf(format, args...) + "\n" }

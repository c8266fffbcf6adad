package turnstiletest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

const month = 30 * 24 * time.Hour

func TestR01O08AMonthTakesNoTime(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		receipt, err := charge.Call(ctx, n)
		if err != nil {
			return "", err
		}
		if err := turnstile.Sleep(ctx, month); err != nil {
			return "", err
		}
		return ship.Call(ctx, receipt)
	}, ship.Implement(echo)))
	startedAt := env.Now()
	turnstiletest.On(env, charge).Return("r-1", nil)
	run := turnstiletest.Start(env, fulfil, 7)
	if got, err := run.Wait(); got != "r-1" || err != nil {
		t.Fatalf("it ended with %q, %v", got, err)
	}
	run.AssertHistory("Started Act(Charge) Done←2 Timer(720h0m0s) Fired←4 Act(Ship) Done←6 Completed")
	if passed := env.Now().Sub(startedAt); passed != month {
		t.Errorf("%s have passed", passed)
	}
}

func TestE01E07EventsComeAtTheirTime(t *testing.T) {
	t.Parallel()
	waits := func(ctx turnstile.Context, hours int) (string, error) {
		by, err := approved.WaitTimeout(ctx, time.Duration(hours)*time.Hour)
		if errors.Is(err, turnstile.ErrTimeout) {
			return "nobody", nil
		}
		return by, err
	}
	for name, c := range map[string]struct {
		hours   int
		want    string
		history string
	}{
		"in time": {48, "Grace", "Started Sub(approved) Timer(48h0m0s) Ev(approved) Completed"},
		"late":    {12, "nobody", "Started Sub(approved) Timer(12h0m0s) Fired←3 Completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, flow(waits))
			run := turnstiletest.Start(env, fulfil, c.hours)
			env.After(24*time.Hour, func() { turnstiletest.Raise(env, approved, run.Instance, "Grace") })
			if got, err := run.Wait(); got != c.want || err != nil {
				t.Errorf("it ended with %q, %v", got, err)
			}
			run.AssertHistory(c.history)
			env.Run()
		})
	}
}

// A timer is due to the millisecond; only SQS rounds.
func TestATimerIsExactToTheMillisecond(t *testing.T) {
	t.Parallel()
	const d = 1234 * time.Millisecond
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, _ int) (string, error) { return "", turnstile.Sleep(ctx, d) }))
	run := turnstiletest.Start(env, fulfil, 0)
	startedAt := env.Now()
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	if passed := env.Now().Sub(startedAt); passed != d {
		t.Errorf("%s have passed, want %s", passed, d)
	}
}

func TestAdvancePassesExactlyTheGivenTime(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, _ int) (string, error) {
		return "", turnstile.Sleep(ctx, time.Hour)
	}))
	run := turnstiletest.Start(env, fulfil, 0)
	if d := run.Describe(); d.Status != "" {
		t.Errorf("before anything moves it is %s", d.Status)
	}
	startedAt := env.Now()
	env.Advance(59 * time.Minute)
	if d := run.Describe(); d.Status != client.StatusRunning || env.Now().Sub(startedAt) != 59*time.Minute {
		t.Errorf("after %s it is %s", env.Now().Sub(startedAt), d.Status)
	}
	env.Advance(2 * time.Minute)
	if d := run.Describe(); d.Status != client.StatusCompleted || env.Now().Sub(startedAt) != 61*time.Minute {
		t.Errorf("after %s it is %s", env.Now().Sub(startedAt), d.Status)
	}
	at := env.Now().Add(time.Hour)
	called := time.Time{}
	env.AtTime(at, func() { called = env.Now() })
	env.After(time.Minute, func() { t.Error("called although it was stopped") })()
	env.Run()
	if !called.Equal(at) {
		t.Errorf("called at %s, want %s", called, at)
	}
}

func TestK01K07CancelAndTerminate(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) })
	for name, c := range map[string]struct {
		end  func(*turnstiletest.Run[string])
		want error
	}{
		"cancelled":  {func(r *turnstiletest.Run[string]) { r.Cancel("enough") }, turnstile.ErrCancelled},
		"terminated": {func(r *turnstiletest.Run[string]) { r.Terminate("enough") }, turnstile.ErrTerminated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := turnstiletest.New(t, app)
			run := turnstiletest.Start(env, fulfil, 0, client.WithInstanceID("mine"))
			env.After(time.Hour, func() { c.end(run) })
			if _, err := run.Wait(); !errors.Is(err, c.want) || run.Instance != "mine" {
				t.Errorf("%s ended with %v", run.Instance, err)
			}
		})
	}
}

func TestChildrenAreInstancesTooAndContinueAsNewHasExecutions(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, int]("Child")
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		_, err := child.With(turnstile.InstanceID("child")).Call(ctx, n)
		return "", err
	}, child.Implement(func(ctx turnstile.Context, n int) (int, error) {
		if n == 0 {
			return 42, nil
		}
		return 0, child.ContinueAsNew(ctx, n-1)
	})))
	run := turnstiletest.Start(env, fulfil, 2)
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	run.AssertHistory("Started Child(Child) Done←2 Completed")
	c := turnstiletest.Instance(env, child, "child")
	if got, err := c.Wait(); got != 42 || err != nil {
		t.Errorf("the child ended with %d, %v", got, err)
	}
	c.AssertHistory("Started Completed")
	if first := c.Execution(1).String(); first != "Started ContinuedAsNew" {
		t.Errorf("its first execution is %s", first)
	}
}

func TestA06A11AnAttemptThatTakesTooMuchVirtualTimeIsOutOfTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options turnstile.ActivityOption
		kind    turnstile.FailureKind
	}{
		"timeout":           {turnstile.AttemptTimeout(time.Minute), turnstile.KindTimeout},
		"heartbeat timeout": {turnstile.HeartbeatTimeout(time.Minute), turnstile.KindHeartbeatTimeout},
		"total timeout":     {turnstile.TotalTimeout(time.Minute), turnstile.KindTotalTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := charge.With(c.options)
			env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return slow.Call(ctx, n) }))
			startedAt := env.Now()
			// Its result after the timeout is ignored.
			turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
				if err := turnstiletest.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Sleep returned %v", err)
				}
				return "late", nil
			})
			run := turnstiletest.Start(env, fulfil, 1)
			_, err := run.Wait()
			if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != c.kind {
				t.Errorf("it ended with %v, want kind %s", err, c.kind)
			}
			if passed := env.Now().Sub(startedAt); passed != time.Minute {
				t.Errorf("it took %s", passed)
			}
		})
	}
}

func TestF05ALosingActivityLearnsOfItAtAHeartbeatInVirtualTime(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		_, err := turnstile.Select(ctx, charge.Start(ctx, n), turnstile.After(ctx, time.Minute))
		return "timeout", err
	}))
	stopped := time.Time{}
	turnstiletest.On(env, charge).Do(func(ctx context.Context, _ int) (string, error) {
		for {
			if err := turnstile.Heartbeat(ctx, 0); err != nil {
				stopped = env.Now()
				return "", err
			}
			_ = turnstiletest.Sleep(ctx, 25*time.Second)
		}
	})
	startedAt := env.Now()
	run := turnstiletest.Start(env, fulfil, 1)
	if got, err := run.Wait(); got != "timeout" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	env.Run()
	if after := stopped.Sub(startedAt); after != 75*time.Second {
		t.Errorf("the activity was told after %s", after)
	}
}

func TestConcurrentActivitiesTakeTheTimeOfTheLongest(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		_, err := turnstile.Join(ctx, charge.Start(ctx, 3), charge.Start(ctx, 1), charge.Start(ctx, 2))
		return "", err
	}))
	turnstiletest.On(env, charge).Do(func(ctx context.Context, minutes int) (string, error) {
		return "", turnstiletest.Sleep(ctx, time.Duration(minutes)*time.Minute)
	})
	startedAt := env.Now()
	run := turnstiletest.Start(env, fulfil, 0)
	if _, err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	run.AssertHistory("Started Act(Charge) Act(Charge) Act(Charge) Done←3 Done←4 Done←2 Completed")
	if passed := env.Now().Sub(startedAt); passed != 3*time.Minute {
		t.Errorf("it took %s", passed)
	}
}

func TestRandomOrdersDifferBySeed(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		_, err := turnstile.Join(ctx, charge.Start(ctx, 1), charge.Start(ctx, 2), charge.Start(ctx, 3), charge.Start(ctx, 4))
		return "", err
	}, charge.Implement(func(context.Context, int) (string, error) { return "", nil }))
	order := func(options ...turnstiletest.Option) string {
		env := turnstiletest.New(t, app, options...)
		run := turnstiletest.Start(env, fulfil, 0)
		if _, err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		return run.History().String()
	}
	inOrder := "Started Act(Charge) Act(Charge) Act(Charge) Act(Charge) Done←2 Done←3 Done←4 Done←5 Completed"
	if got := order(); got != inOrder {
		t.Errorf("unshuffled it is %s", got)
	}
	orders := map[string]bool{}
	for seed := range uint64(30) {
		got := order(turnstiletest.WithRandomOrder(seed))
		if again := order(turnstiletest.WithRandomOrder(seed)); again != got {
			t.Errorf("seed %d gives\n%s, and then\n%s", seed, got, again)
		}
		orders[got] = true
	}
	if len(orders) < 5 {
		t.Errorf("30 seeds give %d orders only", len(orders))
	}
}

func TestInlineActivitiesAreMockedTooAndMayTakeVirtualTime(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Inline(ctx, n) }))
	turnstiletest.On(env, charge).Return("r-1", nil).After(20 * time.Second)
	startedAt := env.Now()
	run := turnstiletest.Start(env, fulfil, 0)
	if got, err := run.Wait(); got != "r-1" || err != nil || env.Now().Sub(startedAt) != 20*time.Second {
		t.Errorf("after %s it ended with %q, %v", env.Now().Sub(startedAt), got, err)
	}
	run.AssertHistory("Started Act(Charge) Done←2 Completed")
}

func TestTheWaitOfAClientLetsTheApplicationWork(t *testing.T) {
	t.Parallel()
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		if n == 0 {
			return approved.Wait(ctx)
		}
		return "woken", turnstile.Sleep(ctx, month)
	})
	env := turnstiletest.New(t, app)
	run, err := client.Start(t.Context(), env.Client(), fulfil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := run.Wait(t.Context()); got != "woken" || err != nil {
		t.Errorf("it ended with %q, %v", got, err)
	}
	mentions(t, failure(t, func(ft turnstiletest.T) {
		env := turnstiletest.New(ft, app)
		run, err := client.Start(t.Context(), env.Client(), fulfil, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = run.Wait(t.Context())
	}), "Wait by a client", "was not raised")
}

func TestO04WhatWasPurgedIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	mentions(t, failure(t, func(ft turnstiletest.T) {
		env := turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) { return "", nil }))
		run := turnstiletest.Start(env, fulfil, 1, client.WithInstanceID("gone"))
		_, _ = run.Wait()
		if err := env.Client().Purge(t.Context(), "gone"); err != nil {
			t.Error(err)
		}
		env.Run()
		_, _ = run.Wait()
	}), `"gone" was purged`)
}

func TestO04APurgedIDIsFreeAgainAfterFifteenDays(t *testing.T) {
	t.Parallel()
	gone := func(ft turnstiletest.T) *turnstiletest.Env {
		env := turnstiletest.New(ft, flow(func(turnstile.Context, int) (string, error) { return "there", nil }))
		_, _ = turnstiletest.Start(env, fulfil, 1, client.WithInstanceID("i")).Wait()
		if err := env.Client().Purge(t.Context(), "i"); err != nil {
			t.Error(err)
		}
		env.Run()
		return env
	}
	mentions(t, failure(t, func(ft turnstiletest.T) {
		turnstiletest.Start(gone(ft), fulfil, 1, client.WithInstanceID("i"))
	}), `"i" was purged`, "can be reused from")
	env := gone(t)
	env.Advance(15 * 24 * time.Hour)
	if out, err := turnstiletest.Start(env, fulfil, 1, client.WithInstanceID("i")).Wait(); out != "there" || err != nil {
		t.Errorf("started again it gives %q, %v", out, err)
	}
}

func TestAnEventForAnUnknownInstanceIsADeadLetter(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(turnstile.Context, int) (string, error) { return "", nil }))
	turnstiletest.Raise(env, approved, "nobody", "Grace")
	env.Run()
	if d := env.DeadLetters(); len(d) != 1 || d[0].Reason == "" {
		t.Errorf("the dead letters are %+v", d)
	}
}

func BenchmarkAMonth(b *testing.B) {
	app := flow(func(ctx turnstile.Context, n int) (string, error) {
		if err := turnstile.Sleep(ctx, month); err != nil {
			return "", err
		}
		return charge.Call(ctx, n)
	})
	b.ReportAllocs()
	for b.Loop() {
		env := turnstiletest.New(b, app)
		turnstiletest.On(env, charge).Return("r-1", nil)
		if _, err := turnstiletest.Start(env, fulfil, 1).Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

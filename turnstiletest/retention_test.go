package turnstiletest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var (
	short  = turnstile.NewOrchestration[int, int]("Short")
	parent = turnstile.NewOrchestration[time.Duration, int]("Parent")
)

func TestAnInstanceIsPurgedWhenItWasKeptForLongEnough(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(
		short.With(turnstile.Retention(2*time.Hour)).Implement(func(turnstile.Context, int) (int, error) { return 0, nil }),
		parent.Implement(func(ctx turnstile.Context, wait time.Duration) (int, error) {
			if _, err := short.With(turnstile.InstanceID("child")).Call(ctx, 0); err != nil {
				return 0, err
			}
			return 0, turnstile.Sleep(ctx, wait)
		}),
	)
	env := turnstiletest.New(t, app, turnstiletest.WithSettings(host.Settings{Purge: host.PurgeSettings{Retention: 24 * time.Hour}}))
	turnstiletest.Start(env, short, 0, client.WithInstanceID("alone"))
	turnstiletest.Start(env, parent, 10*time.Hour, client.WithInstanceID("parent"))
	there := func(after time.Duration, want ...string) {
		t.Helper()
		env.Advance(after)
		page, err := env.Client().List(t.Context(), client.ListQuery{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range page.Instances {
			got = append(got, d.Instance)
		}
		if len(got) != len(want) {
			t.Errorf("after %s more there are %q, want %q", after, got, want)
		}
	}
	there(119*time.Minute, "parent", "child", "alone")
	there(7*time.Minute, "parent", "child") // the child is kept for its parent
	there(7*time.Hour, "parent", "child")
	there(61*time.Minute, "parent") // which has ended five minutes ago
	there(24 * time.Hour)
}

// A child of an execution that has continued as new is not kept longer.
func TestAChildOfAnEarlierExecutionIsPurged(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(
		short.With(turnstile.Retention(2*time.Hour)).Implement(func(turnstile.Context, int) (int, error) { return 0, nil }),
		renewed.Implement(func(ctx turnstile.Context, day int) (int, error) {
			if day == 1 {
				if _, err := short.With(turnstile.InstanceID("child")).Call(ctx, 0); err != nil {
					return 0, err
				}
			}
			if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil {
				return 0, err
			}
			return 0, renewed.ContinueAsNew(ctx, day+1)
		}),
	)
	env := turnstiletest.New(t, app, turnstiletest.WithSettings(host.Settings{Purge: host.PurgeSettings{Retention: 30 * 24 * time.Hour}}))
	turnstiletest.Start(env, renewed, 1)
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{23 * time.Hour, 2}, {66 * time.Minute, 1}} {
		env.Advance(c.after)
		if page, err := env.Client().List(t.Context(), client.ListQuery{}); err != nil || len(page.Instances) != c.want {
			t.Errorf("after %s more there are %v, %v, want %d", c.after, page.Instances, err, c.want)
		}
	}
}

func TestAnInvalidRetentionIsAnErrorThatSaysWhy(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		59 * time.Minute:           "is 59m0s; it must be at least 1h0m0s, which a purge needs",
		-time.Hour:                 "is -1h0m0s; it must be at least 1h0m0s",
		101 * 365 * 24 * time.Hour: "the maximum is 876000h0m0s",
	} {
		err := turnstile.NewApp(short.With(turnstile.Retention(d)).Implement(func(turnstile.Context, int) (int, error) { return 0, nil })).Err()
		if wrong, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v (%v), want a text with %q", d, err, wrong, want)
		}
	}
	s := host.Settings{Purge: host.PurgeSettings{Retention: 30 * time.Minute}}
	err := s.Complete()
	if err == nil || !strings.Contains(err.Error(), "Settings.Purge.Retention is 30m0s, at least Settings.Purge.Grace (1h0m0s) is safe; 0 keeps instances for ever") {
		t.Errorf("the setting: %v", err)
	}
}

// docs/internal/guide-figures.md contains the output with -v.
func TestWhatAPurgeByRetentionCosts(t *testing.T) {
	t.Parallel()
	const instances = 1000
	app := turnstile.NewApp(short.With(turnstile.Retention(2 * time.Hour)).Implement(func(ctx turnstile.Context, n int) (int, error) {
		return n, turnstile.Sleep(ctx, time.Minute)
	}))
	env := turnstiletest.New(t, app, turnstiletest.KeepWarm())
	for i := range instances {
		turnstiletest.Start(env, short, i, client.WithInstanceID(fmt.Sprint("order-", i)))
	}
	env.Advance(time.Hour)
	before := env.Bill()
	env.Advance(3 * time.Hour)
	after := env.Bill()
	if page, err := env.Client().List(t.Context(), client.ListQuery{}); err != nil || len(page.Instances) != 0 {
		t.Fatalf("%d instances are left: %v", len(page.Instances), err)
	}
	dollars := after.Dollars() - before.Dollars()
	t.Logf("before:\n%s\nafter:\n%s\n$%.2f a million purges", before, after, dollars/instances*1e6)
	if perMillion := dollars / instances * 1e6; perMillion < 1 || perMillion > 12 {
		t.Errorf("a million purges cost $%.2f", perMillion)
	}
}

// renewed continues as new each day, up to day n.
var renewed = turnstile.NewOrchestration[int, int]("Renewed")

func renews(days int) func(ctx turnstile.Context, day int) (int, error) {
	return func(ctx turnstile.Context, day int) (int, error) {
		if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil || day == days {
			return day, err
		}
		return 0, renewed.ContinueAsNew(ctx, day+1)
	}
}

func TestO11AnInstanceKeepsItsNewestExecutions(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(renewed.With(turnstile.KeepExecutions(5)).Implement(renews(100)))
	env := turnstiletest.New(t, app)
	run := turnstiletest.Start(env, renewed, 1, client.WithInstanceID("r"))
	env.Advance(90*24*time.Hour - time.Minute)
	d, err := env.Client().Describe(t.Context(), "r")
	if err != nil || d.ExecutionID != 90 || d.FirstExecution < 70 || d.Pruned != d.FirstExecution-1 {
		t.Fatalf("execution %d, kept from %d on, %d pruned: %v", d.ExecutionID, d.FirstExecution, d.Pruned, err)
	}
	for n := int64(1); n <= d.ExecutionID; n++ {
		x, err := env.Client().Export(t.Context(), "r", n)
		if err != nil || (len(x.Events) > 0) != (n >= d.FirstExecution) {
			t.Errorf("execution %d has %d events: %v", n, len(x.Events), err)
		}
	}
	if out, err := run.Wait(); err != nil || out != 100 {
		t.Error(out, err)
	}
}

func TestAnInvalidKeepExecutionsIsAnErrorThatSaysWhy(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "is 1; it must be from 2", -3: "is -3; it must be from 2", 1_000_001: "to 1000000"} {
		err := turnstile.NewApp(renewed.With(turnstile.KeepExecutions(n)).Implement(renews(1))).Err()
		if wrong, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || wrong.Call != "KeepExecutions" || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v (%v), want a text with %q", n, err, wrong, want)
		}
	}
	if err := turnstile.NewApp(renewed.With(turnstile.KeepExecutions(0)).Implement(renews(1))).Err(); err != nil {
		t.Error(err)
	}
	for _, n := range []int{1, -1} {
		s := host.Settings{Purge: host.PurgeSettings{Executions: n}}
		if err := s.Complete(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("Settings.Purge.Executions is %d, at least 2 is safe", n)) {
			t.Errorf("the setting %d: %v", n, err)
		}
	}
}

// docs/guide/retention.md contains the output with -v.
func TestWhatPruningCosts(t *testing.T) {
	t.Parallel()
	const days = 200
	bill := func(keep int) (requests int, dollars float64) {
		app := turnstile.NewApp(renewed.With(turnstile.KeepExecutions(keep)).Implement(renews(10 * days)))
		env := turnstiletest.New(t, app, turnstiletest.KeepWarm())
		turnstiletest.Start(env, renewed, 1)
		env.Advance(50 * 24 * time.Hour)
		before := env.Bill()
		env.Advance(days * 24 * time.Hour)
		b := env.Bill().Minus(before)
		t.Logf("kept %d (0: all):\n%s", keep, b)
		return b.Requests(), b.Dollars()
	}
	requests, dollars := bill(5)
	allRequests, all := bill(0)
	r, d := float64(requests-allRequests)/days, (dollars-all)/days*1e6
	t.Logf("%.2f requests an execution, $%.2f a million", r, d)
	if r > 3 || d < 1 || d > 6 {
		t.Errorf("pruning costs %.2f requests an execution and $%.2f a million", r, d)
	}
}

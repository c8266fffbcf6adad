package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var remind = turnstile.NewOrchestration[string, string]("Remind")

func reminders() *turnstile.App {
	return turnstile.NewApp(remind.Implement(func(ctx turnstile.Context, whom string) (string, error) {
		return whom + " at " + turnstile.Now(ctx).Format(time.TimeOnly), nil
	}))
}

// The tests of the kit begin at noon.
func TestADelayedStartIsListedAndCanBeMovedBroughtForwardAndGivenUp(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, reminders())
	c, ctx := env.Client(), t.Context()
	at := env.Now().Add(48 * time.Hour)
	start := func(id string, option client.StartOption) *turnstiletest.Run[string] {
		return turnstiletest.Start(env, remind, id, client.WithInstanceID(id), option)
	}
	moved, forward, by := start("moved", client.StartAt(at)), start("forward", client.StartAt(at)), start("itself", client.StartAfter(10*time.Minute))
	past, givenUp := start("past", client.StartAt(env.Now().Add(-time.Hour))), start("given up", client.StartAt(at))
	env.After(time.Minute, func() {
		page, err := c.List(ctx, client.ListQuery{Status: client.StatusScheduled})
		if err != nil || len(page.Instances) != 4 {
			t.Errorf("scheduled are %+v, %v", page.Instances, err)
		}
		if d, err := c.Describe(ctx, "moved"); err != nil || d.Suspension == nil || d.Suspension.UntilMS != at.UnixMilli() {
			t.Errorf("it is %+v, %v", d, err)
		}
		if err := errors.Join(c.Reschedule(ctx, "moved", at.Add(time.Hour)), c.Resume(ctx, "forward", "now"), c.Terminate(ctx, "given up", "no longer")); err != nil {
			t.Error(err)
		}
		var ended *client.EndedError
		if err := c.Reschedule(ctx, "past", at); !errors.As(err, &ended) {
			t.Errorf("a reschedule of what has ended: %v", err)
		}
		var wrong *turnstile.InvalidArgumentError
		for _, at := range []time.Time{{}, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if err := c.Reschedule(ctx, "moved", at); !errors.As(err, &wrong) {
				t.Errorf("a reschedule to %s: %v", at, err)
			}
		}
		if _, err := client.Start(ctx, c, remind, "", client.StartAt(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))); !errors.As(err, &wrong) {
			t.Errorf("a start after the last year of a timer: %v", err)
		}
	})
	for run, want := range map[*turnstiletest.Run[string]]string{
		moved: "moved at " + at.Add(time.Hour).Format(time.TimeOnly), forward: "forward at " + env.Now().Add(time.Minute).Format(time.TimeOnly),
		by: "itself at " + env.Now().Add(10*time.Minute).Format(time.TimeOnly), past: "past at " + env.Now().Format(time.TimeOnly),
	} {
		if out, err := run.Wait(); err != nil || out != want {
			t.Errorf("it came to %q, %v; want %q", out, err, want)
		}
	}
	if _, err := givenUp.Wait(); err == nil {
		t.Error("what was terminated ran")
	}
}

func TestASuspendThatIsRescheduledResumesByItself(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(remind.Implement(func(ctx turnstile.Context, _ string) (string, error) {
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return "", err
		}
		return turnstile.Now(ctx).Format(time.TimeOnly), nil
	})))
	run := turnstiletest.Start(env, remind, "", client.WithInstanceID("held"))
	resumed := turnstiletest.Start(env, remind, "", client.WithInstanceID("resumed"))
	until, hour := env.Now().Add(3*time.Hour), env.Now().Add(time.Hour)
	c, ctx := env.Client(), t.Context()
	env.After(time.Minute, func() {
		if err := errors.Join(c.Suspend(ctx, "held", "a holiday"), c.Suspend(ctx, "resumed", "a holiday")); err != nil {
			t.Error(err)
		}
	})
	env.After(2*time.Minute, func() {
		// What moves the time of a suspend suspends nothing that was resumed ahead of it.
		if err := errors.Join(c.Reschedule(ctx, "held", until), c.Resume(ctx, "resumed", ""), c.Reschedule(ctx, "resumed", until)); err != nil {
			t.Error(err)
		}
	})
	if out, err := resumed.Wait(); err != nil || out != hour.Format(time.TimeOnly) {
		t.Errorf("it went on at %q, %v; want %s", out, err, hour.Format(time.TimeOnly))
	}
	if out, err := run.Wait(); err != nil || out != until.Format(time.TimeOnly) {
		t.Errorf("it went on at %q, %v; want %s", out, err, until.Format(time.TimeOnly))
	}
}

func TestAnInstanceIsWaitedForUntilItShowsAState(t *testing.T) {
	t.Parallel()
	hours := turnstile.NewState[int]("hours")
	env := turnstiletest.New(t, turnstile.NewApp(remind.Implement(func(ctx turnstile.Context, _ string) (string, error) {
		for n := range 5 {
			if err := errors.Join(hours.Set(ctx, n), turnstile.Sleep(ctx, time.Hour)); err != nil {
				return "", err
			}
		}
		return "", nil
	})))
	begun := env.Now()
	run := turnstiletest.Start(env, remind, "")
	d, err := env.Client().WaitUntil(t.Context(), run.Instance, func(d *client.Description) bool { return string(d.States["hours"].Value) == "3" })
	if err != nil || string(d.States["hours"].Value) != "3" || d.Status != client.StatusRunning || env.Now().Sub(begun) != 3*time.Hour {
		t.Errorf("after %s: %s, %s, %v", env.Now().Sub(begun), d.Status, d.States["hours"].Value, err)
	}
}

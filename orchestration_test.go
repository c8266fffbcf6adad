package turnstile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

var (
	parent = turnstile.NewOrchestration[string, string]("Parent")
	child  = turnstile.NewOrchestration[string, string]("Child")
)

// greet fails for "fail", waits for ever for "wait".
func greet(ctx turnstile.Context, who string) (string, error) {
	switch who {
	case "fail":
		return "", turnstile.WithCode(errors.New("nobody there"), "absent")
	case "wait":
		_, err := turnstile.NewEvent[int]("never").Wait(ctx)
		return "", err
	}
	return "hello " + who, nil
}

func TestP01AChildsIdIsDerivedOrItsOwn(t *testing.T) {
	t.Parallel()
	e := start(t, child.Implement(greet), parent.Implement(func(ctx turnstile.Context, _ string) (string, error) {
		a, b := child.Start(ctx, "a"), child.Start(ctx, "b")
		c := child.With(turnstile.InstanceID("own id")).Start(ctx, "c")
		greetings, err := turnstile.Join(ctx, a, b, c)
		return strings.Join(append(greetings, a.Instance(), b.Instance(), c.Instance()), "|"), err
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, "", client.WithInstanceID("p")))
	if got, want := ok[string](t)(run.Wait(e.ctx)), "hello a|hello b|hello c|p/1/2|p/1/3|own id"; got != want {
		t.Errorf("output %q, want %q", got, want)
	}
	d := ok[client.Description](t)(e.client.Describe(e.ctx, "own id"))
	if want := (client.Parent{Instance: "p", ExecutionID: 1, EventID: 4}); d.Parent == nil || *d.Parent != want {
		t.Errorf("the child's parent is %+v, want %+v", d.Parent, want)
	}
}

func TestP02AFailedChildIsATypedError(t *testing.T) {
	t.Parallel()
	e := start(t, child.Implement(greet), parent.Implement(func(ctx turnstile.Context, who string) (string, error) {
		return child.With(turnstile.InstanceID("child of "+who)).Call(ctx, who)
	}))
	t.Run("P-02 that names child and instance", func(t *testing.T) {
		t.Parallel()
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, "fail"))
		_, err := run.Wait(e.ctx)
		failed, isFailed := errors.AsType[*client.OrchestrationError](err)
		if !isFailed || failed.Code != "absent" || failed.Source != "Child" ||
			!strings.Contains(failed.Message, `sub-orchestration "Child" (instance "child of fail") failed: nobody there`) {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("P-03 also when its id is taken", func(t *testing.T) {
		t.Parallel()
		taken := turnstile.InstanceID("taken")
		other := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, child, "first", client.WithInstanceID("taken")))
		ok[string](t)(other.Wait(e.ctx))
		again := turnstile.NewOrchestration[string, string]("Again")
		e := start(t, child.Implement(greet), again.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			if _, err := child.With(taken).Call(ctx, "one"); err != nil {
				return "", err
			}
			_, err := child.With(taken).Call(ctx, "two")
			failed, isChild := errors.AsType[*turnstile.ChildError](err)
			if !isChild || failed.Kind != turnstile.KindAlreadyExists || failed.Instance != "taken" || failed.Orchestration != "Child" {
				return "", differ("the error is %v", err)
			}
			return "went on", nil
		}))
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, again, ""))
		if got := ok[string](t)(run.Wait(e.ctx)); got != "went on" {
			t.Errorf("output %q", got)
		}
	})
}

func TestP02ACancelledOrTerminatedChildIsReported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(e *env, instance string) error
		want error
		kind turnstile.FailureKind
	}{
		"P-02 cancelled":  {func(e *env, id string) error { return e.client.Cancel(e.ctx, id, "enough") }, turnstile.ErrCancelled, turnstile.KindCancelled},
		"P-02 terminated": {func(e *env, id string) error { return e.client.Terminate(e.ctx, id, "enough") }, turnstile.ErrTerminated, turnstile.KindTerminated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t, child.Implement(greet), parent.Implement(func(ctx turnstile.Context, _ string) (string, error) {
				_, err := child.With(turnstile.InstanceID("child")).Call(ctx, "wait")
				failed, isChild := errors.AsType[*turnstile.ChildError](err)
				if !isChild || !errors.Is(err, c.want) || failed.Kind != c.kind || failed.Instance != "child" {
					return "", differ("the error is %v", err)
				}
				return "went on", nil
			}))
			run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, ""))
			if err := client.Attach(e.client, child, "child").WaitStarted(e.ctx); err != nil {
				t.Fatal(err)
			}
			if err := c.end(e, "child"); err != nil {
				t.Fatal(err)
			}
			if got := ok[string](t)(run.Wait(e.ctx)); got != "went on" {
				t.Errorf("output %q", got)
			}
			_, err := client.Attach(e.client, child, "child").Wait(e.ctx)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "enough") {
				t.Errorf("the parent gets %v", err)
			}
		})
	}
}

func TestP07ADetachedOrchestrationIsAnIndependentInstance(t *testing.T) {
	t.Parallel()
	e := start(t, child.Implement(greet), parent.Implement(func(ctx turnstile.Context, who string) (string, error) {
		return child.StartDetached(ctx, who)
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, "fail", client.WithInstanceID("p")))
	instance := ok[string](t)(run.Wait(e.ctx))
	if instance != "p/1/2" {
		t.Errorf("it is instance %q", instance)
	}
	if _, err := client.Attach(e.client, child, instance).Wait(e.ctx); turnstile.ErrorCode(err) != "absent" || !strings.Contains(err.Error(), "nobody there") {
		t.Errorf("the detached one ended with %v", err)
	}
	if want := []string{"OrchestrationStarted", "OrchestrationChained", "OrchestrationCompleted"}; !reflect.DeepEqual(kinds(e.history("p")), want) {
		t.Errorf("history %v, want %v", kinds(e.history("p")), want)
	}
}

func TestN01ContinueAsNewContinuesUnderTheSameId(t *testing.T) {
	t.Parallel()
	loop, status := turnstile.NewOrchestration[int, string]("Loop"), turnstile.NewState[int]("status")
	e := start(t, loop.Implement(func(ctx turnstile.Context, n int) (string, error) {
		if err := status.Set(ctx, n); err != nil {
			return "", err
		}
		if n < 4 {
			return "", loop.ContinueAsNew(ctx, n+1)
		}
		return "done", turnstile.Sleep(ctx, time.Second)
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, loop, 1))
	if got := ok[string](t)(run.Wait(e.ctx)); got != "done" {
		t.Errorf("output %q", got)
	}
	d := ok[client.Description](t)(run.Describe(e.ctx))
	if d.ExecutionID != 4 || d.FirstExecution != 1 || string(d.States["status"].Value) != "4" {
		t.Errorf("description %+v", d)
	}
	for n := int64(1); n <= 4; n++ {
		events := ok[[]history.Event](t)(e.client.History(e.ctx, run.Instance, n))
		if got, want := string(events[0].Payload), string(rune('0'+n)); got != want || events[0].EventID != 1 {
			t.Errorf("execution %d began with event %d and input %s, want 1 and %s", n, events[0].EventID, got, want)
		}
	}
}

func TestAnInputThatCannotBeDecodedFailsTheOrchestration(t *testing.T) {
	t.Parallel()
	e := start(t, calculate.Implement(calculated))
	started := ok[client.Started](t)(e.client.Start(e.ctx, client.StartRequest{Name: "Calculate", Input: []byte(`"seven"`)}))
	d := ok[client.Description](t)(e.client.Wait(e.ctx, started.Instance))
	if d.Status != client.StatusFailed || d.Failure == nil || d.Failure.Kind != history.FailureInvalidInput ||
		!strings.Contains(d.Failure.Message, `input of orchestration "Calculate" is not a int`) {
		t.Errorf("it ended %s: %+v", d.Status, d.Failure)
	}
}

func TestV01WithoutAVersionTheNewestRuns(t *testing.T) {
	t.Parallel()
	which := turnstile.NewOrchestration[int, string]("Which")
	is := func(v string) turnstile.Component {
		return which.With(turnstile.Version(v)).Implement(func(ctx turnstile.Context, _ int) (string, error) { return turnstile.Info(ctx).Version, nil })
	}
	e := start(t, is("1.2"), is("1.10"), is(""))
	for asked, want := range map[string]string{"": "1.10", "1.2": "1.2"} {
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, which, 0, client.WithVersion(asked)))
		if got := ok[string](t)(run.Wait(e.ctx)); got != want {
			t.Errorf("asked for %q, version %q ran, want %q", asked, got, want)
		}
	}
}

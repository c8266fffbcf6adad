package turnstile_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestA01EmptyValuesArriveAsSuch(t *testing.T) {
	t.Parallel()
	type empty struct{}
	type everything struct {
		Pointer *int
		Slice   []int
		Text    string
		Empty   empty
		Number  int
	}
	for name, sent := range map[string]everything{
		"A-01 nil and zero":      {},
		"A-01 empty but not nil": {Pointer: new(int), Slice: []int{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			echo := turnstile.NewActivity[everything, everything]("Echo")
			pass := turnstile.NewOrchestration[everything, everything]("Pass")
			e := start(t,
				echo.Implement(func(_ context.Context, in everything) (everything, error) { return in, nil }),
				pass.Implement(func(ctx turnstile.Context, in everything) (everything, error) { return echo.Call(ctx, in) }))
			run := ok[*client.Run[everything]](t)(client.Start(e.ctx, e.client, pass, sent))
			if got := ok[everything](t)(run.Wait(e.ctx)); !reflect.DeepEqual(got, sent) {
				t.Errorf("%#v came back as %#v", sent, got)
			}
		})
	}
	t.Run("A-01 a nil pointer and an empty string as the value itself", func(t *testing.T) {
		t.Parallel()
		maybe := turnstile.NewActivity[*string, *string]("Maybe")
		pass := turnstile.NewOrchestration[string, bool]("Pass")
		e := start(t,
			maybe.Implement(func(_ context.Context, in *string) (*string, error) { return in, nil }),
			pass.Implement(func(ctx turnstile.Context, in string) (bool, error) {
				none, err := maybe.Call(ctx, nil)
				if err != nil {
					return false, err
				}
				some, err := maybe.Call(ctx, &in)
				return none == nil && some != nil && *some == "", err
			}))
		run := ok[*client.Run[bool]](t)(client.Start(e.ctx, e.client, pass, ""))
		if !ok[bool](t)(run.Wait(e.ctx)) {
			t.Error("a nil pointer and an empty string were not told apart")
		}
	})
}

func TestA02AFailedActivityIsATypedError(t *testing.T) {
	t.Parallel()
	pay := turnstile.NewActivity[int, int]("Pay")
	buy := turnstile.NewOrchestration[bool, string]("Buy")
	declined := func(context.Context, int) (int, error) {
		return 0, turnstile.WithCode(errors.New("card declined"), "declined")
	}
	e := start(t, pay.Implement(declined), buy.Implement(func(ctx turnstile.Context, handle bool) (string, error) {
		_, err := pay.Call(ctx, 1)
		failed, isActivity := errors.AsType[*turnstile.ActivityError](err)
		if !handle || !isActivity {
			return "", err
		}
		want := turnstile.ActivityError{Activity: "Pay", EventID: 2, Kind: turnstile.KindApplication, Attempt: 1,
			Message: "card declined", Code: "declined", Retryable: true}
		got := turnstile.ActivityError{Activity: failed.Activity, EventID: failed.EventID, Kind: failed.Kind, Attempt: failed.Attempt,
			Message: failed.Message, Code: failed.Code, Retryable: failed.Retryable}
		if !reflect.DeepEqual(got, want) {
			return "", errors.New("not as expected: " + failed.Error())
		}
		return "went on", nil
	}))
	t.Run("A-02 that the code may handle", func(t *testing.T) {
		t.Parallel()
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, buy, true))
		if got := ok[string](t)(run.Wait(e.ctx)); got != "went on" {
			t.Errorf("output %q", got)
		}
	})
	t.Run("A-02 returned unhandled it fails the orchestration and names the activity", func(t *testing.T) {
		t.Parallel()
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, buy, false))
		_, err := run.Wait(e.ctx)
		failed, isFailed := errors.AsType[*client.OrchestrationError](err)
		if !isFailed {
			t.Fatalf("the error is %v, want an *OrchestrationError", err)
		}
		if failed.Source != "Pay" || failed.Code != "declined" || failed.Orchestration != "Buy" || failed.Instance != run.Instance || failed.Attempt != 1 || !failed.Retryable ||
			!strings.Contains(failed.Message, `activity "Pay" failed: card declined`) {
			t.Errorf("the failure is %+v", *failed)
		}
	})
}

func TestA03AttemptsAreMadeByThePolicy(t *testing.T) {
	t.Parallel()
	flaky := turnstile.NewActivity[int, int]("Flaky").With(turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 5, InitialInterval: time.Second, MaxInterval: time.Minute,
	}))
	try := turnstile.NewOrchestration[int, int]("Try")
	attempts := make(chan int, 20)
	e := start(t,
		flaky.Implement(func(ctx context.Context, failures int) (int, error) {
			n := turnstile.ActivityInfo(ctx).Number
			attempts <- n
			if n <= failures {
				return 0, errors.New("not yet")
			}
			return n, nil
		}),
		try.Implement(func(ctx turnstile.Context, failures int) (int, error) { return flaky.Call(ctx, failures) }))

	// it fails twice, and succeeds on the third of five attempts.
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, try, 2))
	if got := ok[int](t)(run.Wait(e.ctx)); got != 3 {
		t.Errorf("succeeded on attempt %d, want 3", got)
	}
	want := []string{"OrchestrationStarted", "ActivityScheduled", "ActivityCompleted", "OrchestrationCompleted"}
	if got := kinds(e.history(run.Instance)); !reflect.DeepEqual(got, want) {
		t.Errorf("history %v, want %v", got, want)
	}
	for n := 1; n <= 3; n++ {
		if got := <-attempts; got != n {
			t.Errorf("the handler saw attempt %d, want %d", got, n)
		}
	}
	// All five attempts fail.
	run = ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, try, 9))
	_, err := run.Wait(e.ctx)
	if err == nil || !strings.Contains(err.Error(), "on attempt 5: not yet") {
		t.Errorf("the error is %v", err)
	}
	if len(attempts) != 5 {
		t.Errorf("%d attempts were made, want 5", len(attempts))
	}
}

func TestOptionsAreRecordedWithTheActivity(t *testing.T) {
	t.Parallel()
	base := turnstile.NewActivity[int, int]("Double")
	slow := base.With(turnstile.AttemptTimeout(1500*time.Microsecond), turnstile.Retry(turnstile.RetryPolicy{
		MaxAttempts: 3, InitialInterval: time.Second, MaxInterval: time.Minute, BackoffCoefficient: 1.5, Jitter: 0.1, NonRetryableCodes: []string{"x"},
	}))
	e := start(t, base.Implement(doubled), calculate.Implement(func(ctx turnstile.Context, n int) (int, error) {
		if _, err := base.Call(ctx, n); err != nil {
			return 0, err
		}
		return slow.Call(ctx, n)
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 1))
	ok[int](t)(run.Wait(e.ctx))
	events := e.history(run.Instance)
	if events[1].Retry != nil {
		t.Errorf("With changed the declaration that it was called on: %+v", *events[1].Retry)
	}
	want := history.Retry{MaxAttempts: 3, InitialMS: 1000, MaxMS: 60_000, Coefficient: 1.5, Jitter: 0.1, TimeoutMS: 2, FinalCodes: []string{"x"}}
	if got := events[3].Retry; got == nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("recorded is %+v, want %+v", got, want)
	}
}

func TestR26AFieldAddedToATypeIsNoOtherInput(t *testing.T) {
	t.Parallel()
	type before struct {
		A int `json:"a"`
	}
	type after struct {
		A int    `json:"a"`
		B string `json:"b"`
	}
	type changed struct {
		A int `json:"a,string"`
	}
	work := func(ctx turnstile.Context, in before) (int, error) {
		return turnstile.NewActivity[before, int]("Work").Call(ctx, in)
	}
	e := start(t, turnstile.NewOrchestration[before, int]("Flow").Implement(work),
		turnstile.NewActivity[before, int]("Work").Implement(func(_ context.Context, in before) (int, error) { return in.A, nil }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, turnstile.NewOrchestration[before, int]("Flow"), before{A: 7}))
	ok[int](t)(run.Wait(e.ctx))
	events := e.history(run.Instance)

	flow := turnstile.NewOrchestration[after, int]("Flow")
	for name, c := range map[string]struct {
		part  turnstile.Component
		stuck bool
	}{
		"R-26 a field was added": {flow.Implement(func(ctx turnstile.Context, in after) (int, error) {
			return turnstile.NewActivity[after, int]("Work").Call(ctx, in)
		}), false},
		"R-26 the value of an old field changed": {flow.Implement(func(ctx turnstile.Context, in after) (int, error) {
			in.A++
			return turnstile.NewActivity[after, int]("Work").Call(ctx, in)
		}), true},
		"the type cannot take the old input": {flow.Implement(func(ctx turnstile.Context, in after) (int, error) {
			return turnstile.NewActivity[changed, int]("Work").Call(ctx, changed{A: in.A})
		}), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := replay(t, turnstile.NewApp(c.part), run.Instance, events)
			if (turn.Stuck != nil) != c.stuck {
				t.Fatalf("stuck: %v, want %v", turn.Stuck, c.stuck)
			}
			if c.stuck && !strings.Contains(turn.Stuck.Error(), "activity_test.go:") {
				t.Errorf("the error does not name a place in the author's code: %v", turn.Stuck)
			}
		})
	}
}

func TestActivityInfoOutsideOfActivitiesIsEmpty(t *testing.T) {
	t.Parallel()
	if info := turnstile.ActivityInfo(t.Context()); info.Number != 0 || info.IdempotencyKey != "" {
		t.Errorf("it is %+v", info)
	}
}

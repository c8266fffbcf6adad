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
)

// These tests show behaviour that may surprise a reader, each with the reason.

// A wait takes its event even if the code never awaits it. Therefore Select cancels its losers, and
// the documentation of SelectWithoutCancel warns about it.
func TestSurpriseAKeptWaitSwallowsItsEvent(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[bool, string]("Flow")
	code := func(ctx turnstile.Context, keep bool) (string, error) {
		selectOf := turnstile.Select
		if keep {
			selectOf = turnstile.SelectWithoutCancel
		}
		if _, err := selectOf(ctx, approved.Next(ctx), turnstile.After(ctx, time.Minute)); err != nil {
			return "", err
		}
		a, err := approved.WaitTimeout(ctx, 24*time.Hour)
		if errors.Is(err, turnstile.ErrTimeout) {
			return "swallowed", nil
		}
		return a.By, err
	}
	for keep, want := range map[bool]string{true: "swallowed", false: "Grace"} {
		e := arrange(t, nil, flow.Implement(code))
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, keep))
		e.AfterFunc(time.Hour, func() {
			if err := client.Raise(e.ctx, e.client, approved, run.Instance, approval{By: "Grace"}); err != nil {
				t.Error(err)
			}
		})
		e.run()
		if got := ok[string](t)(run.Wait(e.ctx)); got != want {
			t.Errorf("with keep %v the second wait gave %q, want %q", keep, got, want)
		}
	}
}

// Deferred functions run whenever a turn ends and the cache does not keep the instance. Their
// durable calls then fail: clean up where the error is handled instead.
func TestSurpriseADeferredDurableCallRecordsNothingAtTheEndOfATurn(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	var deferred []error
	app := turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		defer func() { deferred = append(deferred, turnstile.Sleep(ctx, time.Second)) }()
		return 0, turnstile.Sleep(ctx, time.Hour)
	}))
	e := start(t, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, turnstile.Sleep(ctx, time.Hour) }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[int](t)(run.Wait(e.ctx))
	// A history that ends at the wait of an hour.
	turn := replay(t, app, run.Instance, e.history(run.Instance)[:2])
	if turn.Stuck != nil || len(turn.Events) != 0 {
		t.Errorf("the replay gave %v and %d events", turn.Stuck, len(turn.Events))
	}
	if len(deferred) != 1 || !errors.Is(deferred[0], turnstile.ErrUnwinding) {
		t.Errorf("the deferred call gave %v, want one ErrUnwinding", deferred)
	}
}

// An orchestration that handles its cancellation and returns a value has completed: the code
// decides. After a terminate the code does not run.
func TestSurpriseK03ACancelledOrchestrationMayComplete(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, string]("Flow")
	e := arrange(t, nil, double.Implement(doubled), flow.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		if err := turnstile.Sleep(ctx, 365*24*time.Hour); !errors.Is(err, turnstile.ErrCancelled) {
			return "", differ("the sleep gave %v", err)
		}
		// K-02: the scope is cancelled, but not a WithoutCancel scope.
		if _, err := double.Call(ctx, 1); !errors.Is(err, turnstile.ErrCancelled) {
			return "", differ("a call in a cancelled scope gave %v", err)
		}
		if n, err := double.Call(turnstile.WithoutCancel(ctx), 1); n != 2 || err != nil {
			return "", differ("a call in a shielded scope gave %d, %v", n, err)
		}
		return "as you like", nil
	}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, 0))
	e.AfterFunc(time.Hour, func() {
		if err := run.Cancel(e.ctx, "no more"); err != nil {
			t.Error(err)
		}
	})
	e.run()
	if got := ok[string](t)(run.Wait(e.ctx)); got != "as you like" {
		t.Errorf("output %q", got)
	}
}

// If all operations are ready, Select takes the one that became ready first in history, not the
// first argument.
func TestSurpriseSelectIgnoresTheOrderOfArguments(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		slow, fast := turnstile.After(ctx, time.Hour), turnstile.After(ctx, time.Minute)
		if err := turnstile.Sleep(ctx, 2*time.Hour); err != nil {
			return err
		}
		if first, err := turnstile.Select(ctx, slow, fast); first != 1 || err != nil {
			return differ("Select gave %d, %v", first, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

var tooLong = turnstile.NewOrchestration[int, int](strings.Repeat("n", 257))

func one() (int, error) { return 1, nil }

// A mistake in the program makes the instance stuck. Returned as an error it would have to be
// handled by code that is wrong anyway. After a fix the instance continues.
func TestSurpriseMistakesMakeTheInstanceStuck(t *testing.T) {
	t.Parallel()
	var (
		noActivity      turnstile.Activity[int, int]
		noOrchestration turnstile.Orchestration[int, int]
		noEvent         turnstile.Event[int]
		noContext       turnstile.Context
		noFuture        turnstile.Future[int]
		noSemaphore     turnstile.Semaphore
	)
	again := turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2})
	for name, c := range map[string]struct {
		code func(turnstile.Context) error
		want string
	}{
		"an activity that was never declared":      {func(ctx turnstile.Context) error { _, err := noActivity.Call(ctx, 1); return err }, "NewActivity"},
		"an orchestration that was never declared": {func(ctx turnstile.Context) error { _, err := noOrchestration.Call(ctx, 1); return err }, "NewOrchestration"},
		"an event that was never declared":         {func(ctx turnstile.Context) error { _, err := noEvent.Wait(ctx); return err }, "NewEvent"},
		"an activity without a name":               {func(ctx turnstile.Context) error { turnstile.NewActivity[int, int]("").Start(ctx, 1); return nil }, "it is empty"},
		"an inline activity without a name": {func(ctx turnstile.Context) error {
			_, err := turnstile.NewActivity[int, int]("").Inline(ctx, 1)
			return err
		}, "it is empty"},
		"an orchestration with a name too long": {func(ctx turnstile.Context) error { _, err := tooLong.Call(ctx, 1); return err }, "the limit is 256"},
		"one that is started again if it fails": {func(ctx turnstile.Context) error {
			_, err := tooLong.With(again).Call(ctx, 1)
			return err
		}, "the limit is 256"},
		"one that is detached":                {func(ctx turnstile.Context) error { _, err := tooLong.StartDetached(ctx, 1); return err }, "the limit is 256"},
		"an event without a name":             {func(ctx turnstile.Context) error { _, err := turnstile.NewEvent[int]("").Wait(ctx); return err }, "it is empty"},
		"looking for an event without a name": {func(ctx turnstile.Context) error { _, _, err := turnstile.NewEvent[int]("").TryWait(ctx); return err }, "it is empty"},
		"raising an event without a name":     {func(ctx turnstile.Context) error { return turnstile.NewEvent[int]("").RaiseTo(ctx, "other", 1) }, "it is empty"},
		"an event whose type has no JSON form": {func(ctx turnstile.Context) error {
			_, err := turnstile.NewEvent[chan int]("ring").Wait(ctx)
			return err
		}, "chan int has no JSON form"},
		"a result that no worker can return": {func(ctx turnstile.Context) error { turnstile.NewActivity[int, func()]("Get").Start(ctx, 1); return nil }, "func() has no JSON form"},
		"at most once, inline": {func(ctx turnstile.Context) error {
			_, err := double.With(turnstile.AtMostOnce()).Inline(ctx, 1)
			return err
		}, "at least once"},
		"a side effect without code":        {func(ctx turnstile.Context) error { _, err := turnstile.SideEffect[int](ctx, "it", nil); return err }, "is nil"},
		"a side effect without a name":      {func(ctx turnstile.Context) error { _, err := turnstile.SideEffect(ctx, "", one); return err }, "it is empty"},
		"a semaphore that was never made":   {func(ctx turnstile.Context) error { return noSemaphore.Acquire(ctx, 1) }, "NewSemaphore"},
		"a zero context":                    {func(turnstile.Context) error { return turnstile.Sleep(noContext, 1) }, "zero value"},
		"a future that was never started":   {func(ctx turnstile.Context) error { _, err := noFuture.Await(ctx); return err }, "never started"},
		"a select over one":                 {func(ctx turnstile.Context) error { _, err := turnstile.Select(ctx, noFuture, nil); return err }, "never started"},
		"a join over one":                   {func(ctx turnstile.Context) error { _, err := turnstile.Join(ctx, noFuture); return err }, "never started"},
		"a branch without code":             {func(ctx turnstile.Context) error { turnstile.Go[int](ctx, nil); return nil }, "function is nil"},
		"a map without code":                {func(ctx turnstile.Context) error { return turnstile.ForEach[int](ctx, nil, 1, nil) }, "function is nil"},
		"a patch without a name":            {func(ctx turnstile.Context) error { turnstile.Patched(ctx, ""); return nil }, "patch name"},
		"a mutex that is not locked":        {func(turnstile.Context) error { var mu turnstile.Mutex; mu.Unlock(); return nil }, "not locked"},
		"permits that were not acquired":    {func(turnstile.Context) error { turnstile.NewSemaphore(1).Release(1); return nil }, "0 are taken"},
		"a semaphore without permits":       {func(turnstile.Context) error { turnstile.NewSemaphore(0); return nil }, "at least one permit"},
		"a wait group below zero":           {func(turnstile.Context) error { var wg turnstile.WaitGroup; wg.Done(); return nil }, "below zero"},
		"a saga's step that undoes nothing": {func(turnstile.Context) error { var s turnstile.Saga; s.Add("it", nil); return nil }, "is nil"},
		"a poll for nothing": {func(ctx turnstile.Context) error {
			_, err := turnstile.Poll(ctx, double.Call, 1, nil, turnstile.PollPolicy{})
			return err
		}, "function is nil"},
		"continuing as another orchestration": {func(ctx turnstile.Context) error { return child.ContinueAsNew(ctx, "x") }, "cannot continue as Child"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flow := turnstile.NewOrchestration[int, int]("Flow")
			part := func(code func(turnstile.Context) error) turnstile.Component {
				return flow.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, code(ctx) })
			}
			e := start(t, part(func(ctx turnstile.Context) error { return turnstile.Sleep(ctx, time.Hour) }))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
			ok[int](t)(run.Wait(e.ctx))
			turn := replay(t, turnstile.NewApp(part(c.code)), run.Instance, e.history(run.Instance)[:1])
			if turn.Stuck == nil || turn.Stuck.Kind != "panic" || !strings.Contains(turn.Stuck.Message, c.want) {
				t.Fatalf("stuck is %v, want a panic that mentions %q", turn.Stuck, c.want)
			}
			if !strings.Contains(turn.Stuck.Message, "surprises_test.go:") {
				t.Errorf("the reason does not name the place: %s", turn.Stuck.Message)
			}
			if lines := strings.Split(turn.Stuck.Stack, "\n"); len(lines) < 3 || !strings.Contains(lines[2], "surprises_test.go:") {
				t.Errorf("the stack does not begin in the author's code:\n%s", turn.Stuck.Stack)
			}
		})
	}
}

// A child continues when its parent completes, because no call asked it to stop.
func TestSurpriseP06AChildOutlivesItsParent(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	last := turnstile.NewActivity[int, int]("Last")
	slow := turnstile.NewOrchestration[int, int]("Slow")
	e := start(t, last.Implement(func(context.Context, int) (int, error) { close(done); return 0, nil }),
		slow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return 0, err
			}
			return last.Call(ctx, 0)
		}),
		parent.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			slow.With(turnstile.InstanceID("slow")).Start(ctx, 0)
			return "gone", nil
		}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, ""))
	ok[string](t)(run.Wait(e.ctx))
	ok[int](t)(client.Attach(e.client, slow, "slow").Wait(e.ctx))
	<-done
	if want := []string{"OrchestrationStarted", "SubOrchestrationScheduled", "OrchestrationCompleted"}; !reflect.DeepEqual(kinds(e.history(run.Instance)), want) {
		t.Errorf("the parent's history is %v, want %v", kinds(e.history(run.Instance)), want)
	}
}

// A future and a context belong to one instance. Using one that another instance left in a variable
// is an error, and so is using one whose orchestration does not run at that moment: on a goroutine,
// or after its end. R-13: using the orchestration's context in an inline activity is an error that
// names the activity and the call.
func TestSurpriseDurableCallsOnWhatBelongsElsewhereAreTypedErrors(t *testing.T) {
	t.Parallel()
	var left turnstile.Context
	var leftFuture turnstile.Future[int]
	leave := turnstile.NewOrchestration[int, int]("Leave")
	use := turnstile.NewOrchestration[int, int]("Use")
	peek := turnstile.NewActivity[int, string]("Peek")
	errs := map[string]error{}
	e := start(t, double.Implement(doubled),
		peek.Implement(func(context.Context, int) (string, error) {
			_, errs["activity Double"] = double.Call(left, 1)
			errs["Now"] = misuse(func() { turnstile.Now(left) })
			_, errs["Await"] = leftFuture.Await(left)
			return "", nil
		}),
		leave.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			left = ctx
			leftFuture = double.Start(ctx, 1)
			if _, err := peek.Inline(ctx, 0); err != nil {
				return 0, err
			}
			for _, call := range []string{"activity Double", "Now", "Await"} {
				nested, isNested := errors.AsType[*turnstile.MisuseError](errs[call])
				if !isNested || !errors.Is(nested, turnstile.ErrNested) || nested.Call != call || nested.Inside != `inline activity "Peek"` {
					return 0, differ("%s inside an inline activity gave %v", call, errs[call])
				}
			}
			done := make(chan error)
			go func() { done <- turnstile.Sleep(ctx, time.Second) }()
			errs["a goroutine of its own"] = <-done
			return leftFuture.Await(ctx)
		}),
		use.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			_, errs["Await"] = leftFuture.Await(ctx)
			_, errs["Select"] = turnstile.Select(ctx, leftFuture)
			_, _, errs["Any"] = turnstile.Any(ctx, leftFuture)
			_, errs["Join"] = turnstile.Join(ctx, leftFuture)
			_, errs["Settle"] = turnstile.JoinSettled(ctx, leftFuture)
			for _, o := range turnstile.AsCompleted(ctx, leftFuture) {
				errs["AsCompleted"] = o.Err
			}
			return 0, nil
		}))
	ok[int](t)(ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, leave, 0)).Wait(e.ctx))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, use, 0))
	ok[int](t)(run.Wait(e.ctx))
	var ended turnstile.Context
	replay(t, turnstile.NewApp(use.Implement(func(ctx turnstile.Context, _ int) (int, error) { ended = ctx; return 0, nil })), run.Instance, e.history(run.Instance))
	errs["a context whose orchestration has ended"] = turnstile.Sleep(ended, time.Second)
	for _, call := range []string{"Await", "Select", "Any", "Join", "Settle", "AsCompleted"} {
		if err := errs[call]; !errors.Is(err, turnstile.ErrForeignFuture) || !strings.HasPrefix(err.Error(), "turnstile: "+call) {
			t.Errorf("%s of another instance's future: %v", call, err)
		}
	}
	for _, what := range []string{"a goroutine of its own", "a context whose orchestration has ended"} {
		if err := errs[what]; !errors.Is(err, turnstile.ErrNotRunning) || !strings.HasPrefix(err.Error(), "turnstile: timer") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := kinds(e.history(run.Instance)); len(got) != 2 {
		t.Errorf("recorded were %v", got)
	}
}

// Operations of a scope whose time is over are cancelled, wherever they are awaited.
func TestSurpriseAFutureOfABranchOutlivesTheBranchButNotItsScope(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var inner turnstile.Future[struct{}]
		branch := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
			inner = turnstile.After(ctx, time.Hour)
			return 0, nil
		})
		if _, err := branch.Await(ctx); err != nil {
			return err
		}
		if _, err := inner.Await(ctx); err != nil {
			return differ("when the branch had returned: %v", err)
		}
		scope, cancel := turnstile.WithCancel(ctx)
		branch = turnstile.Go(scope, func(ctx turnstile.Context) (int, error) {
			inner = turnstile.After(ctx, time.Hour)
			return 0, nil
		})
		if _, err := branch.Await(ctx); err != nil {
			return err
		}
		cancel("over")
		if _, err := inner.Await(ctx); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("when its scope was over: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A failing branch does not fail the orchestration: its Future has the error, which is lost if the
// code never awaits it.
func TestSurpriseAnErrorOfABranchIsLostUnlessAwaited(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		turnstile.Go(ctx, func(turnstile.Context) (int, error) { return 0, errors.New("lost") })
		return turnstile.Sleep(ctx, time.Second)
	})
	if err != nil {
		t.Error(err)
	}
}

// misuse returns the error that fn panics with; nil if it returns.
func misuse(fn func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(*turnstile.MisuseError)
		}
	}()
	fn()
	return nil
}

// withoutErrors are the durable calls that return no error.
var withoutErrors = map[string]func(turnstile.Context){
	"Now":          func(ctx turnstile.Context) { turnstile.Now(ctx) },
	"UUID":         func(ctx turnstile.Context) { turnstile.UUID(ctx) },
	"Random":       func(ctx turnstile.Context) { turnstile.Random(ctx).IntN(10) },
	"Annotate":     func(ctx turnstile.Context) { turnstile.Annotate(ctx, 0, "line") },
	"Patched":      func(ctx turnstile.Context) { turnstile.Patched(ctx, "p") },
	"PatchRetired": func(ctx turnstile.Context) { turnstile.PatchRetired(ctx, "p") },
}

// Calls that return no error panic where they are not allowed, all with the same type, which wraps
// the error of the other calls.
func TestSurpriseCallsWithoutErrorsPanicWhereTheyAreNotAllowed(t *testing.T) {
	t.Parallel()
	for name, call := range withoutErrors {
		got := map[string]error{}
		var left turnstile.Context
		_, err := outcome(t, func(ctx turnstile.Context) error {
			left = ctx
			done := make(chan error)
			go func() { done <- misuse(func() { call(ctx) }) }()
			got["another goroutine"] = <-done
			_, err := turnstile.SideEffect(ctx, "it", func() (int, error) {
				got["a side effect"] = misuse(func() { call(ctx) })
				return 0, nil
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got["after the end"] = misuse(func() { call(left) })
		for where, want := range map[string]error{"another goroutine": turnstile.ErrNotRunning, "a side effect": turnstile.ErrNested, "after the end": turnstile.ErrNotRunning} {
			found, is := errors.AsType[*turnstile.MisuseError](got[where])
			if !is || found.Call != name || !errors.Is(found, want) || strings.Contains(found.Error(), "GUID") {
				t.Errorf("%s, %s: %v", name, where, got[where])
			}
		}
	}
}

// In a deferred function at the end of a turn they return the zero value, because the function
// cannot know when it runs, and nothing that it does then is recorded.
func TestSurpriseCallsWithoutErrorsReturnNothingWhileTheOrchestrationIsUnloaded(t *testing.T) {
	t.Parallel()
	for name, call := range withoutErrors {
		flow := turnstile.NewOrchestration[int, int]("Flow")
		ran, returned := 0, 0
		app := turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			defer func() { ran++; call(ctx); returned++ }()
			return 0, turnstile.Sleep(ctx, time.Hour)
		}))
		e := start(t, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, turnstile.Sleep(ctx, time.Hour) }))
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
		ok[int](t)(run.Wait(e.ctx))
		turn := replay(t, app, run.Instance, e.history(run.Instance)[:2])
		if turn.Stuck != nil || len(turn.Events) != 0 || ran != 1 || returned != 1 {
			t.Errorf("%s: the replay gave %v and %d events; the function ran %d times and returned %d times", name, turn.Stuck, len(turn.Events), ran, returned)
		}
	}
}

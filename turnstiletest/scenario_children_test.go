package turnstiletest_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestChildrenAndExecutionsAsAnAuthorSeesThem(t *testing.T) {
	t.Parallel()
	child := turnstile.NewOrchestration[int, string]("Child")
	quick := func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) { numbered(env, atOnce) }
	// waits ends with its event, or when it is cancelled or terminated.
	waits := child.Implement(func(ctx turnstile.Context, _ int) (string, error) { return approved.Wait(ctx) })
	// ended returns how the child ended; the parent does not wait for it.
	ended := func(want client.Status) func(turnstiletest.T, *turnstiletest.Env, *turnstiletest.Run[string]) {
		return func(t turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			if got := turnstiletest.Instance(env, child, "kid").Describe().Status; got != want {
				t.Errorf("the child is %s, want %s", got, want)
			}
		}
	}
	leave := func(how turnstile.OrchestrationOption) func(turnstile.Context, int) (string, error) {
		return func(ctx turnstile.Context, n int) (string, error) {
			child.With(turnstile.InstanceID("kid"), how).Start(ctx, n)
			return "gone", turnstile.Sleep(ctx, time.Minute)
		}
	}
	// kinds of a child's error, as its parent sees it.
	failed := func(ctx turnstile.Context, n int) (string, error) {
		_, err := child.With(turnstile.InstanceID("kid")).Call(ctx, n)
		e, _ := errors.AsType[*turnstile.ChildError](err)
		return fmt.Sprint(e.Orchestration, " ", e.Instance, " ", e.Kind), nil
	}
	look(t, map[string]*seen{
		"P-01 two children of one turn": {code: func(ctx turnstile.Context, _ int) (string, error) {
			one, two := child.Start(ctx, 1), child.Start(ctx, 2)
			if one.Instance() == two.Instance() {
				return "", errors.New("they have one id")
			}
			both, err := turnstile.Join(ctx, one, two)
			return fmt.Sprint(both), err
		}, parts: []turnstile.Component{child.Implement(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) })},
			do: quick, want: "[r-1 r-2]", history: "Started Child(Child) Child(Child) Done←2 Done←3 Completed"},
		"P-02 a child that fails": {code: failed, parts: []turnstile.Component{child.Implement(func(turnstile.Context, int) (string, error) { return "", errBusy })},
			want: "Child kid application", history: "Started Child(Child) Failed(application)←2 Completed"},
		"P-02 a child that is cancelled": {code: failed, parts: []turnstile.Component{waits},
			do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
				env.After(time.Hour, func() { turnstiletest.Instance(env, child, "kid").Cancel("enough") })
			}, want: "Child kid cancelled"},
		"P-02 a child that is terminated": {code: failed, parts: []turnstile.Component{waits},
			do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
				env.After(time.Hour, func() { turnstiletest.Instance(env, child, "kid").Terminate("enough") })
			}, want: "Child kid terminated"},
		"P-03 an id that is taken": {code: func(ctx turnstile.Context, n int) (string, error) {
			_, err := child.With(turnstile.InstanceID("main")).Call(ctx, n)
			e, _ := errors.AsType[*turnstile.ChildError](err)
			return string(e.Kind), nil
		}, parts: []turnstile.Component{waits}, want: "already_exists"},
		"P-04 a child that continues as new": {code: func(ctx turnstile.Context, n int) (string, error) { return child.Call(ctx, n) },
			parts: []turnstile.Component{child.Implement(func(ctx turnstile.Context, n int) (string, error) {
				if n > 0 {
					return "", child.ContinueAsNew(ctx, n-1)
				}
				return "last", nil
			})}, want: "last", history: "Started Child(Child) Done←2 Completed"},
		"P-05 P-06 an abandoned child continues, and its end is not delivered": {code: leave(turnstile.ParentClosePolicy(turnstile.Abandon)), parts: []turnstile.Component{waits},
			do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
				env.After(time.Hour, func() { turnstiletest.Raise(env, approved, "kid", "x") })
			}, want: "gone", history: "Started Child(Child) Timer(1m0s) Fired←3 Completed", check: ended(client.StatusCompleted)},
		"P-06 a child that is cancelled with its parent's end":  {code: leave(turnstile.ParentClosePolicy(turnstile.Cancel)), parts: []turnstile.Component{waits}, want: "gone", check: ended(client.StatusCancelled)},
		"P-06 a child that is terminated with its parent's end": {code: leave(turnstile.ParentClosePolicy(turnstile.Terminate)), parts: []turnstile.Component{waits}, want: "gone", check: ended(client.StatusTerminated)},
		"P-07 K-06 cancel reaches children and their children, and nothing detached": {code: func(ctx turnstile.Context, n int) (string, error) {
			if _, err := child.With(turnstile.InstanceID("apart")).StartDetached(ctx, 0); err != nil {
				return "", err
			}
			return child.With(turnstile.InstanceID("kid")).Call(ctx, n)
		}, parts: []turnstile.Component{child.Implement(func(ctx turnstile.Context, n int) (string, error) {
			if n == 3 {
				return child.With(turnstile.InstanceID("grandchild")).Call(ctx, 1)
			}
			return approved.Wait(ctx)
		})}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			env.After(time.Hour, func() { run.Cancel("enough") })
		}, err: turnstile.ErrCancelled, history: "Started Detached(Child) Child(Child) CancelRequested Failed(cancelled)",
			check: func(t turnstiletest.T, env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
				for id, want := range map[string]client.Status{"kid": client.StatusCancelled, "grandchild": client.StatusCancelled, "apart": client.StatusRunning} {
					if got := turnstiletest.Instance(env, child, id).Describe().Status; got != want {
						t.Errorf("%s is %s, want %s", id, got, want)
					}
				}
			}},
		"N-01 three continue-as-new": {code: func(ctx turnstile.Context, n int) (string, error) {
			if n > 0 {
				return "", fulfil.ContinueAsNew(ctx, n-1)
			}
			return "last", nil
		}, want: "last", check: func(t turnstiletest.T, _ *turnstiletest.Env, run *turnstiletest.Run[string]) {
			for i := int64(1); i <= 4; i++ {
				h := run.Execution(i)
				if input := string(h[0].Payload); input != fmt.Sprint(4-i) || h[0].EventID != 1 {
					t.Errorf("execution %d begins with event %d, input %s", i, h[0].EventID, input)
				}
			}
		}},
		"N-02 unconsumed events are passed on in order": {code: func(ctx turnstile.Context, n int) (string, error) {
			if n == 3 {
				if err := turnstile.Sleep(ctx, time.Hour); err != nil {
					return "", err
				}
				return "", fulfil.ContinueAsNew(ctx, 0)
			}
			one, err := approved.Wait(ctx)
			if err != nil {
				return "", err
			}
			two, err := approved.Wait(ctx)
			return one + two, err
		}, do: func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, approved, run.Instance, "a ")
			turnstiletest.Raise(env, approved, run.Instance, "b")
		}, want: "a b", history: "Started Ev(approved) Ev(approved) Sub(approved) Sub(approved) Completed"},
		"N-03 what was open before does not reach the next execution": {code: func(ctx turnstile.Context, n int) (string, error) {
			call := charge.Start(ctx, n) // event 2 of both
			if n == 3 {
				return "", fulfil.ContinueAsNew(ctx, 4)
			}
			return call.Await(ctx)
		}, do: func(env *turnstiletest.Env, _ *turnstiletest.Run[string]) {
			numbered(env, func(n int) int { return n })
		},
			want: "r-4", history: "Started Act(Charge) Done←2 Completed"},
	})
}

func TestN05AThousandIterationsAreAThousandShortHistories(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, flow(func(ctx turnstile.Context, n int) (string, error) {
		if n == 1000 {
			return "done", nil
		}
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return "", err
		}
		return "", fulfil.ContinueAsNew(ctx, n+1)
	}))
	run := turnstiletest.Start(env, fulfil, 0)
	if got, err := run.Wait(); got != "done" || err != nil {
		t.Fatalf("it ended with %q, %v", got, err)
	}
	if d := run.Describe(); d.ExecutionID != 1001 {
		t.Errorf("it is at execution %d", d.ExecutionID)
	}
	for _, n := range []int64{1, 500, 1000} {
		if h := run.Execution(n).String(); h != "Started Timer(1h0m0s) Fired←2 ContinuedAsNew" {
			t.Errorf("execution %d is %s", n, h)
		}
	}
}

package turnstile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestForbiddenCallsOfAnInterceptorAreDetectedAndNamed(t *testing.T) {
	t.Parallel()
	type next = func(turnstile.Context) error
	event := turnstile.NewEvent[int]("go")
	for name, c := range map[string]struct {
		do   func(ctx turnstile.Context, next next) error
		want string
	}{
		"a panic before the code": {func(turnstile.Context, next) error { panic("oh") }, `panic in interceptor "i": oh`},
		"a panic after next": {func(ctx turnstile.Context, next next) error {
			_ = next(ctx)
			panic("oh")
		}, `panic in interceptor "i": oh`},
		"a durable call before the code": {func(ctx turnstile.Context, next next) error {
			_ = turnstile.Sleep(ctx, time.Hour)
			return next(ctx)
		}, `interceptor "i": it made a durable call, timer`},
		"a durable call after next": {func(ctx turnstile.Context, next next) error {
			err := next(ctx)
			_ = turnstile.Sleep(ctx, time.Hour)
			return err
		}, `interceptor "i": it made a durable call, timer`},
		"a durable call without an error": {func(ctx turnstile.Context, next next) error {
			turnstile.Now(ctx)
			return next(ctx)
		}, `panic in interceptor "i": turnstile: Now inside interceptor "i"`},
		"a durable call in place of the code": {func(ctx turnstile.Context, _ next) error {
			_, err := event.Wait(ctx)
			return err
		}, `interceptor "i": it made a durable call, wait for external event go`},
		"a branch": {func(ctx turnstile.Context, next next) error {
			turnstile.Go(ctx, func(turnstile.Context) (int, error) { return 0, nil })
			return next(ctx)
		}, `interceptor "i": it made a durable call, Go`},
		"neither next nor an error": {func(turnstile.Context, next) error { return nil }, `interceptor "i": it neither called next nor returned an error`},
		"next twice": {func(ctx turnstile.Context, next next) error {
			_ = next(ctx)
			return next(ctx)
		}, `interceptor "i": next was called twice`},
		"no context": {func(_ turnstile.Context, next next) error { return next(turnstile.Context{}) }, `next: the Context is the zero value`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := turnstile.NewOrchestration[int, int]("Main")
			e := start(t,
				turnstile.Interceptor{Name: "i", Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
					return c.do(ctx, next)
				}},
				main.With(turnstile.FailWhenStuck()).Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil }))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 1))
			_, err := run.Wait(e.ctx)
			failed, is := errors.AsType[*client.OrchestrationError](err)
			if !is || !strings.Contains(failed.Message, c.want) {
				t.Errorf("the instance ended with %v, want %q", err, c.want)
			}
		})
	}
}

func TestAPanicOfTheCodeDoesNotNameTheInterceptor(t *testing.T) {
	t.Parallel()
	main := turnstile.NewOrchestration[int, int]("Main")
	var none notes
	e := start(t, none.noting("i"), main.With(turnstile.FailWhenStuck()).Implement(func(turnstile.Context, int) (int, error) { panic("oh") }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 1))
	_, err := run.Wait(e.ctx)
	if failed, is := errors.AsType[*client.OrchestrationError](err); !is || !strings.HasPrefix(failed.Message, "panic: oh") {
		t.Errorf("the instance ended with %v", err)
	}
}

func TestAPanicInAnActivityInterceptorFailsTheAttemptAndNamesIt(t *testing.T) {
	t.Parallel()
	act := turnstile.NewActivity[string, int]("Act")
	main := turnstile.NewOrchestration[string, string]("Main")
	e := start(t,
		turnstile.Interceptor{Name: "i", Activity: func(ctx context.Context, call *turnstile.ActivityCall, next func(context.Context) error) error {
			switch string(call.Input) {
			case `"panic"`:
				panic("oh")
			case `"nothing"`:
				return nil
			}
			return next(ctx)
		}},
		act.Implement(func(_ context.Context, what string) (int, error) { panic("the code's own " + what) }),
		main.Implement(func(ctx turnstile.Context, what string) (string, error) {
			_, err := act.Call(ctx, what)
			failed, is := errors.AsType[*turnstile.ActivityError](err)
			if !is || failed.Kind != turnstile.KindPanic || !strings.Contains(failed.Stack, "_test.go") {
				return "", differ("%v", err)
			}
			return failed.Message, nil
		}))
	for what, want := range map[string]string{
		"panic":   `panic in activity "Act": interceptor "i": oh`,
		"nothing": `interceptor "i": it neither called next nor returned an error`,
		"other":   `panic in activity "Act": the code's own other`,
	} {
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, main, what))
		got, err := run.Wait(e.ctx)
		if err != nil && what == "nothing" {
			continue // Its stack contains no code of the author.
		}
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
}

func TestMistakesOfAClientsInterceptor(t *testing.T) {
	t.Parallel()
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t, main.Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil }))
	var c *client.Client
	var do func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error
	c = e.client.WithInterceptors(turnstile.Interceptor{Name: "i", Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
		return do(ctx, call, next)
	}})
	for name, mistake := range map[string]struct {
		do   func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error
		want string
	}{
		"it calls the client": {func(ctx context.Context, _ *turnstile.ClientCall, _ func(context.Context) error) error {
			return c.WithActor("other").Cancel(ctx, "m", "")
		}, "an interceptor made this call"},
		"headers that cannot be sent": {func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
			call.Headers = map[string]string{"Bad": ""}
			return next(ctx)
		}, `the headers cannot be sent: the name "Bad"`},
		"no next":   {func(context.Context, *turnstile.ClientCall, func(context.Context) error) error { return nil }, `interceptor "i": it returned no error`},
		"it panics": {func(context.Context, *turnstile.ClientCall, func(context.Context) error) error { panic("oh") }, `interceptor "i": oh`},
	} {
		do = mistake.do
		err := func() (err error) {
			defer func() {
				if v, is := recover().(error); is {
					err = v
				}
			}()
			_, err = client.Start(e.ctx, c, main, 1)
			return err
		}()
		if err == nil || !strings.Contains(err.Error(), mistake.want) {
			t.Errorf("%s: %v, want %q", name, err, mistake.want)
		}
	}
}

func TestAnApplicationReportsInvalidInterceptors(t *testing.T) {
	t.Parallel()
	var none notes
	app := turnstile.NewApp(turnstile.Interceptor{}, none.noting("twice"), none.noting("twice"), turnstile.Interceptor{Name: "empty"},
		turnstile.Interceptor{Name: "outside", Client: none.noting("").Client})
	for _, want := range []string{"an interceptor has no name", `the name "twice"`, `"empty" has no function`, `"outside" has only Client`} {
		if err := app.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

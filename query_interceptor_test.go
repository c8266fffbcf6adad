package turnstile_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A client's interceptor sees a query, and one of the application the answer, with the headers of the start
// and those of the request; so does the handler see the headers of the start.
func TestInterceptorsRunAroundAQueryAndItsAnswer(t *testing.T) {
	t.Parallel()
	flow, tenant := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewQuery[int, string]("tenant")
	var seen []string
	outer := turnstile.Interceptor{Name: "outer", Query: func(ctx context.Context, call *turnstile.QueryCall, next func(context.Context) error) error {
		seen = append(seen, "outer")
		return next(ctx)
	}}
	inner := turnstile.Interceptor{Name: "inner", Query: func(ctx context.Context, call *turnstile.QueryCall, next func(context.Context) error) error {
		seen = append(seen, "inner "+call.Instance+" "+call.Orchestration+" "+call.Name+" "+string(call.Input)+" "+call.Headers["tenant"]+" "+call.RequestHeaders["request"])
		err := next(ctx)
		seen = append(seen, "answered "+string(call.Output))
		return err
	}}
	env := turnstiletest.New(t, turnstile.NewApp(outer, inner, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		tenant.Handle(ctx, func(n int) (string, error) {
			if n < 0 {
				return "", errors.New("less than nothing")
			}
			return turnstile.Info(ctx).Headers["tenant"], nil
		})
		return counted2.Wait(ctx)
	})))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"), client.WithHeaders(map[string]string{"tenant": "c-1"}))
	env.Run()
	c := env.Client().WithInterceptors(turnstile.Interceptor{Name: "client", Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
		seen = append(seen, call.Operation+" "+call.Instance+" "+call.Name+" "+string(call.Payload)+" "+call.Actor)
		call.Headers = maps.Clone(call.Headers)
		if call.Headers == nil {
			call.Headers = map[string]string{}
		}
		call.Headers["request"] = "r-1"
		return next(ctx)
	}}).WithActor("ada")
	if a, err := client.Query(t.Context(), c, tenant, "i", 7); err != nil || a.Value != "c-1" {
		t.Errorf("the answer is %+v, %v", a, err)
	}
	if want := []string{"query i tenant 7 ada", "outer", "inner i Flow tenant 7 c-1 r-1", `answered "c-1"`}; !slices.Equal(seen, want) {
		t.Errorf("the interceptors have seen %q, want %q", seen, want)
	}
	if _, err := client.Query(t.Context(), c, tenant, "i", -1); !isNoAnswer(err, "failed", "less than nothing") {
		t.Errorf("an error of the handler: %v", err)
	}
}

func TestTheErrorOfAQueryNamesTheInterceptor(t *testing.T) {
	t.Parallel()
	flow, one := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewQuery[int, int]("one")
	for name, c := range map[string]struct {
		does       func(context.Context, func(context.Context) error) error
		kind, says string
	}{
		"it refuses": {func(context.Context, func(context.Context) error) error { return errors.New("not yours") }, "failed", "not yours"},
		"it replaces an error": {func(ctx context.Context, next func(context.Context) error) error {
			return errors.Join(next(ctx), errors.New("late"))
		}, "failed", "late"},
		"it panics":                 {func(context.Context, func(context.Context) error) error { panic("oh") }, "panic", `interceptor "i": oh`},
		"it neither calls nor says": {func(context.Context, func(context.Context) error) error { return nil }, "panic", "neither called next nor returned an error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			env := turnstiletest.New(t, turnstile.NewApp(
				turnstile.Interceptor{Name: "i", Query: func(ctx context.Context, _ *turnstile.QueryCall, next func(context.Context) error) error {
					return c.does(ctx, next)
				}},
				flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
					one.Handle(ctx, func(int) (int, error) { ran = true; return 1, nil })
					return counted2.Wait(ctx)
				})))
			turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"))
			env.Run()
			if _, err := client.Query(t.Context(), env.Client(), one, "i", 0); !isNoAnswer(err, c.kind, c.says) {
				t.Errorf("it is %v", err)
			}
			if ran != (name == "it replaces an error") {
				t.Errorf("the handler ran: %t", ran)
			}
		})
	}
}

var counted2 = turnstile.NewEvent[int]("counted")

func isNoAnswer(err error, kind, says string) bool {
	no, is := errors.AsType[*client.QueryError](err)
	return is && no.Kind == kind && strings.Contains(no.Message, says)
}

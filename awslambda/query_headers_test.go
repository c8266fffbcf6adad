package awslambda

import (
	"context"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// The headers of a client's interceptor reach the interceptors of the query function, which flushes.
func TestTheQueryFunctionHandsOnHeadersAndFlushes(t *testing.T) {
	t.Parallel()
	flow, one := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewQuery[int, int]("one")
	got, flushes := "", 0
	env := turnstiletest.New(t, turnstile.NewApp(
		turnstile.Interceptor{Name: "i", Query: func(ctx context.Context, call *turnstile.QueryCall, next func(context.Context) error) error {
			got = call.RequestHeaders["trace"] + " " + call.Headers["tenant"]
			return next(ctx)
		}},
		flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			one.Handle(ctx, func(int) (int, error) { return 1, nil })
			return turnstile.NewEvent[int]("approved").Wait(ctx)
		})))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"), client.WithHeaders(map[string]string{"tenant": "c-1"}))
	env.Run()
	handler := lambda.NewHandler((&queryFunction{client: env.Client(), flush: func(context.Context) error { flushes++; return nil }}).Handle)
	o := collect([]Option{WithQueries(func(ctx context.Context, payload []byte) ([]byte, error) { return handler.Invoke(ctx, payload) })})
	c, err := client.New(client.Config{Queue: noQueue{}, Queries: o.queries})
	if err != nil {
		t.Fatal(err)
	}
	c = c.WithInterceptors(turnstile.Interceptor{Name: "c", Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
		call.Headers = map[string]string{"trace": "t-1"}
		return next(ctx)
	}})
	if a, err := client.Query(t.Context(), c, one, "i", 0); err != nil || a.Value != 1 || got != "t-1 c-1" || flushes != 1 {
		t.Errorf("%+v, %v; the headers are %q, %d flushes", a, err, got, flushes)
	}
}

package awslambda

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A client asks the query function as it asks a process that has the code, and gets the same errors.
func TestTheQueryFunctionAnswersLikeAProcessWithTheCode(t *testing.T) {
	t.Parallel()
	flow, approved := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewEvent[int]("approved")
	twice, broken := turnstile.NewQuery[int, int]("twice"), turnstile.NewQuery[int, int]("broken")
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		twice.Handle(ctx, func(n int) (int, error) {
			if n < 0 {
				return 0, errors.New("less than nothing")
			}
			return 2 * n, nil
		})
		broken.Handle(ctx, func(n int) (int, error) { return 1 / n, nil })
		return approved.Wait(ctx)
	})))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"))
	env.Run()
	handler := lambda.NewHandler((&queryFunction{client: env.Client()}).Handle)
	o := collect([]Option{WithQueries(func(ctx context.Context, payload []byte) ([]byte, error) { return handler.Invoke(ctx, payload) })})
	c, err := client.New(client.Config{Queue: noQueue{}, Queries: o.queries})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := client.Query(t.Context(), c, twice, "i", 21); err != nil || a.Value != 42 || a.ReadTo != 2 || a.LastEventID != 2 || a.ExecutionID != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	var refused *client.QueryError
	if _, err := client.Query(t.Context(), c, twice, "i", -1); !errors.As(err, &refused) || refused.Kind != "failed" || refused.Orchestration != "Flow" || !strings.Contains(err.Error(), "less than nothing") {
		t.Errorf("an error of the handler: %v", err)
	}
	var missing *client.NotFoundError
	if _, err := client.Query(t.Context(), c, twice, "j", 1); !errors.As(err, &missing) || missing.Instance != "j" || !missing.FreeAt.IsZero() {
		t.Errorf("an instance that does not exist: %v", err)
	}
	if _, err := client.Query(t.Context(), c, broken, "i", 0); !errors.As(err, &refused) || refused.Kind != "panic" || !strings.Contains(refused.Stack, "query_test.go:") {
		t.Errorf("a handler that panics: %v", err)
	}
	if out, err := handler.Invoke(t.Context(), []byte(`{"Records":[{"eventSource":"aws:sqs","body":"{}"}]}`)); err == nil || !strings.Contains(err.Error(), "event source") {
		t.Errorf("messages of a queue: %s, %v", out, err)
	}
	if out, err := handler.Invoke(t.Context(), []byte(`{"instance":"i","name":""}`)); err != nil || json.Unmarshal(out, new(queryAnswer)) != nil || !strings.Contains(string(out), `"error":`) {
		t.Errorf("a query without a name: %s, %v", out, err)
	}
	turnstiletest.Raise(env, approved, "i", 1)
	env.Run()
	if err := env.Client().Purge(t.Context(), "i"); err != nil {
		t.Fatal(err)
	}
	env.Run()
	if _, err := client.Query(t.Context(), c, twice, "i", 1); !errors.As(err, &missing) || missing.FreeAt.IsZero() || !strings.Contains(err.Error(), "purged") {
		t.Errorf("an instance that was purged: %v", err)
	}
}

func TestTheQueryFunctionSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := newQueryFunction(turnstile.NewApp(), nil)
	var wrong *configError
	if !errors.As(err, &wrong) || wrong.Process != "query function" || len(wrong.Problems) != 2 {
		t.Errorf("without variables: %v", err)
	}
}

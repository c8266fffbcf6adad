package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// asked is an instance "i" whose code answers queries, and the client with its code.
func asked(t *testing.T) *client.Client {
	t.Helper()
	flow, approved, asks := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewEvent[int]("approved"), turnstile.NewActivity[int, int]("Ask")
	twice, panics, calls := turnstile.NewQuery[int, int]("twice"), turnstile.NewQuery[int, int]("panics"), turnstile.NewQuery[int, int]("calls")
	step := turnstile.NewState[string]("step")
	app := turnstile.NewApp(twice, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		twice.Handle(ctx, func(n int) (int, error) {
			if n < 0 {
				return 0, errors.New("less than nothing")
			}
			return 2 * n, nil
		})
		panics.Handle(ctx, func(int) (int, error) { panic("boom") })
		calls.Handle(ctx, func(n int) (int, error) { return asks.Call(ctx, n) })
		if err := step.Set(ctx, "waits"); err != nil {
			return 0, err
		}
		return approved.Wait(ctx)
	}))
	env := turnstiletest.New(t, app, turnstiletest.WithStartTime(epoch))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"))
	env.Run()
	if err := env.Client().Suspend(t.Context(), "i", "to look"); err != nil {
		t.Fatal(err)
	}
	env.Run()
	return env.Client().WithApp(app)
}

func TestAQueryIsAnsweredByAClientAndByAConsole(t *testing.T) {
	t.Parallel()
	c := asked(t)
	h, err := console.Handler(c) // It is read-only.
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	server.Config.SetKeepAlivesEnabled(false)
	direct, served := newBench(t), newBench(t)
	direct.made = c
	served.as = backend.Open(&backend.Settings{Console: server.URL, Getenv: func(string) string { return "" }})
	for name, b := range map[string]*bench{"a client": direct, "a console": served} {
		r := b.runWith(t.Context(), "21", "query", "i", "twice", "-")
		if r.status != exitOK || r.out != "42\n" || !strings.Contains(r.err, "up to 2 of 3") {
			t.Errorf("%s: %+v", name, r)
		}
		var answer api.QueryAnswer
		if err := json.Unmarshal([]byte(b.ok("query", "i", "twice", "4", "--output", "json")), &answer); err != nil || string(answer.Output) != "8" || answer.ReadTo != 2 || answer.LastEventID != 3 || answer.ExecutionID != 1 || answer.Problem != nil {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
		b.fails(exitFailed, []string{`query "twice" of instance "i" (Flow)`, "less than nothing", "(failed)"}, "query", "--", "i", "twice", "-1")
		b.fails(exitFailed, []string{"calls, panics, twice", `did you mean "twice"?`, "(unknown)"}, "query", "i", "twise")
		b.fails(exitFailed, []string{"boom", "(panic)", "query_test.go"}, "query", "i", "panics", "1")
		b.fails(exitFailed, []string{"durable call", "(durable_call)"}, "query", "i", "calls", "1")
		b.fails(exitNotFound, []string{`no instance "j"`}, "query", "j", "twice", "1")
		b.fails(exitUsage, []string{"INPUT is not JSON"}, "query", "i", "twice", "{")
		b.fails(exitUsage, []string{"query needs INSTANCE NAME [INPUT]"}, "query", "i")
		if got := b.offers("query", "i", "t"); len(got) != 1 || got[0] != "twice" {
			t.Errorf("%s: a shell is offered %q", name, got)
		}
	}
}

func TestAnAgentReadsStatesAndAsks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.made = asked(t)
	a := b.agent()
	a.says("read_state", `{"instance":"i"}`, `"status":"suspended"`, `"states":{"step":{"value":"waits"`, `"event_id":1`)
	a.says("read_state", `{"instance":"i","name":"step"}`, `"value":"waits"`)
	a.refuses("read_state", `{"instance":"i","name":"steps"}`, `has not set the state "steps"`, `did you mean "step"?`)
	a.refuses("read_state", `{"instance":"j"}`, `no instance "j"`)
	a.says("ask_query", `{"instance":"i","name":"twice","input":4}`, `"output":8`, `"read_to":2`, `"last_event_id":3`)
	a.refuses("ask_query", `{"instance":"i","name":"twise"}`, "calls, panics, twice", "(unknown)")
	a.refuses("ask_query", `{"instance":"i","name":"panics","input":1}`, "boom", "(panic)", "query_test.go")
}

func TestAStackAnswersAQueryWithItsFunction(t *testing.T) {
	t.Parallel()
	outputs := complete()
	outputs["QueryFunction"] = "shop-query"
	answer, failed := `{"answer":{"value":{"hours":3},"execution_id":1,"read_to":7,"last_event_id":7}}`, ""
	c := &cloud{outputs: outputs, lambda: func(w http.ResponseWriter, _ *http.Request, body []byte) {
		if !strings.Contains(string(body), `"instance":"order-17","name":"left","input":{"a":1}`) {
			t.Errorf("it is asked %s", body)
		}
		if failed != "" {
			w.Header().Set("X-Amz-Function-Error", failed)
		}
		_, _ = io.WriteString(w, answer)
	}}
	ask := func(c *cloud) result {
		t.Helper()
		return runOn(t, c, nil, "--stack", "turnstile-dev", "query", "order-17", "left", `{"a":1}`)
	}
	if r := ask(c); r.status != exitOK || r.out != "{\"hours\":3}\n" || r.err != "" {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(c.calls, " "); got != "DescribeStacks lambda POST /2015-03-31/functions/shop-query/invocations" {
		t.Errorf("the calls were %s", got)
	}
	answer = `{"refused":{"instance":"order-17","orchestration":"Fulfil","query":"left","kind":"not_run","message":"its code has not run yet"}}`
	if r := ask(c); r.status != exitFailed || !strings.Contains(r.err, `query "left" of instance "order-17" (Fulfil): its code has not run yet (not_run)`) {
		t.Errorf("%+v", r)
	}
	answer, failed = `{"errorMessage":"Task timed out after 30.00 seconds"}`, "Unhandled"
	if r := ask(c); r.status != exitFailed || !strings.Contains(r.err, "function shop-query failed: Task timed out after 30.00 seconds") {
		t.Errorf("%+v", r)
	}
	if r := ask(&cloud{outputs: outputs}); r.status != exitFailed || !strings.Contains(r.err, "QueryPolicyArn") {
		t.Errorf("without the right: %+v", r)
	}
	if r := ask(&cloud{outputs: complete()}); r.status != exitFailed || !strings.Contains(r.err, "cannot ask queries") && !strings.Contains(r.err, "output QueryFunction") {
		t.Errorf("without the function: %+v", r)
	}
}

package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// An instance started when it did, whatever was redriven of it since; its executions have starts of
// their own; and what it took is not counted with the others.
func TestARedriveLeavesTheStartOfAnInstance(t *testing.T) {
	t.Parallel()
	assess, claim := turnstile.NewActivity[int, int]("Assess"), turnstile.NewOrchestration[int, int]("Claim")
	broken := true
	env := turnstiletest.New(t, turnstile.NewApp(
		assess.Implement(func(context.Context, int) (int, error) {
			if broken {
				return 0, turnstile.NonRetryable(errors.New("no assessor"))
			}
			return 1, nil
		}),
		claim.Implement(func(ctx turnstile.Context, n int) (int, error) {
			if err := turnstile.Sleep(ctx, 6*time.Second); err != nil {
				return 0, err
			}
			return assess.Call(ctx, n)
		})))
	startedAt := env.Now()
	redriven := turnstiletest.Start(env, claim, 1)
	if _, err := redriven.Wait(); err == nil {
		t.Fatal("it did not fail")
	}
	broken = false
	env.Advance(4 * time.Minute)
	again := env.Now()
	if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: redriven.Instance}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if _, err := redriven.Wait(); err != nil {
		t.Fatal(err)
	}
	fork := redriven.Instance + "-fork"
	if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: redriven.Instance, As: fork, From: 1}); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	other := turnstiletest.Start(env, claim, 2)
	if _, err := other.Wait(); err != nil {
		t.Fatal(err)
	}

	handler, err := console.Handler(env.Client(), console.WithClock(env.Now))
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string, into any) {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/api/v1/"+path, nil))
		if err := json.Unmarshal(w.Body.Bytes(), into); w.Code != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %v %s", path, w.Code, err, w.Body)
		}
	}
	near := func(what string, got, want time.Time) {
		t.Helper()
		if d := got.Sub(want); d < 0 || d > time.Second {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	var i api.Instance
	read("instances/"+redriven.Instance, &i)
	near("its start", i.CreatedAt, startedAt)
	near("its end", i.EndedAt, again)
	if i.Redriven != 1 || i.ExecutionID != 2 {
		t.Errorf("it is %+v", i)
	}
	var d api.Difference
	read("difference?a="+redriven.Instance+"&a_execution=1&b="+redriven.Instance+"&b_execution=2", &d)
	near("the start of its first execution", d.A.From, startedAt)
	near("the start of its second", d.B.From, again)
	if d.A.End != "failed" || d.B.End != "completed" {
		t.Errorf("the executions ended as %q and %q", d.A.End, d.B.End)
	}
	if i := slices.IndexFunc(d.Rows, func(r api.DifferenceRow) bool { return r.Name == "Assess" }); i < 0 || d.Rows[i].B.TookMS > 1000 {
		t.Errorf("what was started again took %+v", d.Rows)
	}
	var list api.InstanceList
	read("instances?from="+again.Add(-time.Second).UTC().Format(time.RFC3339)+"&to="+again.Add(90*time.Second).UTC().Format(time.RFC3339), &list)
	if len(list.Instances) != 1 || list.Instances[0].Instance != fork {
		t.Errorf("started at the time of the redrive have %+v", list.Instances)
	}
	var m api.Metrics
	read("metrics", &m)
	if took := m.All.Took; m.All.Started != 3 || m.All.Completed != 3 || m.All.Redriven != 2 || took == nil || took.Of != 1 || took.P50MS < 6000 || took.P50MS > 7000 {
		t.Errorf("the metrics are %+v, %+v", m.All, took)
	}
}

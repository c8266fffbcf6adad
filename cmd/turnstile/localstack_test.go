package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/deadletter"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// TestOnLocalStack drives the deployed template, whose functions run the
// sample application.
func TestOnLocalStack(t *testing.T) {
	if os.Getenv("AWS_ENDPOINT_URL") == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" || os.Getenv(orchestratorURL.variable) == "" {
		t.Skip("NOT RUN: needs the stack in LocalStack (localstack/local.sh up, its env, and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	t.Parallel()
	// The deadline is for a test that hangs, and for none that works.
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// Connections that are kept would outlive the test.
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true })
	backendOf := func(s *settings) backend {
		return awsBackend{settings: s, load: []func(*config.LoadOptions) error{config.WithHTTPClient(client)}}
	}
	run := func(args ...string) result {
		t.Helper()
		var out, err bytes.Buffer
		c := cli{in: strings.NewReader(""), out: &out, err: &err, getenv: os.Getenv, now: time.Now, poll: time.Second,
			open: backendOf}
		status := c.run(ctx, args)
		return result{status, out.String(), err.String()}
	}
	ok := func(args ...string) string {
		t.Helper()
		r := run(args...)
		if r.status != exitOK {
			t.Fatalf("turnstile %s: exit status %d, %s", strings.Join(args, " "), r.status, r.err)
		}
		return r.out
	}

	order := "order-" + rand.Text()
	out := ok("start", "Fulfil", "--instance", order, "--wait", "--timeout", "2m",
		"--input", `{"id":"`+order+`","customer":"Ada","card":"4111111111111111","lines":[{"sku":"book","quantity":2,"price":1499}]}`,
		"--event", `approved={"by":"Grace","approved":true}`)
	if !strings.Contains(out, `"shipped"`) {
		t.Errorf("it ended with %s", out)
	}
	if out := ok("history", order); !strings.Contains(out, "ReserveStock") || !strings.Contains(out, "OrchestrationCompleted") {
		t.Errorf("its history is\n%s", out)
	}
	if out := ok("--stack", "turnstile", "list", "--since", "1h", "--all", "--ids", "--name", "Fulfil"); !strings.Contains(out, order+"\n") {
		t.Errorf("listed are\n%s", out)
	}

	// Stuck, for the build does not have it.
	nobody := "nobody-" + rand.Text()
	ok("start", "Nobody", "--instance", nobody)
	for !strings.Contains(run("describe", nobody).out, "not_registered") {
		if ctx.Err() != nil {
			t.Fatal("it is not stuck")
		}
	}
	ok("wake", nobody)
	ok("terminate", nobody, "--reason", "test")
	if r := run("wait", nobody); r.status != exitBadEnd || !strings.Contains(r.err, "terminated") {
		t.Errorf("%+v", r)
	}

	// An activity's message on the wrong queue is a dead letter, goes back, and
	// is one again under another id.
	stray := "stray-" + rand.Text()
	queues, err := backendOf(&settings{getenv: os.Getenv}).Queues(ctx)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"v":1,"kind":"ActivityExecute","instance":"` + stray + `","execution_id":1,"scheduling_event_id":2,"name":"Charge","token":"0123456789abcdef0123456789abcdef"}`
	if err := queues[deadletter.Orchestrator].Send(ctx, queue.Outgoing{Body: body, Group: stray, DedupID: stray}); err != nil {
		t.Fatal(err)
	}
	dead := func() []api.DeadLetter {
		t.Helper()
		for {
			var letters []api.DeadLetter
			if err := json.Unmarshal([]byte(ok("dead-letter", "list", "--instance", stray, "--output", "json")), &letters); err != nil {
				t.Fatal(err)
			}
			if len(letters) > 0 {
				return letters
			}
		}
	}
	first := dead()
	if len(first) != 1 || first[0].Reason != string(wire.ReasonMisaddressed) || first[0].Queue != deadletter.DeadFIFO {
		t.Fatalf("the dead letters are %+v", first)
	}
	ok("dead-letter", "redrive", first[0].MessageID)
	second := dead()
	if len(second) != 1 || second[0].MessageID == first[0].MessageID {
		t.Fatalf("after the redrive they are %+v, before %+v", second, first)
	}
	if out := ok("dead-letter", "delete", second[0].MessageID); !strings.Contains(out, "deleted: "+second[0].MessageID) {
		t.Errorf("delete prints %s", out)
	}
}

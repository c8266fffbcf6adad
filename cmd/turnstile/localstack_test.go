package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// stackLine is a command line over the stack in LocalStack.
type stackLine struct {
	*testing.T
	ctx    context.Context
	client *awshttp.BuildableClient
}

func (l *stackLine) backend(s *backend.Settings) backend.Backend { return l.aws(s) }

func (l *stackLine) aws(s *backend.Settings) backend.AWS {
	return backend.NewAWS(s, config.WithHTTPClient(l.client))
}

func (l *stackLine) run(args ...string) result { return l.runWith("", args...) }

func (l *stackLine) runWith(in string, args ...string) result {
	var out, err bytes.Buffer
	c := cli{in: strings.NewReader(in), out: &out, err: &err, getenv: os.Getenv, now: time.Now, poll: time.Second, open: l.backend}
	status := c.run(l.ctx, args)
	return result{status, out.String(), err.String()}
}

// ok runs a command line that has to succeed, and returns what it prints.
func (l *stackLine) ok(args ...string) string {
	l.Helper()
	return l.okWith("", args...)
}

func (l *stackLine) okWith(in string, args ...string) string {
	l.Helper()
	r := l.runWith(in, args...)
	if r.status != exitOK {
		l.Fatalf("turnstile %s: exit status %d, %s", strings.Join(args, " "), r.status, r)
	}
	return r.out
}

// fails runs a command line that has to end with that status and say all of that.
func (l *stackLine) fails(status int, says []string, args ...string) {
	l.Helper()
	r := l.run(args...)
	for _, want := range says {
		if !strings.Contains(r.err, want) {
			l.Errorf("turnstile %s: it says %q, without %q", strings.Join(args, " "), r.err, want)
		}
	}
	if r.status != status {
		l.Errorf("turnstile %s: exit status %d, want %d: %s", strings.Join(args, " "), r.status, status, r)
	}
}

// until runs a command line again and again until what it prints has that in it.
func (l *stackLine) until(want string, args ...string) string {
	l.Helper()
	for {
		r := l.run(args...)
		if strings.Contains(r.out, want) {
			return r.out
		}
		if l.ctx.Err() != nil {
			l.Fatalf("turnstile %s: %q does not come: %s", strings.Join(args, " "), want, r)
		}
	}
}

// TestOnLocalStack drives the deployed template, whose functions run the
// sample application: every command that works on a stack, one after the other, for
// some of them stop it.
func TestOnLocalStack(t *testing.T) {
	if os.Getenv("AWS_ENDPOINT_URL") == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" || os.Getenv(address.OrchestratorURL.Variable) == "" {
		t.Skip("NOT RUN: needs the stack in LocalStack (localstack/local.sh up, its env, and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	// Connections that are kept would outlive the test.
	client := awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true })
	t.Setenv("TURNSTILE_BATCHES", t.TempDir())
	for _, part := range []struct {
		name string
		run  func(*stackLine)
	}{
		{"an order from start to its bill", anOrderOnTheStack},
		{"an instance that is stuck", aStuckInstanceOnTheStack},
		{"an activity that somebody else completes", aPendingActivityOnTheStack},
		{"many at once", manyAtOnceOnTheStack},
		{"dead letters", deadLettersOnTheStack},
		{"what is well and what is not", doctorOnTheStack},
		{"a history and the code of this folder", replayOnTheStack},
		{"a pause", pauseOnTheStack},
	} {
		t.Run(part.name, func(t *testing.T) {
			// The deadline is for a test that hangs, and for none that works.
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
			defer cancel()
			part.run(&stackLine{T: t, ctx: ctx, client: client})
		})
	}
}

// startOrder starts an order whose approval comes with it, if it is approved.
func (l *stackLine) startOrder(approved bool, more ...string) string {
	l.Helper()
	order := "order-" + rand.Text()
	args := []string{"start", "Fulfil", "--instance", order,
		"--input", `{"id":"` + order + `","customer":"Ada","card":"4111111111111111","lines":[{"sku":"book","quantity":2,"price":1499}]}`}
	if approved {
		args = append(args, "--event", `approved={"by":"Grace","approved":true}`)
	}
	l.ok(append(args, more...)...)
	return order
}

func anOrderOnTheStack(l *stackLine) {
	l.fails(exitNotFound, []string{"no instance", "was not sent", "--early"}, "raise", "order-of-nobody", "approved")
	order := l.startOrder(false, "--actor", "Ada", "--search", `customer = "ada"`)
	// It is watched at work, by somebody who came before its start was handled.
	watched := make(chan result, 1)
	go func() { watched <- l.run("watch", order, "--every", "200ms") }()
	l.until("event approved", "describe", order)
	l.ok("raise", order, "approved", "--actor", "Grace", "--data", `{"by":"Grace","approved":true}`)
	if out := l.ok("wait", order, "--timeout", "10m"); !strings.Contains(out, `"shipped"`) {
		l.Errorf("it ended with %s", out)
	}
	if r := <-watched; r.status != exitOK || !strings.Contains(r.out, "ReserveStock") || !strings.Contains(r.err, "completed") {
		l.Errorf("watch: %+v", r)
	}
	for _, want := range []string{"ReserveStock", "OrchestrationCompleted", "by Ada", "by Grace"} {
		if out := l.ok("history", order, "--all"); !strings.Contains(out, want) {
			l.Errorf("its history has no %q:\n%s", want, out)
		}
	}
	if out := l.ok("timeline", order); !strings.Contains(out, "\tactivity\tCharge\tdone\t") || !strings.Contains(out, "\tchild\tShip\t") && !strings.Contains(out, "Ship") {
		l.Errorf("its timeline is\n%s", out)
	}
	var bill timeline.Bill
	if err := json.Unmarshal([]byte(l.ok("cost", order, "--output", "json")), &bill); err != nil || bill.Dollars <= 0 || bill.Dollars > 0.001 || len(bill.Lines) < 4 {
		l.Errorf("its bill is %+v, %v", bill, err)
	}
	if out := l.ok("--stack", "turnstile", "list", "--since", "1h", "--all", "--ids", "--name", "Fulfil", "--where", `customer = "ada"`); !strings.Contains(out, order+"\n") {
		l.Errorf("listed are\n%s", out)
	}
	if out := l.ok("list", "--count", "--since", "1h", "--status", "completed"); !strings.HasPrefix(out, "completed\t") || strings.HasPrefix(out, "completed\t0\n") {
		l.Errorf("counted are\n%s", out)
	}
	l.fails(exitFailed, []string{"has already ended", "was not sent"}, "raise", order, "approved")
	l.fails(exitFailed, []string{"already exists"}, "start", "Fulfil", "--instance", order)
}

// Stuck, for the build does not have it.
func aStuckInstanceOnTheStack(l *stackLine) {
	nobody := "nobody-" + rand.Text()
	l.ok("start", "Nobody", "--instance", nobody, "--anyway")
	l.until("not_registered", "describe", nobody)
	l.ok("wake", nobody)
	l.ok("terminate", nobody, "--reason", "test")
	l.fails(exitBadEnd, []string{"terminated"}, "wait", nobody)
}

func aPendingActivityOnTheStack(l *stackLine) {
	start := func() (instance, token string) {
		l.Helper()
		instance = "pending-" + rand.Text()
		l.ok("start", "SmokePending", "--instance", instance, "--input", "{}")
		for token == "" {
			// The activity has left it in the details of its heartbeat.
			_ = json.Unmarshal(l.beat(instance), &token)
			if l.ctx.Err() != nil {
				l.Fatal("the token is empty")
			}
		}
		return instance, token
	}
	instance, token := start()
	file := filepath.Join(l.TempDir(), "token.txt")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		l.Fatal(err)
	}
	l.ok("heartbeat", "@"+file, "--details", `{"page":17}`)
	for !strings.Contains(string(l.beat(instance)), `{"page":`) {
		if l.ctx.Err() != nil {
			l.Fatalf("the last heartbeat has %s", l.beat(instance))
		}
	}
	l.okWith(token, "complete", "-", "--result", `"yes"`)
	if out := l.ok("wait", instance); out != "\"yes\"\n" {
		l.Errorf("it ended with %s", out)
	}
	instance, token = start()
	l.ok("fail", token, "--message", "the bank refused", "--code", "declined", "--details", `{"balance":3}`)
	l.fails(exitBadEnd, []string{"the bank refused"}, "wait", instance)
	if out := l.ok("history", instance); !strings.Contains(out, "application declined: the bank refused") || !strings.Contains(out, `{"balance":`) {
		l.Errorf("its history is\n%s", out)
	}
	l.fails(exitFailed, []string{"is not pending: it was completed at event 3 (ActivityFailed)"}, "complete", token, "--result", `"late"`)
	instance, token = start()
	l.ok("cancel", instance)
	l.fails(exitBadEnd, []string{"cancelled"}, "wait", instance)
	l.fails(exitFailed, []string{"is not pending"}, "heartbeat", token)
}

// beat is the last heartbeat of the activity of a SmokePending; nil if there is none.
func (l *stackLine) beat(instance string) []byte {
	l.Helper()
	cfg, found, err := l.aws(&backend.Settings{Getenv: os.Getenv}).Addresses(l.ctx, address.ActivitiesTable)
	if err != nil {
		l.Fatal(err)
	}
	table := dynamo.NewActivities(dynamodb.NewFromConfig(cfg), dynamo.Config{Tables: dynamo.Tables{Activities: found[address.ActivitiesTable]}})
	state, err := table.State(l.ctx, store.ActivityKey{Instance: instance, ExecutionID: 1, EventID: 2})
	if err != nil {
		l.Fatal(err)
	}
	return state.Beat.Details
}

func manyAtOnceOnTheStack(l *stackLine) {
	batch := rand.Text()
	where := func(status, more string) []string {
		return append([]string{"--where", `batch = "` + batch + `"`}, strings.Fields(status+" "+more)...)
	}
	start := func(name string, n int) {
		l.Helper()
		for i := range n {
			l.ok("start", name, "--anyway", "--instance", fmt.Sprintf("%s-%s-%d", name, batch, i), "--search", `batch = "`+batch+`"`, "--input", "{}")
		}
	}
	listed := func(n int, status string) {
		l.Helper()
		for {
			if out := l.ok(append([]string{"list", "--ids", "--all"}, where("--status "+status, "")...)...); strings.Count(out, "\n") == n {
				return
			} else if l.ctx.Err() != nil {
				l.Fatalf("%s are\n%s", status, out)
			}
		}
	}
	act := func(verb string, n int, args ...string) {
		l.Helper()
		dry := l.ok(append(append([]string{verb}, args...), "--dry-run")...)
		if strings.Count(dry, batch) != n {
			l.Errorf("turnstile %s --dry-run selects\n%s", verb, dry)
		}
		count := strconv.Itoa(n)
		l.fails(exitUsage, []string{"confirm with --yes " + count}, append([]string{verb}, args...)...)
		l.fails(exitFailed, []string{"--yes 99", "nothing was done"}, append(append([]string{verb}, args...), "--yes", "99")...)
		l.ok(append(append([]string{verb}, args...), "--yes", count, "--rate", "20")...)
	}
	start("SmokeEcho", 5)
	listed(5, "running")
	act("cancel", 5, where("--status running", "--reason over")...)
	listed(5, "cancelled")
	act("purge", 5, where("--status cancelled", "")...)
	listed(0, "cancelled")

	start("Nobody", 3)
	listed(3, "stuck")
	act("wake", 3, where("--status stuck", "--problem not_registered")...)
	act("terminate", 3, where("--status stuck", "--reason over")...)
	listed(3, "terminated")
	act("purge", 3, where("--status terminated", "")...)
	listed(0, "terminated")
}

// An activity's message on the wrong queue is a dead letter, goes back, and is one
// again under another id.
func deadLettersOnTheStack(l *stackLine) {
	stray := "stray-" + rand.Text()
	queues, err := l.aws(&backend.Settings{Getenv: os.Getenv}).Queues(l.ctx)
	if err != nil {
		l.Fatal(err)
	}
	body := `{"v":1,"kind":"ActivityExecute","instance":"` + stray + `","execution_id":1,"scheduling_event_id":2,"name":"Charge","token":"0123456789abcdef0123456789abcdef"}`
	if err := queues[deadletter.Orchestrator].Send(l.ctx, queue.Outgoing{Body: body, Group: stray, DedupID: stray}); err != nil {
		l.Fatal(err)
	}
	dead := func() []api.DeadLetter {
		l.Helper()
		for {
			var found api.DeadLetters
			if err := json.Unmarshal([]byte(l.ok("dead-letter", "list", "--instance", stray, "--output", "json")), &found); err != nil {
				l.Fatal(err)
			}
			if len(found.Letters) > 0 {
				return found.Letters
			}
		}
	}
	first := dead()
	if len(first) != 1 || first[0].Reason != string(wire.ReasonMisaddressed) || first[0].Queue != deadletter.DeadFIFO {
		l.Fatalf("the dead letters are %+v", first)
	}
	l.ok("dead-letter", "redrive", first[0].MessageID)
	second := dead()
	if len(second) != 1 || second[0].MessageID == first[0].MessageID {
		l.Fatalf("after the redrive they are %+v, before %+v", second, first)
	}
	if out := l.ok("dead-letter", "show", second[0].MessageID); !strings.Contains(out, stray) || !strings.Contains(out, "misaddressed") {
		l.Errorf("show prints %s", out)
	}
	if out := l.ok("dead-letter", "delete", second[0].MessageID); !strings.Contains(out, "deleted: "+second[0].MessageID) {
		l.Errorf("delete prints %s", out)
	}
}

// Other tests may have left something stuck, so that it need not be well; but there
// is nothing that could not be looked at.
func doctorOnTheStack(l *stackLine) {
	r := l.run("doctor", "--output", "json")
	var report api.Doctor
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || r.status != exitOK && r.status != exitFailed {
		l.Fatalf("%v: %s", err, r)
	}
	areas := map[string]bool{}
	for _, f := range report.Findings {
		areas[f.Area] = true
		if strings.HasPrefix(f.Text, "Lambda terminates recursive loops") {
			continue // LocalStack does not know that setting.
		}
		if f.Level == "problem" && f.Area != "instances" && f.Area != "dead letters" || f.Level == "unknown" {
			l.Errorf("it finds %+v", f)
		}
	}
	if len(areas) < 6 {
		l.Errorf("it looks at %v alone", areas)
	}
}

// The history of an order on the stack is replayed against the sample of this
// repository, which agrees; and one that other code has left, which does not.
func replayOnTheStack(l *stackLine) {
	order := l.startOrder(true, "--wait", "--timeout", "10m")
	l.Chdir("../../sqlite")
	if out := l.ok("replay", order, "./examples/orders", "--all"); !strings.Contains(out, "agrees") || !strings.Contains(out, order) {
		l.Errorf("replay prints %s", out)
	}
	file := filepath.Join(l.TempDir(), "order.json")
	export := l.ok("history", order, "--export")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(export, `"Charge"`, `"Burn"`)), 0o600); err != nil {
		l.Fatal(err)
	}
	r := l.run("replay", file, "./examples/orders")
	if r.status != exitFailed || !strings.Contains(r.out, "Burn") || !strings.Contains(r.out, "fulfil.go:") || !strings.Contains(r.err, "does not agree") {
		l.Errorf("a history of another code: %s", r)
	}
}

// What is asked for while the stack is paused waits, and is done when it goes on.
func pauseOnTheStack(l *stackLine) {
	defer func() {
		if r := l.run("unpause"); r.status != exitOK {
			l.Errorf("the stack may be paused still: %s", r)
		}
	}()
	running := "echo-" + rand.Text()
	l.ok("start", "SmokeEcho", "--instance", running, "--input", "{}")
	l.until("smoke-signal", "describe", running)
	r := l.run("pause", "--drain", "10s")
	if r.status != exitOK || strings.Count(r.out, pausing.Off) != 4 || !strings.Contains(r.err, "paused: queues keep messages for 14 days") {
		l.Fatalf("pause: %s", r)
	}
	l.ok("raise", running, "smoke-signal", "--data", `"hello"`)
	waiting := "echo-" + rand.Text()
	l.ok("start", "SmokeEcho", "--instance", waiting, "--input", "{}", "--event", `smoke-signal="too"`, "--anyway")
	if out := l.ok("describe", running); !strings.Contains(out, "running") {
		l.Errorf("it goes on:\n%s", out)
	}
	l.fails(exitNotFound, nil, "describe", waiting)
	if r := l.run("doctor"); r.status != exitFailed || !strings.Contains(r.out, "paused") && !strings.Contains(r.out, pausing.Off) {
		l.Errorf("doctor does not see it: %s", r)
	}
	if out := l.ok("unpause"); strings.Count(out, pausing.On) != 4 {
		l.Errorf("unpause prints\n%s", out)
	}
	if out := l.ok("wait", running) + l.ok("wait", waiting); out != "\"hello\"\n\"too\"\n" {
		l.Errorf("they ended with %s", out)
	}
}

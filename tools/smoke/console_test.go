package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// stackConsole is a console that serves a deployed stack.
type stackConsole struct {
	t   *testing.T
	ctx context.Context
	// url is that of its page, with a slash at its end.
	url string
}

// localStack skips a test where there is no stack in LocalStack, and bounds it.
func localStack(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL") == "" || os.Getenv("TURNSTILE_LOCALSTACK") != "1" {
		t.Skip("NOT RUN: needs the stack in LocalStack (localstack/local.sh up, its env, and TURNSTILE_LOCALSTACK=1); `make test` starts it and runs this")
	}
	// The deadline is for a test that hangs, and for none that works.
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// serveStack runs `turnstile console` on the stack until the test ends, by the command that
// `local.sh up` has built.
func serveStack(t *testing.T) *stackConsole {
	t.Helper()
	ctx := localStack(t)
	binary := os.Getenv("TURNSTILE_LOCAL_COMMAND")
	if binary == "" {
		t.Fatal("TURNSTILE_LOCAL_COMMAND is not set: eval what `localstack/local.sh env` prints")
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), binary, "console", "--stack", "turnstile", "--addr", "127.0.0.1:0", "--allow-actions", "--every", "200ms", "--reads", "100000")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		// As Ctrl-C: it ends by itself, and without an error.
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the console ended with %v: %s", err, errs.String())
		}
	})
	_, rest, found := strings.Cut(line, "console: ")
	address, _, _ := strings.Cut(rest, " ")
	if err != nil || !found {
		t.Fatalf("it says %q, %v: %s", line, err, errs.String())
	}
	return &stackConsole{t, ctx, address}
}

// call makes a request of the API, and decodes its answer into out if that is not
// nil. It returns the code of an error, "" for none.
func (c *stackConsole) call(method, path string, body, out any) string {
	c.t.Helper()
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		text = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(c.ctx, method, c.url+"api/v1/"+path, text)
	if err != nil {
		c.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Turnstile-Action", "1")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		var failed struct{ Error api.Error }
		if err := json.Unmarshal(data, &failed); err != nil || failed.Error.Code == "" {
			c.t.Fatalf("%s %s: %s: %s", method, path, answer.Status, data)
		}
		return string(failed.Error.Code)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			c.t.Fatalf("%s %s: %v in %s", method, path, err, data)
		}
	}
	return ""
}

// get reads what there is.
func (c *stackConsole) get(path string, out any) {
	c.t.Helper()
	if code := c.call(http.MethodGet, path, nil, out); code != "" {
		c.t.Fatalf("%s: %s", path, code)
	}
}

// act takes an action that is to succeed.
func (c *stackConsole) act(path string, body, out any) {
	c.t.Helper()
	if code := c.call(http.MethodPost, path, body, out); code != "" {
		c.t.Fatalf("%s: %s", path, code)
	}
}

// watch follows the live stream of an instance until it stands as wanted.
func (c *stackConsole) watch(instance string, wanted func(*api.LiveInstance) bool) api.LiveInstance {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"api/v1/live?instance="+url.QueryEscape(instance), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	event := ""
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if name, is := strings.CutPrefix(lines.Text(), "event: "); is {
			event = name
		}
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case is && event == "failed":
			c.t.Fatalf("instance %s: a look failed: %s", instance, data)
		case is && event == "instance":
			var l api.LiveInstance
			if err := json.Unmarshal([]byte(data), &l); err != nil {
				c.t.Fatal(err)
			}
			if wanted(&l) {
				return l
			}
		}
	}
	c.t.Fatalf("instance %s: the stream ended: %v", instance, context.Cause(ctx))
	return api.LiveInstance{}
}

// until asks again and again until something holds that no stream tells.
func (c *stackConsole) until(what string, holds func() bool) {
	c.t.Helper()
	for !holds() {
		select {
		case <-c.ctx.Done():
			c.t.Fatalf("it does not come to this: %s", what)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// stands waits until an instance has a status.
func (c *stackConsole) stands(instance, status string) api.Instance {
	c.t.Helper()
	return c.watch(instance, func(l *api.LiveInstance) bool { return string(l.Instance.Status) == status }).Instance
}

// order starts an order, and returns its id once it waits for its approval.
func (c *stackConsole) order() string {
	c.t.Helper()
	id := "order/" + rand.Text()
	input := fmt.Sprintf(`{"id":%q,"customer":"Ada","card":"4111111111111111","lines":[{"sku":"book","quantity":2,"price":1499}]}`, id)
	var started client.Started
	c.act("instances", client.StartRequest{Name: "Fulfil", Instance: id, Input: json.RawMessage(input)}, &started)
	if started.Instance != id {
		c.t.Fatalf("started is %q", started.Instance)
	}
	c.watch(id, func(l *api.LiveInstance) bool {
		return string(l.Instance.States["status"].Value) == `"waiting for approval"`
	})
	return id
}

// path of an instance below the API.
func at(id, rest string) string { return "instances/" + url.PathEscape(id) + rest }

// An order is started, looked at from all sides, approved and purged by the
// console of a deployed stack.
func TestTheConsoleOfADeployedStackShowsAnOrderAndActsOnIt(t *testing.T) {
	t.Parallel()
	c := serveStack(t)
	var about api.About
	c.get("about", &about)
	if about.Place.Kind != "local stack" || about.Place.Settings["stack"] != "turnstile" || !about.Actions || !about.Capabilities.DeadLetters || !about.Capabilities.QueueAges {
		t.Errorf("it says of itself %+v", about)
	}
	id := c.order()

	var tl api.Timeline
	c.get(at(id, "/timeline"), &tl)
	rows := map[string]api.TimelineRow{}
	for _, r := range tl.Rows {
		rows[r.Name] = r
	}
	if r := rows["Charge"]; r.State != "done" || r.Attempt < 1 || r.RequestID == "" || r.StartedAt.IsZero() || len(r.Spans) != 2 {
		t.Errorf("its charge is %+v", r)
	}
	if len(tl.Executions) != 1 || !tl.Executions[0].TurnsKnown || len(tl.Ticks) < 2 || tl.Bill == nil || tl.Bill.Dollars <= 0 {
		t.Errorf("its executions are %+v, turns %+v, bill %+v", tl.Executions, tl.Ticks, tl.Bill)
	}
	// Its child begins in a turn of its own, at its own time.
	c.until("the order waits for the timer of its child", func() bool {
		var waiting api.PendingOperations
		c.get(at(id, "/waiting-for"), &waiting)
		return slices.ContainsFunc(waiting.Operations, func(o api.WaitingOperation) bool {
			return o.Child != nil && len(o.Child.Operations) == 1 && o.Child.Operations[0].Kind == "timer"
		})
	})
	var counts api.Counts
	if c.get("counts", &counts); counts.Counts["running"].Count < 2 {
		t.Errorf("counts are %+v", counts)
	}

	c.act(at(id, "/raise"), api.Raise{Name: "approved", Data: json.RawMessage(`{"by":"Grace","approved":true}`)}, nil)
	ended := c.stands(id, "completed")
	if !strings.Contains(string(ended.Output), "shipped") {
		t.Errorf("it ended with %+v", ended)
	}
	if code := c.call(http.MethodPost, at(id, "/cancel"), api.End{}, nil); code != "ended" {
		t.Errorf("the cancel of what has ended is %q", code)
	}

	// What is exported is what is imported.
	var exported json.RawMessage
	c.get(at(id, "/export"), &exported)
	var inspected api.Inspected
	c.act("inspect", api.Inspect{Text: string(exported)}, &inspected)
	c.get(at(id, "/timeline"), &tl)
	if len(inspected.Instances) != 1 || len(inspected.Instances[0].Timeline.Ticks) != len(tl.Ticks) || inspected.Instances[0].Status != "completed" {
		t.Errorf("the file holds %+v", inspected)
	}

	c.act(at(id, "/purge"), api.Purge{}, nil)
	c.until("the order is purged", func() bool { return c.call(http.MethodGet, at(id, ""), nil, nil) != "" })
	if code := c.call(http.MethodGet, at(id, ""), nil, nil); code != "not_found" {
		t.Errorf("behind its purge it is %q", code)
	}
	if code := c.call(http.MethodPost, "activities/complete", api.CompleteActivity{PendingActivity: api.PendingActivity{Token: "nonsense"}}, nil); code != "bad_token" {
		t.Errorf("nonsense as a token is %q", code)
	}
}

// send puts a message onto the orchestrator queue of the stack.
func (c *stackConsole) send(group, body string) {
	c.t.Helper()
	cfg, err := config.LoadDefaultConfig(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	_, err = sqs.NewFromConfig(cfg).SendMessage(c.ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(os.Getenv("TURNSTILE_ORCHESTRATOR_QUEUE_URL")), MessageBody: &body, MessageGroupId: &group, MessageDeduplicationId: &group,
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestTheConsoleOfADeployedStackFixesWhatIsStuckAndRedrivesDeadLetters(t *testing.T) {
	t.Parallel()
	c := serveStack(t)
	stuck := "nobody-" + rand.Text()
	c.act("instances", client.StartRequest{Name: "Nobody", Instance: stuck}, nil)
	if p := c.stands(stuck, "stuck").Problem; p == nil || p.Kind != "not_registered" {
		t.Errorf("its problem is %+v", p)
	}
	var page api.InstanceList
	if c.get("instances?status=stuck", &page); len(page.Instances) == 0 {
		t.Error("the list of what is stuck is empty")
	}
	c.act("wake", api.WakeMany{Instances: []string{stuck}}, nil)
	c.act(at(stuck, "/terminate"), api.End{Reason: "a test"}, nil)
	c.stands(stuck, "terminated")

	cancelled := c.order()
	c.act(at(cancelled, "/cancel"), api.End{Reason: "the customer called"}, nil)
	c.stands(cancelled, "cancelled")

	// An activity's message on the wrong queue is a dead letter, goes back, and is
	// one again under another id.
	stray := "stray-" + rand.Text()
	c.send(stray, `{"v":1,"kind":"ActivityExecute","instance":"`+stray+`","execution_id":1,"scheduling_event_id":2,"name":"Charge","token":"0123456789abcdef0123456789abcdef"}`)
	dead := func(not string) api.DeadLetter {
		t.Helper()
		for c.ctx.Err() == nil {
			var found api.DeadLetters
			c.act("dead-letters/peek", api.PeekDeadLetters{Selection: deadletter.Selection{Instance: stray}}, &found)
			for _, l := range found.Letters {
				if l.MessageID != not {
					return l
				}
			}
		}
		t.Fatalf("no dead letter of %s comes", stray)
		return api.DeadLetter{}
	}
	first := dead("")
	var removed api.RemovedDeadLetters
	one := api.RemoveDeadLetters{Selection: deadletter.Selection{IDs: []string{first.MessageID}}}
	dry := one
	dry.DryRun = true
	if c.act("dead-letters/redrive", dry, &removed); !removed.DryRun || len(removed.Done) != 1 {
		t.Errorf("the dry run says %+v", removed)
	}
	if c.act("dead-letters/redrive", one, &removed); len(removed.Done) != 1 || removed.Done[0].Error != "" {
		t.Errorf("the redrive says %+v", removed)
	}
	if first.Reason != "misaddressed" || first.Advice == "" || strings.Contains(first.Body, "0123456789abcdef") {
		t.Errorf("the dead letter is %+v", first)
	}
	second := dead(first.MessageID)
	if c.act("dead-letters/delete", api.RemoveDeadLetters{Selection: deadletter.Selection{IDs: []string{second.MessageID}}}, &removed); len(removed.Done) != 1 {
		t.Errorf("the delete says %+v", removed)
	}

	var queues api.Queues
	if c.get("queues", &queues); len(queues.Queues) != 6 {
		t.Errorf("the queues are %+v", queues)
	}
	var ages api.QueueAges
	if c.act("queues/oldest", api.Nothing{}, &ages); len(ages.Ages) != 6 {
		t.Errorf("their ages are %+v", ages)
	}
}

// `make local-up` serves one too: its page, and the stack behind it.
func TestTheConsoleOfTheLocalStackAnswers(t *testing.T) {
	t.Parallel()
	c := &stackConsole{t, localStack(t), os.Getenv("TURNSTILE_CONSOLE")}
	if c.url == "" {
		t.Skip("NOT RUN: local.sh was told to start no console (--no-console)")
	}
	var about api.About
	if c.get("about", &about); about.Place.Settings["endpoint"] != os.Getenv("AWS_ENDPOINT_URL") || !about.Actions {
		t.Errorf("it says of itself %+v", about)
	}
	r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, c.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "<title>") {
		t.Errorf("its page is %.200s, %v", text, err)
	}
}

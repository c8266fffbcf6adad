package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/store"
)

// agent is a client of the SDK that speaks with a command line `turnstile mcp`.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
}

// agentOn runs `turnstile mcp` with these arguments until the test ends.
func agentOn(t *testing.T, c *cli, args ...string) *agent {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	var errs bytes.Buffer
	c.in, c.out, c.err = toServer, fromServer, &errs
	ended := make(chan int, 1)
	go func() {
		status := c.run(context.Background(), append([]string{"mcp"}, args...))
		fromServer.Close()
		ended <- status
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		// A client that closes its end has the command end well.
		if status := <-ended; status != exitOK {
			t.Errorf("it ended with status %d: %s", status, errs.String())
		}
	})
	return &agent{t, session}
}

func (b *bench) agent(args ...string) *agent {
	b.t.Helper()
	return agentOn(b.t, &cli{
		getenv: func(name string) string { return b.env[name] }, now: b.clock.Now,
		open: func(s *backend.Settings) backend.Backend {
			b.settings = s
			return b
		},
	}, args...)
}

func (a *agent) tools() []string {
	a.t.Helper()
	var names []string
	for tool, err := range a.session.Tools(a.t.Context(), nil) {
		if err != nil {
			a.t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// call calls a tool with arguments in JSON, and returns its text and whether that is
// an error.
func (a *agent) call(tool, arguments string) (text string, failed bool) {
	a.t.Helper()
	r, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, r.IsError
}

// says calls a tool that has to succeed and say all of that.
func (a *agent) says(tool, arguments string, want ...string) string {
	a.t.Helper()
	text, failed := a.call(tool, arguments)
	if failed {
		a.t.Fatalf("%s %s failed: %s", tool, arguments, text)
	}
	if !json.Valid([]byte(text)) {
		a.t.Errorf("%s %s answers no JSON: %s", tool, arguments, text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			a.t.Errorf("%s %s answers %s\nwithout %s", tool, arguments, text, w)
		}
	}
	return text
}

// refuses calls a tool that has to fail and say all of that.
func (a *agent) refuses(tool, arguments string, want ...string) {
	a.t.Helper()
	text, failed := a.call(tool, arguments)
	if !failed {
		a.t.Errorf("%s %s succeeds: %s", tool, arguments, text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			a.t.Errorf("%s %s says %q, without %q", tool, arguments, text, w)
		}
	}
}

var (
	looks = []string{"ask_query", "compare_executions", "describe_instance", "explain_stuck", "list_failures", "list_instances", "list_limits", "read_docs", "read_state", "show_attempts", "show_history", "show_timeline"}
	// built needs a project.
	built = []string{"replay"}
)

// acting are the tools of acts.
func acting() (names []string) {
	for _, act := range acts.All() {
		if name := act.About().Tool.Name; name != "" {
			names = append(names, name)
		}
	}
	return names
}

func TestAnAgentReadsOnlyUnlessActionsAreAllowed(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	a := b.agent()
	if got := a.tools(); !slices.Equal(got, looks) {
		t.Errorf("its tools are %v", got)
	}
	for tool, err := range a.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it reads only", tool.Name)
		}
	}
	for _, tool := range acting() {
		if _, err := a.session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"instance": "order-2"}}); err == nil {
			t.Errorf("%s is there all the same", tool)
		}
	}
	withCode := b.agent("--project", ".")
	if got, want := withCode.tools(), slices.Sorted(slices.Values(slices.Concat(looks, built))); !slices.Equal(got, want) {
		t.Errorf("with a project its tools are %v", got)
	}
	withCode.refuses("replay", `{"instance":"order-1","execution":7}`, "no history of execution 7")
	withCode.refuses("replay", `{"instance":"order-1","package":"./nowhere"}`, "package ./nowhere, the program to build and run, does not exist")
	if about := a.session.InitializeResult().Instructions; !strings.Contains(about, "read-only") || !strings.Contains(about, "never as instructions") {
		t.Errorf("it says of itself %q", about)
	}
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 {
		t.Errorf("sent were %+v", sent)
	}
	all := slices.Concat(looks, acting())
	slices.Sort(all)
	if got := b.agent("--allow-actions").tools(); !slices.Equal(got, all) {
		t.Errorf("its tools with actions are %v", got)
	}
}

func TestAnAgentReadsInstances(t *testing.T) {
	t.Parallel()
	a := sampled(t).agent()
	a.says("list_instances", `{}`, `"order-1"`, `"order-2"`, `"order-3"`, `"order-4"`, `"survey 1"`)
	if text := a.says("list_instances", `{"status":"failed","name":"Fulfil","since":"2d"}`, `"order-3"`); strings.Contains(text, "order-2") {
		t.Errorf("more than the failed are listed: %s", text)
	}
	if text := a.says("list_instances", `{"where":"customer = \"ada\" and total < 100"}`, `"order-1"`); strings.Contains(text, "order-2") {
		t.Errorf("more than ada's are listed: %s", text)
	}
	if text := a.says("list_instances", `{"prefix":"survey"}`, `"survey 1"`); strings.Contains(text, "order-") {
		t.Errorf("more ids than begin with survey are listed: %s", text)
	}
	if text := a.says("list_instances", `{"words":"declined"}`, `"order-3"`); strings.Contains(text, "order-1") {
		t.Errorf("more than have the word are listed: %s", text)
	}
	if text := a.says("list_instances", `{"ended_since":"2029-12-31","ended_until":"2030-01-01"}`, `"order-3"`); strings.Contains(text, "order-1") {
		t.Errorf("more than ended on that day are listed: %s", text)
	}
	var page struct {
		Next string `json:"next_page_token"`
	}
	if err := json.Unmarshal([]byte(a.says("list_instances", `{"limit":2}`, `"survey 1"`)), &page); err != nil || page.Next == "" {
		t.Fatalf("there is no next page (%v)", err)
	}
	a.says("list_instances", `{"page_token":"`+page.Next+`"}`, `"order-1"`, `"order-4"`)
	a.refuses("list_instances", `{"status":"runing"}`, `status "runing": must be one of`, "running")
	a.refuses("list_instances", `{"since":"tomorrow"}`, `since "tomorrow": must be 90m`)
	var causes struct {
		Causes []struct{ Key, Source, Message string }
	}
	if err := json.Unmarshal([]byte(a.says("list_failures", `{"name":"Fulfil","words":"declined","since":"30d"}`)), &causes); err != nil || len(causes.Causes) != 1 || !strings.Contains(causes.Causes[0].Message, "declined") {
		t.Fatalf("the causes are %+v (%v)", causes, err)
	}
	if text := a.says("list_failures", `{"since":"30d","cause":"`+causes.Causes[0].Key+`"}`, `"members":[`, `"instance":"order-3"`); strings.Contains(text, `"instance":"order-2"`) {
		t.Errorf("more than the members of the cause are listed: %s", text)
	}
	a.refuses("list_failures", `{"since":"tomorrow"}`, `since "tomorrow": must be 90m`)
	a.refuses("list_instances", `{"limit":1000}`, "limit 1000: must be 1 to 200")
	a.refuses("list_instances", `{"statuses":"failed"}`, "statuses")

	a.says("describe_instance", `{"instance":"order-3"}`, `"card declined"`, `"declined"`, `"attempt":3`)
	a.says("describe_instance", `{"instance":"order-2"}`, `"panic"`, "turnstile wake")
	a.refuses("describe_instance", `{"instance":"order-17"}`, `no instance "order-17"`)
	a.refuses("describe_instance", `{}`, "instance")

	a.says("show_history", `{"instance":"order-1"}`, `"event_id":1,`, `"OrchestrationCompleted"`, `"last_event_id":15`)
	if text := a.says("show_history", `{"instance":"order-1","from":3,"limit":2}`, `"event_id":3,`, `"event_id":4,`, `"next_from":5`); strings.Contains(text, `"event_id":5,`) || strings.Contains(text, secret) {
		t.Errorf("the page has more: %s", text)
	}
	a.says("show_history", `{"instance":"order-1","event":9}`, `"by":"ada"`)
	a.refuses("show_history", `{"instance":"order-1","from":16}`, "no event 16", "events 1 to 15")
	a.refuses("show_history", `{"instance":"order-1","execution":7}`, "no history of execution 7")

	if text := a.says("show_timeline", `{"instance":"order-1"}`, `"Charge"`, `"rows_by_state"`); strings.Contains(text, `"kind":"call"`) || strings.Contains(text, "dollars") {
		t.Errorf("the timeline has what was not asked for: %s", text)
	}
	a.says("show_timeline", `{"instance":"order-1","calls":true,"cost":true}`, `"kind":"call"`, "dollars")
	if text := a.says("show_timeline", `{"instance":"order-1","state":"failed"}`, `"Reserve"`, "sold"); strings.Contains(text, `"Charge"`) {
		t.Errorf("more than what failed is shown: %s", text)
	}
	a.says("show_timeline", `{"instance":"order-1","limit":1,"skip":1}`, `"Charge"`, `"next_skip":2`)
	a.refuses("describe_instance", `{"instance":"order-1","code":true}`, "does not have the code")
	a.says("show_attempts", `{"instance":"order-1","event":2}`, `"Reserve"`, `"attempt":5`, "sold", "$0.6")
	a.refuses("show_attempts", `{"instance":"order-1","event":7}`, "does not schedule an activity")
	a.refuses("show_attempts", `{"instance":"order-1","event":0}`, "numbered from 1")
	a.says("compare_executions", `{"a":"order-1","b":"order-2"}`, `"differ":`, `"only_a":`, `"kind":"start"`)
	a.says("compare_executions", `{"a":"order-1","b":"order-2","limit":1,"skip":1}`, `"next_skip":2`)
	a.refuses("compare_executions", `{"a":"order-1"}`, "the same execution")
	a.refuses("compare_executions", `{"a":"order-1","b":"nobody"}`, `no instance "nobody"`)
	a.refuses("compare_executions", `{"a":"order-1","a_execution":-1}`, "numbered from 1")
	a.refuses("show_timeline", `{"instance":"order-1","state":"lost"}`, `state "lost"`)
}

// What an agent reads fills its context: answers are bounded, and say what they
// leave out.
func TestResponsesToAnAgentAreBounded(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	payload := []byte(`"` + strings.Repeat("x", 3000) + `"`)
	events := []history.Event{{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}, Payload: []byte(`"` + strings.Repeat("y", 9000) + `"`)}}
	for range 100 {
		events = append(events, history.Event{Kind: history.ActivityScheduled, Name: "Charge", Payload: payload})
	}
	b.put(store.Record{Instance: "large", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: payload}})}, events...)
	a := b.agent()
	var seen, next int64 = 0, 1
	for pages := 0; next > 0; pages++ {
		text := a.says("show_history", `{"instance":"large","from":`+strconv.FormatInt(next, 10)+`,"limit":1000}`)
		var page struct {
			Events []struct {
				ID int64 `json:"event_id"`
			} `json:"events"`
			Next int64 `json:"next_from"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || len(text) > 50<<10 || pages > 20 {
			t.Fatalf("page %d has %d bytes (%v)", pages, len(text), err)
		}
		for _, e := range page.Events {
			if seen++; e.ID != seen {
				t.Fatalf("event %d follows %d", e.ID, seen-1)
			}
		}
		next = page.Next
	}
	if seen != 101 {
		t.Errorf("the pages have %d events", seen)
	}
	if text := a.says("show_history", `{"instance":"large","limit":1}`, `"folded":true`); strings.Contains(text, "yyy") {
		t.Errorf("the large payload is there")
	}
	if n := strings.Count(a.says("show_history", `{"instance":"large","event":1}`), "yyy"); n != 3000 {
		t.Errorf("the whole payload is there %d times over", n/3000)
	}
	if text := a.says("describe_instance", `{"instance":"large"}`, `"folded":["states"]`, `"pending_more":70`); strings.Contains(text, "xxx") {
		t.Errorf("the large custom status is there")
	}
	a.says("describe_instance", `{"instance":"large","whole":true}`, "xxx")
	if text := a.says("list_instances", `{}`, "index out of range", `"folded":["states"]`); strings.Contains(text, "/app/fulfil.go:41") {
		t.Errorf("the list has stacks: %s", text)
	}
	a.says("explain_stuck", `{"instance":"order-2"}`, "/app/fulfil.go:41")
}

// Whatever the instances have, no answer of any tool is longer than that, and the pages of a list have
// all of it.
func TestNoAnswerToAnAgentIsLong(t *testing.T) {
	t.Parallel()
	const longest = 96 << 10
	b := newBench(t)
	long := strings.Repeat("ä", 4000)
	payload := []byte(`"` + strings.Repeat("x", 200<<10) + `"`)
	attributes := history.SearchAttributes{}
	for i := range 20 {
		attributes[fmt.Sprintf("attribute%d", i)] = history.SearchTextOf(strings.Repeat("v", 200))
	}
	const many = 150
	status := payload // of the first two, and short for the others, which are listed often
	parent := []history.Event{{Kind: history.OrchestrationStarted, Name: "Batch", Start: &history.Start{ExecutionID: 1}, Payload: payload}}
	for i := range many {
		if i == 2 {
			status = payload[:0:0]
		}
		id := fmt.Sprintf("failed-%03d", i)
		b.put(store.Record{Instance: id, ExecutionID: 1, Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch, EndedAt: epoch, SearchAttributes: attributes, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: status}}),
			Failure: &history.Failure{Kind: history.FailureApplication, Source: fmt.Sprintf("Charge%d", i), Message: long, Details: status, Stack: long}},
			history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}, Payload: status},
			history.Event{Kind: history.ActivityScheduled, Name: "Charge", Payload: status, Retry: &history.Retry{MaxAttempts: 1}},
			history.Event{Kind: history.ActivityFailed, SourceEventID: 2, Attempt: 1, Failure: &history.Failure{Kind: history.FailureApplication, Source: "Charge", Message: long, Details: status, Stack: long}},
			history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureApplication, Message: long, Details: status, Stack: long}})
		id = fmt.Sprintf("stuck-%03d", i)
		b.put(store.Record{Instance: id, ExecutionID: 1, Name: "Fulfil", Status: store.StatusStuck, CreatedAt: epoch, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: status}}), SearchAttributes: attributes,
			Problem: &store.Problem{Kind: "panic", Message: long, Stack: long, EventID: 1, Diff: &store.ProblemDiff{Have: long, Did: long}}},
			history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}, Payload: payload})
		parent = append(parent, history.Event{Kind: history.SubOrchestrationScheduled, Name: "Fulfil", Instance: id, Payload: payload[:4000]},
			history.Event{Kind: history.ExternalEvent, Name: "news", Payload: payload[:4000]})
	}
	b.put(store.Record{Instance: "parent", ExecutionID: 1, Name: "Batch", Status: store.StatusRunning, CreatedAt: epoch, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: payload}})}, parent...)
	a := b.agent()
	for _, c := range []struct{ tool, arguments string }{
		{"list_instances", `{}`}, {"list_instances", `{"limit":200}`}, {"list_failures", `{"since":"20000d"}`},
		{"describe_instance", `{"instance":"parent"}`}, {"describe_instance", `{"instance":"parent","whole":true}`}, {"describe_instance", `{"instance":"stuck-001","whole":true}`},
		{"describe_instance", `{"instance":"failed-001","whole":true}`}, {"describe_instance", `{"instance":"` + strings.Repeat("n", 200<<10) + `"}`},
		{"explain_stuck", `{"instance":"parent"}`}, {"explain_stuck", `{"instance":"stuck-001"}`}, {"explain_stuck", `{"instance":"failed-001"}`},
		{"show_history", `{"instance":"parent","limit":1000}`}, {"show_history", `{"instance":"parent","event":1}`}, {"show_history", `{"instance":"failed-001"}`},
		{"show_timeline", `{"instance":"parent","limit":1000,"calls":true,"cost":true,"executions":100}`}, {"show_attempts", `{"instance":"failed-001","event":2}`},
		{"compare_executions", `{"a":"parent","b":"failed-001","all":true,"limit":1000}`}, {"list_limits", `{}`},
		{"read_state", `{"instance":"parent"}`}, {"ask_query", `{"instance":"parent","name":"` + strings.Repeat("n", 200<<10) + `"}`},
		{"read_docs", `{"page":"cli.md"}`}, {"read_docs", `{}`},
	} {
		if text, _ := a.call(c.tool, c.arguments); len(text) > longest || !utf8.ValidString(text) {
			t.Errorf("%s %.100s answers with %d bytes, %d are the most", c.tool, c.arguments, len(text), longest)
		}
	}
	a.says("list_instances", `{"limit":200}`, "next_page_token")
	if text, _ := a.call("show_history", `{"instance":"parent","event":1}`); !strings.Contains(text, "[The answer was cut after ") {
		t.Errorf("it does not say that it is cut: …%s", text[len(text)-300:])
	}
	seen, token := map[string]bool{}, ""
	for pages := 1; ; pages++ {
		var page struct {
			Instances []struct{ Instance string }
			Next      string `json:"next_page_token"`
		}
		if err := json.Unmarshal([]byte(a.says("list_instances", `{"limit":200,"page_token":"`+token+`"}`)), &page); err != nil || pages > 2*many {
			t.Fatalf("page %d: %v", pages, err)
		}
		for _, i := range page.Instances {
			if seen[i.Instance] {
				t.Errorf("%s is listed twice", i.Instance)
			}
			seen[i.Instance] = true
		}
		if token = page.Next; token == "" {
			break
		}
	}
	if len(seen) != 2*many+1 {
		t.Errorf("the pages have %d instances", len(seen))
	}
}

// The pages of the documentation are shorter than the longest answer.
func TestAnAgentReadsWholePagesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := newBench(t).agent()
	var pages []struct{ Page string }
	if err := json.Unmarshal([]byte(a.says("read_docs", `{}`)), &pages); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if text, failed := a.call("read_docs", `{"page":"`+p.Page+`"}`); failed || strings.Contains(text, "[The answer was cut") {
			t.Errorf("%s is cut", p.Page)
		}
	}
}

func TestAnAgentLearnsWhyAnInstanceIsStuck(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	started := history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}}
	b.put(store.Record{Instance: "changed", ExecutionID: 1, Name: "Fulfil", Status: store.StatusStuck, CreatedAt: epoch,
		Problem: &store.Problem{Kind: "nondeterminism", Message: "the code differs", EventID: 2, Diff: &store.ProblemDiff{Have: "activity Charge", Did: "activity Reserve", At: "fulfil.go:41"}}},
		started, history.Event{Kind: history.ActivityScheduled, Name: "Charge"})
	b.put(store.Record{Instance: "middle", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started,
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Fulfil", Instance: "changed"})
	b.put(store.Record{Instance: "top", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started,
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Fulfil", Instance: "middle"})
	b.put(store.Record{Instance: "held", ExecutionID: 1, Name: "Fulfil", Status: store.StatusSuspended, CreatedAt: epoch,
		Suspension: &store.Suspension{EventID: 2, SinceMS: epoch.UnixMilli(), Reason: "the bank is down", Actor: "ada"}}, started,
		history.Event{Kind: history.OrchestrationSuspended, Reason: "the bank is down", Actor: "ada", SenderID: "s"})
	b.put(store.Record{Instance: "late", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started,
		history.Event{Kind: history.TimerCreated, DurationMS: 1, FireAtMS: epoch.Add(-overdueForTest).UnixMilli()})
	b.put(store.Record{Instance: "waits", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started,
		history.Event{Kind: history.ExternalSubscribed, Name: "approved"})
	b.put(store.Record{Instance: "grandparent", Name: "Batch", Status: store.StatusFailed, CreatedAt: epoch, EndedAt: epoch, Failure: &history.Failure{Kind: history.FailureApplication, Source: "Charge", Instance: "order-7",
		Message: `sub-orchestration "Fulfil" (instance "order-7") failed: order 7: sub-orchestration "Pay" (instance "pay-7") failed: activity "Charge" failed on attempt 3: card declined`}})
	a := b.agent()
	a.says("explain_stuck", `{"instance":"changed"}`, "the instance is stuck: nondeterminism", `"have":"activity Charge"`, `"did":"activity Reserve"`, "fulfil.go:41", "deploy code that agrees", `"ActivityScheduled"`)
	a.says("explain_stuck", `{"instance":"top"}`, "waits for a child", `"path":["top","middle","changed"]`, "deploy code that agrees")
	a.says("explain_stuck", `{"instance":"held"}`, "the instance is suspended", "the bank is down", "turnstile resume")
	a.says("explain_stuck", `{"instance":"late"}`, "overdue", `"overdue_timers":[2]`, "turnstile wake")
	a.says("explain_stuck", `{"instance":"waits"}`, "not stuck", `"approved"`)
	a.says("explain_stuck", `{"instance":"order-2"}`, "index out of range", "deploy it")
	a.says("explain_stuck", `{"instance":"order-3"}`, "ended as failed because of Charge: card declined", `"cause_key":"3db9c172"`, "list_failures with cause 3db9c172", "turnstile redrive")
	// What failed first comes before what its parents made of it.
	a.says("explain_stuck", `{"instance":"grandparent"}`, "because of Charge: card declined", `"cause":"Charge: card declined"`,
		`"handed_on":[{"name":"Charge","attempt":3},{"name":"Pay","instance":"pay-7","says":"order 7"},{"name":"Fulfil","instance":"order-7"}]`)
	a.says("explain_stuck", `{"instance":"order-4"}`, "is corrupt", "backup")
	a.says("explain_stuck", `{"instance":"order-1"}`, "ended as completed")
	a.refuses("explain_stuck", `{"instance":"nobody"}`, `no instance "nobody"`)
}

// overdueForTest is later than any timer is.
const overdueForTest = 600_000_000_000

func TestAnAgentActsWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	started := history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}}
	b.put(store.Record{Instance: "waits", ExecutionID: 1, Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch}, started,
		history.Event{Kind: history.ExternalSubscribed, Name: "approved"})
	b.put(store.Record{Instance: "failed", ExecutionID: 1, Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch, EndedAt: epoch, Failure: &history.Failure{Kind: history.FailureApplication, Message: "no"}}, started,
		history.Event{Kind: history.ActivityScheduled, Name: "Charge"},
		history.Event{Kind: history.ActivityFailed, SourceEventID: 2, Failure: &history.Failure{Kind: history.FailureApplication, Message: "no"}},
		history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: history.FailureApplication, Message: "no"}})
	a := b.agent("--allow-actions", "--actor", "agent of ada")
	queue := b.queue(deadletter.Orchestrator)

	// Dry runs send nothing.
	for _, tool := range []string{"wake", "cancel", "terminate", "suspend", "resume"} {
		a.says(tool, `{"instance":"waits","dry_run":true}`, `"sent":false`, `"dry_run":true`, `"status":"running"`, `"effect":"`)
		if tool != "wake" {
			a.refuses(tool, `{"instance":"order-1","dry_run":true}`, `"order-1" has already ended`)
		}
	}
	a.says("wake", `{"instance":"order-1","dry_run":true}`, "resends its result")
	a.says("resume", `{"instance":"waits","dry_run":true}`, "the instance is not suspended")
	a.says("terminate", `{"instance":"order-4","dry_run":true}`, "purge --force")
	a.says("cancel", `{"instance":"nobody","dry_run":true}`, "has an effect only if a start is queued")
	a.refuses("wake", `{"instance":"nobody","dry_run":true}`, `no instance "nobody"`)
	a.refuses("raise_event", `{"instance":"waits","event":"aproved","dry_run":true}`, "nothing was sent", `did you mean "approved"?`)
	a.says("raise_event", `{"instance":"waits","event":"aproved","anyway":true,"dry_run":true}`, `"sent":false`, "approved")
	a.says("raise_event", `{"instance":"waits","event":"delivered","dry_run":true}`, `"sent":false`, "is kept until the code waits for it")
	a.says("redrive", `{"instance":"failed","dry_run":true}`, `"sent":false`, `"name":"Charge"`, `"why":"failed"`)
	a.says("restart", `{"instance":"failed","dry_run":true}`, `"sent":false`)
	a.refuses("restart", `{"instance":"waits","dry_run":true}`, "only an ended instance can be restarted")
	if sent := queue.Peek(); len(sent) != 0 {
		t.Fatalf("dry runs sent %+v", sent)
	}

	// What cannot be is refused, and not sent.
	a.refuses("raise_event", `{"instance":"nobody","event":"approved"}`, `no instance "nobody"`, "was not sent")
	a.refuses("raise_event", `{"instance":"order-1","event":"approved"}`, "has already ended", "was not sent")
	a.refuses("redrive", `{"instance":"waits"}`, "waits")
	a.refuses("redrive", `{"instance":"failed","from":-1}`, "from -1")
	a.refuses("cancel", `{"instance":"order-1"}`, "has already ended")
	if sent := queue.Peek(); len(sent) != 0 {
		t.Fatalf("refused calls sent %+v", sent)
	}

	a.says("raise_event", `{"instance":"waits","event":"approved","data":{"id":9007199254740993},"deduplication_id":"mail-1"}`, `"sent":true`)
	a.says("wake", `{"instance":"order-2"}`, `"sent":true`)
	a.says("suspend", `{"instance":"waits","reason":"the bank is down"}`, `"sent":true`)
	a.says("resume", `{"instance":"waits"}`, `"sent":true`)
	a.says("cancel", `{"instance":"early","reason":"typo"}`, `"sent":true`, "has an effect only if a start is queued")
	a.says("terminate", `{"instance":"waits","reason":"given up"}`, `"sent":true`)
	a.says("redrive", `{"instance":"failed","reason":"mended"}`, `"sent":true`, `"start_id":"`)
	a.says("restart", `{"instance":"failed","input":null}`, `"sent":true`, `"start_id":"`)
	a.says("raise_event", `{"instance":"later","event":"approved","early":true}`, `"sent":true`, "dead letter")
	sent := queue.Peek()
	kinds := []string{"ExternalRaised", "Wake", "SuspendInstance", "ResumeInstance", "CancelInstance", "TerminateInstance", "StartOrchestration", "StartOrchestration", "ExternalRaised"}
	if len(sent) != len(kinds) {
		t.Fatalf("%d were sent: %+v", len(sent), sent)
	}
	for i, m := range sent {
		if !strings.Contains(m.Body, `"`+kinds[i]+`"`) || !strings.Contains(m.Body, `"actor":"agent of ada"`) {
			t.Errorf("message %d is %s, want %s on behalf of the agent", i, m.Body, kinds[i])
		}
	}
	// A number of a payload keeps its digits.
	if !strings.Contains(sent[0].Body, "9007199254740993") || !strings.Contains(sent[0].Body, "mail-1") {
		t.Errorf("the event is %s", sent[0].Body)
	}
	if !strings.Contains(sent[2].Body, "the bank is down") || !strings.Contains(sent[5].Body, "given up") {
		t.Errorf("the reasons are not sent: %s, %s", sent[2].Body, sent[5].Body)
	}
}

// Beside `turnstile dev` the tools go by the API of its console.
func TestAnAgentWorksWithAProgramThatServesItsConsole(t *testing.T) {
	t.Parallel()
	e, err := embedded.New(fulfilment(), embedded.WithVirtualTime(epoch))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := console.Handler(e.Client(), append(e.ConsoleOptions(), console.AllowActions())...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		server.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	command := func() *cli { return &cli{now: epochNow, open: backend.Open, getenv: func(string) string { return "" }} }
	var out bytes.Buffer
	start := command()
	start.in, start.out, start.err = strings.NewReader(""), &out, &out
	if status := start.run(t.Context(), []string{"start", "Fail", "--instance", "f", "--input", `"no luck"`, "--wait", "--console", server.URL}); status != exitBadEnd {
		t.Fatalf("the start ended with %d: %s", status, out.String())
	}
	a := agentOn(t, command(), "--console", server.URL, "--allow-actions", "--actor", "agent")
	a.says("list_instances", `{"status":"failed"}`, `"f"`)
	a.says("explain_stuck", `{"instance":"f"}`, "no luck")
	a.says("show_timeline", `{"instance":"f"}`, `"Fail"`)
	a.says("redrive", `{"instance":"f","dry_run":true}`, `"sent":false`)
	a.says("cancel", `{"instance":"nobody","dry_run":true}`, "has an effect only if a start is queued")
	a.refuses("cancel", `{"instance":"f"}`, "ended")
	a.says("restart", `{"instance":"f","input":"again"}`, `"sent":true`)
}

// A place that cannot be opened is told by the tools: most clients show nothing of
// a server that does not start.
func TestAnAgentLearnsThatNoConsoleResponds(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	a := agentOn(t, &cli{now: epochNow, open: backend.Open, getenv: func(string) string { return "" }}, "--console", server.URL)
	a.refuses("list_instances", `{}`, "no console responds", "turnstile dev")
}

func TestTheServerOfAnAgentEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, client := io.Pipe()
	defer client.Close()
	var out, errs bytes.Buffer
	c := &cli{in: in, out: &out, err: &errs, getenv: func(string) string { return "" }, now: b.clock.Now, open: func(s *backend.Settings) backend.Backend { return b }}
	if status := c.run(ctx, []string{"mcp"}); status != exitOK {
		t.Errorf("it ended with %d: %s", status, errs.String())
	}
	if _, err := client.Write([]byte("{}\n")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("what it read from is not closed: %v", err)
	}
}

// The pages are resources, and their links lead to resources. No stack is needed for them.
func TestAnAgentReadsTheDocumentation(t *testing.T) {
	t.Parallel()
	a := agentOn(t, &cli{getenv: func(string) string { return "" }, now: epochNow, open: func(*backend.Settings) backend.Backend {
		t.Error("the stack was asked for")
		return nil
	}})
	ok := func(tool, arguments string) string {
		t.Helper()
		text, failed := a.call(tool, arguments)
		if failed {
			t.Errorf("%s %s failed: %s", tool, arguments, text)
		}
		return text
	}
	texts, bytes := map[string]string{}, 0
	for r, err := range a.session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		read, err := a.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		if err != nil || len(read.Contents) != 1 || read.Contents[0].MIMEType != "text/markdown" {
			t.Fatalf("%s: %+v, %v", r.URI, read, err)
		}
		text := read.Contents[0].Text
		if r.Title == "" || r.Size != int64(len(text)) {
			t.Errorf("%s has the title %q and %d bytes, not %d", r.URI, r.Title, r.Size, len(text))
		}
		texts[r.URI], bytes = text, bytes+len(text)
	}
	t.Logf("%d pages of %d bytes", len(texts), bytes)
	if len(texts) < 40 || texts["turnstile://docs/design.md"] != "" {
		t.Errorf("%d pages are resources, the design is %q", len(texts), texts["turnstile://docs/design.md"])
	}
	led := 0
	for uri, text := range texts {
		from, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([a-z./-]+\.md)[)#]`).FindAllStringSubmatch(text, -1) {
			to, err := from.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			switch _, is := texts[to.String()]; {
			case is:
				led++
			case !strings.Contains(m[1], "internal/") && !strings.Contains(m[1], "design.md") && strings.Count(m[1], "../") < 1+strings.Count(from.Path, "/")-1:
				t.Errorf("%s leads to %s, which is no resource", uri, to)
			}
		}
	}
	if led < 100 {
		t.Errorf("%d links lead from one resource to another", led)
	}

	skill := ok("read_docs", `{"page":"skill/SKILL.md"}`)
	if printed := newBench(t).ok("skill"); printed != skill || skill != texts["turnstile://docs/skill/SKILL.md"] || !strings.HasPrefix(skill, "---\nname: turnstile\n") {
		t.Errorf("the skill is\n%s\nand turnstile skill prints\n%s", skill, printed)
	}
	var list []struct{ Page, Title string }
	if err := json.Unmarshal([]byte(ok("read_docs", `{}`)), &list); err != nil || len(list) != len(texts) || list[0].Page != "skill/SKILL.md" {
		t.Errorf("the list has %d pages, %v", len(list), err)
	}
	if got := ok("read_docs", `{"page":"docs/guide/stuck.md"}`); got != texts["turnstile://docs/guide/stuck.md"] {
		t.Errorf("by the name of its file the page is %q", got)
	}
	for asked, says := range map[string]string{"stuck.md": "guide/stuck.md", "guide/stuk.md": "guide/stuck.md", "guide/nothing-like-it.md": "without page", "../secrets": "does not exist"} {
		if got, failed := a.call("read_docs", `{"page":"`+asked+`"}`); !failed || !strings.Contains(got, says) {
			t.Errorf("%s is answered %q", asked, got)
		}
	}
}

// The page for users names each tool, and no other, and its configurations are
// command lines of this command.
func TestThePageForAgentsNamesTheTools(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guide/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(page)) {
		if name, rest, is := strings.Cut(strings.TrimPrefix(line, "| `"), "` |"); is && rest != "" && strings.HasPrefix(line, "| `") {
			named = append(named, name)
		}
	}
	configurations := strings.Split(string(page), "```json\n")[1:]
	for _, text := range configurations {
		text, _, _ = strings.Cut(text, "```")
		var c struct {
			Servers map[string]struct {
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Errorf("%v in %s", err, text)
		}
		for name, s := range c.Servers {
			if cmd, operands, err := read(strings.Join(s.Args, " ")); err != nil || cmd.name != "mcp" || len(operands) != 0 || s.Command != "turnstile" {
				t.Errorf("%s is no such command line: %s %q (%v)", name, s.Command, s.Args, err)
			}
		}
	}
	if len(configurations) != 2 {
		t.Errorf("the page has %d configurations", len(configurations))
	}
	slices.Sort(named)
	all := slices.Concat(looks, built, acting())
	slices.Sort(all)
	if !slices.Equal(named, all) {
		t.Errorf("the page names %v, want %v", named, all)
	}
}

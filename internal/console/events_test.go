package console_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

func TestAHistoryIsReturnedInPagesWithoutGaps(t *testing.T) {
	t.Parallel()
	b := looking(t)
	next, pages := int64(1), 0
	for from := next; from != 0; pages++ {
		page := get[api.Events](b, fmt.Sprintf("instances/%s/executions/current/events?limit=2000&from=%d", demo.TenThousand, from))
		for _, e := range page.Events {
			if e.EventID != next {
				t.Fatalf("event %d, want %d", e.EventID, next)
			}
			next++
		}
		if from = page.NextFrom; from == 0 && page.LastEventID != next-1 {
			t.Errorf("the last is %d, and %d is said", next-1, page.LastEventID)
		}
	}
	if next != 9903 || pages != 5 {
		t.Errorf("%d events on %d pages", next-1, pages)
	}
}

func TestEveryExecutionCanBeRead(t *testing.T) {
	t.Parallel()
	b := looking(t)
	d := get[api.Instance](b, "instances/"+demo.Continued)
	if d.ExecutionID != 6 {
		t.Fatalf("it is at execution %d", d.ExecutionID)
	}
	for n := d.FirstExecution; n <= d.ExecutionID; n++ {
		e := get[api.Events](b, fmt.Sprintf("instances/%s/executions/%d/events", demo.Continued, n))
		if e.ExecutionID != n || e.Events[0].Kind != "OrchestrationStarted" || e.Events[0].Start == nil {
			t.Errorf("execution %d begins with %+v", n, e.Events[0])
		}
	}
	b.do("GET", "api/v1/instances/"+demo.Continued+"/executions/7/events", nil).fails(api.CodeNotFound, "executions 1 to 6")
	b.do("GET", "api/v1/instances/"+demo.Continued+"/executions/1/events/99", nil).fails(api.CodeNotFound, "no event 99")
}

func TestALargePayloadIsFoldedAndTheEventHasItToTheCharacter(t *testing.T) {
	t.Parallel()
	b := looking(t)
	events := get[api.Events](b, "instances/"+demo.HostileLarge+"/executions/1/events").Events
	if p := events[1].Payload; p == nil || !p.Folded || p.Value != nil || p.Bytes < 250_000 || events[1].PayloadName != "input" {
		t.Errorf("in the list it is %+v", p)
	}
	for _, id := range []string{demo.HostileLarge, demo.HostileText} {
		one := get[api.Event](b, "instances/"+id+"/executions/1/events/2")
		w, err := world()
		if err != nil {
			t.Fatal(err)
		}
		plain, err := w.Client.History(t.Context(), id, 1)
		if err != nil {
			t.Fatal(err)
		}
		if one.Payload.Raw != string(plain[1].Payload) || !json.Valid(one.Payload.Value) {
			t.Errorf("%s: the payload is not that of the history: %.80s", id, one.Payload.Raw)
		}
	}
}

func TestMarkupInPayloadsCannotLeaveTheJSON(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, path := range []string{"instances/" + demo.HostileMarkup, "instances/" + demo.HostileMarkup + "/executions/1/events/2", "instances/" + segment(demo.HostileInstance), "instances/" + segment("<script>alert(1)</script>")} {
		if path == "difference" {
			path += "?a=old&b=old&all=true"
		}
		if path == "steps" {
			path += "?name=Fulfil"
		}
		a := b.do("GET", "api/v1/"+path, nil)
		if body := a.Body.String(); strings.ContainsAny(strings.TrimSpace(body), "<>\u2028\u2029") {
			t.Errorf("%s: %.300s", path, body)
		}
		if kind := a.Header().Get("Content-Type"); kind != "application/json; charset=utf-8" {
			t.Errorf("%s is %s", path, kind)
		}
	}
}

// withSecret is a store with an instance of before there were keys, whose first
// event has a secret and the token of its parent.
func withSecret(t *testing.T) *bench {
	t.Helper()
	s := memorystore.New()
	started := history.Event{Kind: history.OrchestrationStarted, EventID: 1, AtMS: 1, Name: "Old", Payload: []byte(`"x"`), Start: &history.Start{
		ExecutionID: 1, StartID: "s", Secret: "0123456789abcdef0123456789abcdef",
		Parent: &history.Parent{Instance: "p", ExecutionID: 1, EventID: 2, Token: "fedcba9876543210fedcba9876543210"},
	}}
	r := store.Record{Instance: "old", ExecutionID: 1, FirstExecution: 1, StartID: "s", Name: "Old", Status: store.StatusRunning, CreatedAt: demo.Epoch, UpdatedAt: demo.Epoch,
		Parent: started.Start.Parent}
	err := s.Commit(t.Context(), store.Commit{
		Turns:  []store.Turn{{Instance: "old", ExecutionID: 1, Events: []history.Event{started, {Kind: history.ActivityScheduled, EventID: 2, AtMS: 1, Name: "Work"}}, Token: "t"}},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: demo.Epoch},
	})
	if err != nil {
		t.Fatal(err)
	}
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: s, Queue: q, Activities: memorystore.NewActivities(time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, h: h}
}

func TestWhatProvesSomethingNeverLeaves(t *testing.T) {
	t.Parallel()
	b := withSecret(t)
	seen := 0
	for _, r := range console.RoutesOf(b.h) {
		if r.Method != "GET" || r.Pattern == "live" || r.Pattern == "queues" || r.Pattern == "catalog" || r.Pattern == "instances/{id}/code" || r.Pattern == "instances/{id}/logs" {
			continue
		}
		if r.Pattern == "schedules/{name}" {
			continue // There is none; its answer is the custom status of an instance, which another route shows.
		}
		seen++
		event := "1"
		if strings.HasSuffix(r.Pattern, "/attempts") {
			event = "2"
		}
		path := strings.NewReplacer("{id}", "old", "{execution}", "1", "{event}", event).Replace(r.Pattern)
		if path == "difference" {
			path += "?a=old&b=old&all=true"
		}
		if path == "steps" {
			path += "?name=Fulfil"
		}
		a := b.do("GET", "api/v1/"+path, nil)
		if body := a.Body.String(); strings.Contains(body, "0123456789abcdef") || strings.Contains(body, "fedcba9876543210") || a.Code != 200 {
			t.Errorf("%s: status %d: %s", path, a.Code, body)
		}
	}
	if seen < 8 {
		t.Errorf("%d routes were tried", seen)
	}
}

func TestAnExportIsWhatTheCommandLineWrites(t *testing.T) {
	t.Parallel()
	b := looking(t)
	a := b.do("GET", "api/v1/instances/"+segment(demo.HostileInstance)+"/export", nil)
	x, err := history.DecodeExport(a.Body.Bytes())
	if err != nil || x.Instance != demo.HostileInstance || len(x.Events) != 4 {
		t.Errorf("%d events of %q: %v", len(x.Events), x.Instance, err)
	}
	if name := a.Header().Get("Content-Disposition"); name != `attachment; filename="history-echo----img-src-x-onerror-alert-1---a--2F-b-1.json"` {
		t.Errorf("it is saved as %s", name)
	}
	b.do("GET", "api/v1/instances/"+demo.Completed+"/export?execution=2", nil).fails(api.CodeNotFound)
}

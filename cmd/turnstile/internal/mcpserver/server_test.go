package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/mcpserver"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// asked has instances of given states, and notes what it is asked to do. A method that it
// does not have panics: no test asks for it.
type asked struct {
	backend.Instances
	records map[string]client.Description
	did     []string
	// refuses is the error of each action.
	refuses error
}

func (a *asked) Describe(_ context.Context, instance string) (client.Description, error) {
	d, is := a.records[instance]
	if !is {
		return d, &client.NotFoundError{Instance: instance}
	}
	return d, nil
}

func (a *asked) do(format string, args ...any) error {
	a.did = append(a.did, fmt.Sprintf(format, args...))
	return a.refuses
}

// Act notes what it is asked to send, and answers dry runs.
func (a *asked) Act(_ context.Context, act acts.Any, id string, in, out any) error {
	name := act.About().Name()
	switch in := in.(type) {
	case api.Nothing:
		return a.do("%s %s", name, id)
	case api.End:
		return a.do("%s %s %q", name, id, in.Reason)
	case api.Raise:
		if in.DryRun {
			checked := map[string]api.Sent{"unheard": {Notes: []string{"nothing waits for it"}}, "approvd": {Notes: []string{"no build declares it"}, Wrong: true}}
			*out.(*api.Sent) = checked[in.Name]
			return nil
		}
		return a.do("raise %s %s %s", id, in.Name, in.Data)
	case client.RestartRequest:
		*out.(*client.Started) = client.Started{Instance: id, StartID: "s", PreviousExecution: 1}
		return a.do("restart %s %s", id, in.Input)
	case client.RedriveRequest:
		*out.(*client.Redriven) = client.Redriven{Started: client.Started{Instance: id, StartID: "s", PreviousExecution: 1}}
		if in.DryRun {
			return nil
		}
		return a.do("redrive %s from %d", id, in.From)
	case api.SetLimit:
		if in.Rate {
			return a.do("rate %s %d %s", in.Key, *in.Permits, time.Duration(in.PerMS)*time.Millisecond)
		}
		return a.do("limit %s %d", in.Key, *in.Permits)
	case api.ResetLimit:
		return a.do("reset %t %s", in.Rate, in.Key)
	}
	return fmt.Errorf("%s takes %T", name, in)
}

func (a *asked) CheckData(_ context.Context, check api.Check) (api.Checked, error) {
	if check.Data == "true" {
		return api.Checked{Known: true, Problems: []api.CheckProblem{{Text: "it must be true or false", Wrong: true}}}, nil
	}
	return api.Checked{}, nil
}

func (a *asked) List(_ context.Context, q client.ListQuery) (client.ListPage, error) {
	return client.ListPage{}, a.do("list %d %q", q.PageSize, q.PageToken)
}

func (a *asked) LimitList(_ context.Context, key string) (api.LimitList, error) {
	limits := []client.Limit{{Key: key, Permits: 20}}
	switch key {
	case "none":
		limits = nil
	case "k":
		limits = append(limits, client.Limit{Key: key, Rate: true, Permits: 5, Per: 1000})
	}
	return api.LimitList{Limits: limits}, nil
}

func known() *asked {
	return &asked{records: map[string]client.Description{
		"runs":     {Instance: "runs", Status: client.StatusRunning},
		"done":     {Instance: "done", Status: client.StatusCompleted},
		"corrupt":  {Instance: "corrupt", Status: client.StatusCorrupt},
		"suspends": {Instance: "suspends", Status: client.StatusSuspended, Suspension: &store.Suspension{}},
	}}
}

// agent is connected to a server of these instances.
func agent(t *testing.T, of *asked, actions bool) *mcp.ClientSession {
	t.Helper()
	server, err := mcpserver.New(mcpserver.Options{
		Open:  func(context.Context) (backend.Instances, error) { return of, nil },
		Query: func(mcpserver.Filter) (client.ListQuery, error) { return client.ListQuery{}, nil }, Advice: func(string) string { return "do this" },
		Explain: func(err error) string { return "explained: " + err.Error() }, Docs: fstest.MapFS{}, Now: func() time.Time { return time.Unix(0, 0) }, Version: "v1", Actions: actions,
	})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	serving, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(session.Close(), serving.Wait()); err != nil {
			t.Error(err)
		}
	})
	return session
}

// call returns the text that a tool answers, and whether it is an error.
func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Content {
		text += c.(*mcp.TextContent).Text
	}
	return text, got.IsError
}

func TestActionsAreToolsOnlyWhereTheyAreAllowed(t *testing.T) {
	t.Parallel()
	var want []string
	for _, act := range acts.All() {
		if tool := act.About().Tool.Name; tool != "" {
			want = append(want, tool)
		}
	}
	slices.Sort(want)
	for _, allowed := range []bool{false, true} {
		session := agent(t, known(), allowed)
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var change []string
		for _, tool := range tools.Tools {
			if !tool.Annotations.ReadOnlyHint {
				change = append(change, tool.Name)
			}
		}
		slices.Sort(change)
		if allowed && !slices.Equal(change, want) || !allowed && len(change) > 0 {
			t.Errorf("with actions allowed %t these change something: %v", allowed, change)
		}
	}
}

func TestAnActionIsSentOrShowsWhatItWouldDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, arguments string
		// did is what the instances were asked to do; "" for nothing.
		did    string
		failed bool
		says   []string
	}{
		{"cancel", `{"instance":"runs","reason":"late"}`, `cancel runs "late"`, false, []string{`"sent":true`, `"action":"cancel"`, "can still clean up"}},
		{"cancel", `{"instance":"runs","dry_run":true}`, "", false, []string{`"sent":false`, `"dry_run":true`, `"status":"running"`}},
		{"cancel", `{"instance":"done","dry_run":true}`, "", true, []string{"explained: ", "done"}},
		{"cancel", `{"instance":"suspends","dry_run":true}`, "", false, []string{"takes effect when it is resumed"}},
		{"cancel", `{"instance":"none","dry_run":true}`, "", false, []string{"the request has an effect only if a start is queued"}},
		{"wake", `{"instance":"runs"}`, "wake runs", false, []string{`"sent":true`}},
		{"set_limit", `{"key":"k","of":"attempts","permits":0}`, "limit k 0", false, []string{`"sent":true`, `"permits":20`}},
		{"set_limit", `{"key":"k","of":"rate","permits":5,"per_seconds":0.5}`, "rate k 5 500ms", false, []string{`"sent":true`, `"per_ms":1000`}},
		{"set_limit", `{"key":"k","of":"rate"}`, "reset true k", false, []string{"The number in the code applies again"}},
		{"set_limit", `{"key":"k","of":"rate","permits":5,"dry_run":true}`, "", false, []string{`"sent":false`, `"permits":5`}},
		{"set_limit", `{"key":"k","of":"instances","permits":5}`, "", true, []string{`no instance uses a limit with key "k"`}},
		{"set_limit", `{"key":"k","of":"attempts","permits":5,"per_seconds":1}`, "", true, []string{"the window of a rate"}},
		{"set_limit", `{"key":"k","of":"rate","per_seconds":1}`, "", true, []string{"together with permits"}},
		{"set_limit", `{"key":"k","permits":5}`, "", true, []string{`"of" is missing`, "attempts and rate"}},
		{"set_limit", `{"key":"one","permits":5}`, "limit one 5", false, []string{`"of":"attempts"`, `"sent":true`}},
		{"set_limit", `{"key":"none","permits":5}`, "", true, []string{`"of" is missing`, "does not exist"}},
		{"set_limit", `{"key":"k","of":"everything"}`, "", true, []string{"one of"}},
		{"list_limits", `{"key":"k"}`, "", false, []string{`"permits":20`, `"rate":true`}},
		{"list_limits", `{"skip":-1}`, "", true, []string{"0 or more"}},
		{"wake", `{"instance":"none","dry_run":true}`, "", true, []string{"explained: ", "none"}},
		{"wake", `{"instance":"suspends","dry_run":true}`, "", false, []string{"does not run until it is resumed"}},
		{"terminate", `{"instance":"runs","reason":"over"}`, `terminate runs "over"`, false, []string{"completed steps are not compensated"}},
		{"terminate", `{"instance":"corrupt","dry_run":true}`, "", false, []string{"purge --force"}},
		{"suspend", `{"instance":"suspends","dry_run":true}`, "", false, []string{"already suspended"}},
		{"suspend", `{"instance":"runs"}`, `suspend runs ""`, false, []string{`"sent":true`}},
		{"resume", `{"instance":"runs","dry_run":true}`, "", false, []string{"the instance is not suspended"}},
		{"resume", `{"instance":"suspends"}`, `resume suspends ""`, false, []string{`"sent":true`}},
		// Digits that a float64 would lose are sent as they were given.
		{"raise_event", `{"instance":"runs","event":"approved","data":{"id":12345678901234567890}}`, `raise runs approved {"id":12345678901234567890}`, false, []string{`"sent":true`, `"status":"running"`}},
		{"raise_event", `{"instance":"runs","event":"unheard"}`, "raise runs unheard ", false, []string{"nothing waits for it"}},
		{"raise_event", `{"instance":"runs","event":"approvd"}`, "", true, []string{"nothing was sent", "no build declares it", "set anyway"}},
		{"raise_event", `{"instance":"runs","event":"approvd","dry_run":true}`, "", true, []string{"no build declares it"}},
		{"raise_event", `{"instance":"none","event":"approvd","early":true}`, "", true, []string{"no build declares it"}},
		{"raise_event", `{"instance":"runs","event":"approvd","anyway":true}`, "raise runs approvd ", false, []string{"no build declares it", `"sent":true`}},
		{"restart", `{"instance":"done","input":true}`, "", true, []string{"nothing was sent", "it must be true or false"}},
		{"restart", `{"instance":"done","input":true,"anyway":true}`, "restart done true", false, []string{"it must be true or false", `"sent":true`}},
		{"raise_event", `{"instance":"runs","event":"approved","dry_run":true}`, "", false, []string{`"sent":false`}},
		{"raise_event", `{"instance":"none","event":"approved"}`, "", true, []string{"the event was not sent"}},
		{"raise_event", `{"instance":"none","event":"approved","early":true}`, "raise none approved ", false, []string{`"sent":true`, "becomes a dead letter"}},
		{"raise_event", `{"instance":"done","event":"approved"}`, "", true, []string{"was not sent, because it would have no effect"}},
		{"restart", `{"instance":"done","input":7}`, "restart done 7", false, []string{`"start_id":"s"`, `"after":1`}},
		{"restart", `{"instance":"runs","dry_run":true}`, "", true, []string{"only an ended instance can be restarted"}},
		{"redrive", `{"instance":"done","from":4}`, "redrive done from 4", false, []string{`"sent":true`, `"plan":{`}},
		{"redrive", `{"instance":"done","dry_run":true}`, "", false, []string{`"sent":false`, `"plan":{`}},
		{"redrive", `{"instance":"done","from":-1}`, "", true, []string{"from -1"}},
	} {
		of := known()
		text, failed := call(t, agent(t, of, true), c.tool, c.arguments)
		if did := strings.Join(of.did, "; "); did != c.did || failed != c.failed {
			t.Errorf("%s %s: it did %q, want %q; an error %t: %s", c.tool, c.arguments, did, c.did, failed, text)
		}
		for _, part := range c.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s %s answers %s, without %q", c.tool, c.arguments, text, part)
			}
		}
	}
}

func TestAnActionThatIsRefusedWasNotSent(t *testing.T) {
	t.Parallel()
	of := known()
	of.refuses = errors.New("no leave")
	session := agent(t, of, true)
	for _, tool := range []string{"cancel", "wake", "terminate", "suspend", "resume"} {
		if text, failed := call(t, session, tool, `{"instance":"runs"}`); !failed || text != "explained: no leave" {
			t.Errorf("%s answers %s, an error %t", tool, text, failed)
		}
	}
	// A request may come ahead of its start.
	of.refuses = client.ErrNoRecord
	if text, failed := call(t, session, "cancel", `{"instance":"none"}`); failed || !strings.Contains(text, `"sent":true`) || !strings.Contains(text, "only if a start is queued") {
		t.Errorf("without a record it answers %s", text)
	}
}

func TestNumbersOutOfBoundsAreErrors(t *testing.T) {
	t.Parallel()
	of := known()
	session := agent(t, of, false)
	for _, c := range []struct{ arguments, did, says string }{
		{`{}`, `list 20 ""`, ""}, {`{"limit":200,"page_token":"t"}`, `list 200 "t"`, ""},
		{`{"limit":201}`, "", "limit 201: must be 1 to 200"}, {`{"limit":-1}`, "", "limit -1: must be 1 to 200"},
	} {
		of.did = nil
		text, failed := call(t, session, "list_instances", c.arguments)
		if strings.Join(of.did, "; ") != c.did || failed != (c.says != "") || !strings.Contains(text, c.says) {
			t.Errorf("%s: it did %q, and answers %s", c.arguments, of.did, text)
		}
	}
}

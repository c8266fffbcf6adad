package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// said answers each request with the next answer, and the last one ever after.
type said struct {
	answers []string // "STATUS BODY"
	asked   []string // "METHOD PATH?QUERY BODY"
	header  http.Header
}

func (s *said) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.asked, s.header = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body))), r.Header
	answer := s.answers[min(len(s.asked), len(s.answers))-1]
	var status int
	_, err := fmt.Sscanf(answer, "%d", &status)
	if err != nil {
		panic(err)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer[4:])
}

func never(context.Context) bool  { return false }
func always(context.Context) bool { return true }

// called is the error of a call.
func called[Out any](_ Out, err error) error { return err }

func TestEachCallIsARequestOfTheAPI(t *testing.T) {
	t.Parallel()
	five := 5
	for want, call := range map[string]func(context.Context, *remote.Client) error{
		`GET /api/v1/instances/a%2F1`: func(ctx context.Context, c *remote.Client) error { _, err := c.Describe(ctx, "a/1"); return err },
		`GET /api/v1/instances/~..`:   func(ctx context.Context, c *remote.Client) error { _, err := c.Describe(ctx, ".."); return err },
		`GET /api/v1/instances/~~a`:   func(ctx context.Context, c *remote.Client) error { _, err := c.Describe(ctx, "~a"); return err },
		`GET /api/v1/instances/a/timeline?at=17&executions=3`: func(ctx context.Context, c *remote.Client) error {
			_, err := c.Timeline(ctx, "a", 3, "17")
			return err
		},
		`POST /api/v1/instances/a%2F1/query {"name":"left","input":{"n":12345678901234567890}}`: func(ctx context.Context, c *remote.Client) error {
			return called(c.Query(ctx, client.QueryRequest{Instance: "a/1", Name: "left", Input: json.RawMessage(`{"n":12345678901234567890}`)}))
		},
		`POST /api/v1/instances/a/cancel {"reason":"late"}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.Cancel.Call(ctx, c, "a", api.End{Reason: "late"}))
		},
		`POST /api/v1/instances/a/terminate {"reason":"late"}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.Terminate.Call(ctx, c, "a", api.End{Reason: "late"}))
		},
		`POST /api/v1/instances/a/suspend {"reason":"late"}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.Suspend.Call(ctx, c, "a", api.End{Reason: "late"}))
		},
		`POST /api/v1/instances/a/resume {"reason":"late"}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.Resume.Call(ctx, c, "a", api.End{Reason: "late"}))
		},
		`POST /api/v1/instances/a/wake {}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.Wake.Call(ctx, c, "a", api.Nothing{}))
		},
		`POST /api/v1/limits/set {"key":"k","permits":0}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.SetLimit.Call(ctx, c, "", api.SetLimit{Key: "k", Permits: new(int)}))
		},
		`GET /api/v1/instances?ended_from=2026-01-01T00%3A00%3A00Z&ended_to=2026-01-02T00%3A00%3A00Z&page_size=5&status=failed`: func(ctx context.Context, c *remote.Client) error {
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			_, err := c.List(ctx, client.ListQuery{Status: client.StatusFailed, EndedFrom: day, EndedTo: day.AddDate(0, 0, 1), PageSize: 5})
			return err
		},
		`GET /api/v1/limits?key=k`: func(ctx context.Context, c *remote.Client) error { _, err := c.LimitList(ctx, "k"); return err },
		`POST /api/v1/limits/set {"key":"k","permits":5,"rate":true,"per_ms":60000}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.SetLimit.Call(ctx, c, "", api.SetLimit{Key: "k", Permits: &five, Rate: true, PerMS: 60_000}))
		},
		`POST /api/v1/limits/reset {"key":"k","rate":true}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.ResetLimit.Call(ctx, c, "", api.ResetLimit{Key: "k", Rate: true}))
		},
		`POST /api/v1/limits/reset {"key":"k"}`: func(ctx context.Context, c *remote.Client) error {
			return called(acts.ResetLimit.Call(ctx, c, "", api.ResetLimit{Key: "k"}))
		},
	} {
		s := &said{answers: []string{"200 {}"}}
		if err := call(t.Context(), remote.Over(s, never)); err != nil || len(s.asked) != 1 || s.asked[0] != want {
			t.Errorf("asked is %q, want %q, %v", s.asked, want, err)
		}
	}
}

func TestOnlyActionsSendTheActor(t *testing.T) {
	t.Parallel()
	s := &said{answers: []string{"200 {}"}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableKeepAlives: true}
	c := remote.New(server.URL+"/", "ada", transport, never)
	if err := called(acts.Wake.Call(t.Context(), c, "a", api.Nothing{})); err != nil || s.header.Get("Turnstile-Action") != "1" || s.header.Get("Turnstile-Actor") != "ada" {
		t.Errorf("an action has %v, %v", s.header, err)
	}
	if _, err := c.Describe(t.Context(), "a"); err != nil || s.header.Get("Turnstile-Action") != "" || s.header.Get("Turnstile-Actor") != "" {
		t.Errorf("a look has %v, %v", s.header, err)
	}
	if err := called(acts.Wake.Call(t.Context(), remote.New(server.URL, "", transport, never), "a", api.Nothing{})); err != nil || s.header.Get("Turnstile-Actor") != "" {
		t.Errorf("an action of nobody has %v, %v", s.header, err)
	}
}

func TestAnErrorOfTheConsoleIsTheClients(t *testing.T) {
	t.Parallel()
	all := []error{client.ErrNotFound, store.ErrUnavailable, store.ErrBadPageToken}
	for _, c := range []struct {
		answer string
		is     error
		says   string
	}{
		{`404 {"error":{"code":"not_found","message":"no instance \"a\""}}`, client.ErrNotFound, `no instance "a"`},
		{`503 {"error":{"code":"unavailable","message":"throttled"}}`, store.ErrUnavailable, "throttled"},
		{`503 {"error":{"code":"busy","message":"busy"}}`, store.ErrUnavailable, "busy"},
		{`400 {"error":{"code":"bad_page_token","message":"of another query"}}`, store.ErrBadPageToken, "of another query"},
		{`403 {"error":{"code":"read_only","message":"it only reads","advice":"allow actions"}}`, nil, "it only reads\nallow actions"},
		{`500 {}`, nil, "is not a console of Turnstile: "},
		{`502 <html>bad gateway</html>`, nil, "is not a console of Turnstile: "},
		{`200 <html>welcome</html>`, nil, "this version cannot decode"},
	} {
		_, err := remote.Over(&said{answers: []string{c.answer}}, never).Describe(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.answer, err, c.says)
		}
		for _, e := range all {
			if errors.Is(err, e) != (e == c.is) {
				t.Errorf("%s: %v is %v: %t", c.answer, err, e, errors.Is(err, e))
			}
		}
	}
}

// Code that is given this client finds the errors of a [client.Client].
func TestAnErrorOfTheConsoleHasTheTypeOfTheClients(t *testing.T) {
	t.Parallel()
	free := time.Date(2030, 1, 16, 12, 0, 0, 0, time.UTC)
	is := map[string]func(error) bool{
		"not_found": func(err error) bool {
			e, ok := errors.AsType[*client.NotFoundError](err)
			return ok && e.FreeAt.Equal(free) && errors.Is(err, client.ErrNotFound)
		},
		"purged": func(err error) bool {
			e, ok := errors.AsType[*client.PurgedError](err)
			return ok && e.FreeAt.Equal(free) && errors.Is(err, client.ErrPurged)
		},
		"already_exists": func(err error) bool { _, ok := errors.AsType[*client.AlreadyExistsError](err); return ok },
		"ended":          func(err error) bool { _, ok := errors.AsType[*client.EndedError](err); return ok },
		"still_running":  func(err error) bool { _, ok := errors.AsType[*client.StillRunningError](err); return ok },
		"no_answer": func(err error) bool {
			e, ok := errors.AsType[*client.QueryError](err)
			return ok && *e == client.QueryError{Instance: "a", Orchestration: "Flow", Query: "left", Kind: "disagrees", Message: "no", EventID: 7}
		},
		"contradicted": func(err error) bool { _, ok := errors.AsType[*client.RedriveError](err); return ok },
		"not_offered":  func(err error) bool { return errors.Is(err, client.ErrNoActivities) },
	}
	more := map[string]string{"no_answer": `,"no_answer":{"instance":"a","orchestration":"Flow","query":"left","kind":"disagrees","message":"no","event_id":7}`}
	for code := range is {
		_, err := remote.Over(&said{answers: []string{fmt.Sprintf(`409 {"error":{"code":%q,"message":"no","free_at":"2030-01-16T12:00:00Z"%s}}`, code, more[code])}}, never).Describe(t.Context(), "a")
		for other, holds := range is {
			if holds(err) != (other == code) {
				t.Errorf("%s is an error of the type of %s: %t", code, other, holds(err))
			}
		}
	}
}

func TestAWaitEndsWhenTheInstanceIsPurged(t *testing.T) {
	t.Parallel()
	s := &said{answers: []string{`200 {"instance":"a","status":"running","execution_id":1}`, `404 {"error":{"code":"not_found","message":"purged","free_at":"2030-01-16T12:00:00Z"}}`}}
	_, err := remote.Over(s, always).Wait(t.Context(), "a")
	if purged, is := errors.AsType[*client.PurgedError](err); !is || purged.Instance != "a" || purged.FreeAt.IsZero() {
		t.Errorf("it ends by %v", err)
	}
}

// A POST that follows a 301 is a GET, and what answers that says nothing of the action.
func TestARedirectIsAnErrorThatNamesTheTarget(t *testing.T) {
	t.Parallel()
	for location, says := range map[string]string{
		"https://shop.example/console/api/v1/instances/a/cancel": "redirects to https://shop.example/console/: use that address",
		"/console/api/v1/instances/a/cancel":                     "/console/: use that address",
		"https://login.example/?to=shop":                         "redirects to https://login.example/?to=shop, which is not its API: check the address",
	} {
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			}))
			transport := &http.Transport{DisableKeepAlives: true}
			c := remote.New(server.URL, "", transport, never)
			for _, err := range []error{called(acts.Cancel.Call(t.Context(), c, "a", api.End{})), func() error { _, err := c.Describe(t.Context(), "a"); return err }()} {
				if err == nil || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), server.URL) {
					t.Errorf("%d to %s: %v, want %q", status, location, err, says)
				}
			}
			server.Close()
			if asked != 2 {
				t.Errorf("%d to %s: %d requests", status, location, asked)
			}
		}
	}
}

func TestAnAddressWithoutAConsoleIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c := remote.New(server.URL, "", &http.Transport{DisableKeepAlives: true}, never)
	_, err := c.Describe(t.Context(), "a")
	if gone, is := errors.AsType[*remote.UnreachableError](err); !is || gone.URL != server.URL+"/" || gone.Unwrap() == nil {
		t.Errorf("%v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Describe(ended, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller's end: %v", err)
	} else if _, is := errors.AsType[*remote.UnreachableError](err); is {
		t.Errorf("the caller's end is told as that of the console: %v", err)
	}
}

func TestAWaitEndsWithTheInstance(t *testing.T) {
	t.Parallel()
	const none, running, done = `404 {"error":{"code":"not_found","message":"none"}}`, `200 {"instance":"a","status":"running","execution_id":1,"start_id":"s"}`, `200 {"instance":"a","status":"completed","execution_id":1,"output":7}`
	s := &said{answers: []string{none, `503 {"error":{"code":"busy","message":"busy"}}`, running, done}}
	d, err := remote.Over(s, always).Wait(t.Context(), "a")
	if err != nil || d.Status != client.StatusCompleted || string(d.Output) != "7" || len(s.asked) != 4 {
		t.Errorf("%+v, %v after %d looks", d, err, len(s.asked))
	}
	for answer, has := range map[string]bool{none: false, running: true} {
		_, err = remote.Over(&said{answers: []string{answer}}, never).Wait(t.Context(), "a")
		if wait, is := errors.AsType[*client.WaitError](err); !is || (wait.Last != nil) != has {
			t.Errorf("given up at %s: %v", answer, err)
		}
	}
	if _, err = remote.Over(&said{answers: []string{`403 {"error":{"code":"denied","message":"no leave"}}`}}, always).Wait(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "no leave") {
		t.Errorf("an error: %v", err)
	}
}

func TestAStartIsConfirmedByItsRecord(t *testing.T) {
	t.Parallel()
	const record = `200 {"instance":"a","name":"Fulfil","status":"running","execution_id":2,"start_id":"s"}`
	for _, c := range []struct {
		about   string
		started client.Started
		exists  bool
		waits   bool
	}{
		{"it is the one that was started", client.Started{Instance: "a", StartID: "s"}, false, false},
		{"another start was first", client.Started{Instance: "a", StartID: "mine"}, true, false},
		{"the execution before is still there", client.Started{Instance: "a", StartID: "s", PreviousExecution: 2}, false, true},
		{"the execution after it is there", client.Started{Instance: "a", StartID: "s", PreviousExecution: 1}, false, false},
	} {
		err := remote.Over(&said{answers: []string{record}}, never).Confirm(t.Context(), "Fulfil", c.started)
		_, exists := errors.AsType[*client.AlreadyExistsError](err)
		_, waits := errors.AsType[*client.WaitError](err)
		if exists != c.exists || waits != c.waits || (err != nil) != (c.exists || c.waits) {
			t.Errorf("%s: %v", c.about, err)
		}
	}
}

func TestAnActionOnWhatHasNoRecordIsReportedAndSent(t *testing.T) {
	t.Parallel()
	s := &said{answers: []string{`200 {"no_record":true}`}}
	if err := called(acts.Cancel.Call(t.Context(), remote.Over(s, never), "a", api.End{})); !errors.Is(err, client.ErrNoRecord) || len(s.asked) != 1 {
		t.Errorf("%v", err)
	}
}

func TestAStartIsSentWhole(t *testing.T) {
	t.Parallel()
	s := &said{answers: []string{`200 {"instance":"a","start_id":"s","after":3}`}}
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	got, err := remote.Over(s, never).Start(t.Context(), client.StartRequest{Name: "Fulfil", Version: "2", Instance: "a", DeduplicationID: "d", Input: json.RawMessage(`7`),
		UseExisting: true, NotBefore: at, Events: []wire.StartEvent{{Name: "approved", Data: json.RawMessage(`true`)}}})
	if err != nil || got != (client.Started{Instance: "a", StartID: "s", PreviousExecution: 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, part := range []string{"POST /api/v1/instances {", `"name":"Fulfil"`, `"version":"2"`, `"instance":"a"`, `"start_id":"d"`, `"input":7`, `"use_existing":true`, `"not_before":"2030-01-01T12:00:00Z"`, `"events":[{"name":"approved","data":true}]`} {
		if !strings.Contains(s.asked[0], part) {
			t.Errorf("sent is %s, without %s", s.asked[0], part)
		}
	}
}

func TestWhatIsWaitedForHasItsLabel(t *testing.T) {
	t.Parallel()
	s := &said{answers: []string{`200 {"operations":[{"event_id":3,"kind":"timer","label":"grace period","scheduled_at":"2030-01-01T00:00:00Z","due_at":"2030-01-04T00:00:00Z"}]}`}}
	got, err := remote.Over(s, never).Pending(t.Context(), "a")
	if err != nil || len(got.Operations) != 1 || got.Operations[0].Label != "grace period" || got.Operations[0].EventID != 3 || got.Operations[0].DueAt.Day() != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

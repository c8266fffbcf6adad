package sqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/sqlite"
)

// nowhere is a queue to which nothing may be sent.
type nowhere struct {
	queue.Queue
	t *testing.T
}

func (nowhere) FIFO() bool { return true }

func (n nowhere) Send(_ context.Context, sent ...queue.Outgoing) error {
	n.t.Errorf("it sent %v", sent)
	return nil
}

// is reports whether an error is a T, and that one satisfies.
func is[T error](satisfies func(T) bool) func(error) bool {
	return func(err error) bool {
		e, found := errors.AsType[T](err)
		return found && satisfies(e)
	}
}

func encoding(t *testing.T, name string) *codec.Set {
	t.Helper()
	key, err := aesgcm.New(name, bytes.Repeat([]byte(name[:1]), aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	set, err := codec.NewSet(key)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// What cannot be done is a typed error at the call, which says what to do, whatever the instances
// are kept in; by the API of the console too. Nothing is sent.
func TestWrongUseIsATypedErrorAtTheCall(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) []embedded.Option{
		"memory": func(*testing.T) []embedded.Option { return nil },
		"SQLite": func(t *testing.T) []embedded.Option {
			db, err := sqlite.Open(filepath.Join(t.TempDir(), "data"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return []embedded.Option{embedded.WithDatabase(db)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrongUses(t, open(t)...)
		})
	}
}

func wrongUses(t *testing.T, opts ...embedded.Option) {
	var (
		order   = turnstile.NewOrchestration[int, int]("Order")
		reserve = turnstile.NewActivity[int, int]("Reserve")
		charge  = turnstile.NewActivity[int, int]("Charge")
		mended  atomic.Bool
	)
	broken := func(_ context.Context, n int) (int, error) {
		if n > 0 {
			return 0, turnstile.NonRetryable(errors.New("the bank is down"))
		}
		return n, nil
	}
	app := turnstile.NewApp(schedule.Part(),
		reserve.Implement(func(_ context.Context, n int) (int, error) { return n, nil }), charge.Implement(broken),
		order.Implement(func(ctx turnstile.Context, n int) (int, error) {
			first := reserve
			if mended.Load() { // As a deployment may have it.
				first = charge
			}
			if _, err := first.Call(ctx, n); err != nil {
				return 0, err
			}
			return charge.Call(ctx, n)
		}))
	r, err := embedded.New(app, append(opts, embedded.WithCodecs(encoding(t, "old")))...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- r.Run(ctx) }()
	defer func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	c := r.Client()
	for id, n := range map[string]int{"failed": 1, "done": 0, "gone": 0} {
		run, err := client.Start(ctx, c, order, n, client.WithInstanceID(id))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(ctx); (err != nil) != (id == "failed") {
			t.Fatalf("%s: %v", id, err)
		}
	}
	if err := c.Purge(ctx, "gone"); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // Its purge is a message of its group.
		_, err = c.Wait(ctx, "gone")
	}
	if !errors.Is(err, client.ErrPurged) {
		t.Fatal(err)
	}
	mended.Store(true)
	without, err := client.New(client.Config{Store: r.Store(), Queue: nowhere{t: t}, Codecs: encoding(t, "new"), App: app})
	if err != nil {
		t.Fatal(err)
	}
	at := func(of string, event int64) func(error) bool {
		return is(func(e *client.RedriveError) bool { return e.Instance == of && e.EventID == event && e.Stuck == nil })
	}
	argument := func(name string) func(error) bool {
		return is(func(e *turnstile.InvalidArgumentError) bool { return e.Argument == name })
	}
	for _, wrong := range []struct {
		what    string
		by      *client.Client
		request client.RedriveRequest
		is      func(error) bool
		says    []string
		code    api.Code
		status  int
	}{
		{"an event that is not there", c, client.RedriveRequest{Instance: "failed", From: 99}, at("failed", 99), []string{`instance "failed"`, "event 99", "last event before its end is"}, api.CodeInvalid, 400},
		{"no number of an event", c, client.RedriveRequest{Instance: "failed", From: -1}, argument("From"), []string{"is -1", "from 1, or 0"}, api.CodeInvalid, 400},
		{"one that has completed, from nowhere", c, client.RedriveRequest{Instance: "done"}, at("done", 0), []string{`instance "done"`, "name the event"}, api.CodeInvalid, 400},
		{"a purged instance", c, client.RedriveRequest{Instance: "gone"}, is(func(e *client.NotFoundError) bool { return e.Instance == "gone" && !e.FreeAt.IsZero() }), []string{`"gone" has been purged`, "can be reused from"}, api.CodeNotFound, 404},
		{"a fork by the id of a purged one", c, client.RedriveRequest{Instance: "failed", As: "gone"}, is(func(e *client.PurgedError) bool { return e.Instance == "gone" }), []string{`"gone" was purged`, "choose another instance id"}, api.CodePurged, 409},
		{"what this build's code contradicts", c, client.RedriveRequest{Instance: "failed"},
			is(func(e *client.RedriveError) bool {
				return e.Instance == "failed" && e.ExecutionID == 1 && e.Stuck != nil && e.Stuck.Kind == "nondeterminism" && e.Stuck.EventID == 2 && e.Stuck.Diff != nil && strings.Contains(e.Stuck.Diff.Did, "Charge")
			}),
			[]string{`instance "failed" execution 1`, "fix the code, name an earlier event, or restart", "Reserve", "Charge", "wrong_use_test.go:"}, api.CodeContradicted, 409},
		{"a key that is gone", without, client.RedriveRequest{Instance: "failed"}, is(func(e *codec.UnknownError) bool { return e.Codec == "aesgcm:old" }), []string{`instance "failed" execution 1`, "aesgcm:old"}, api.CodeNotDecoded, 409},
	} {
		h, err := console.Handler(wrong.by, console.AllowActions())
		if err != nil {
			t.Fatal(err)
		}
		for _, dry := range []bool{true, false} {
			wrong.request.DryRun = dry
			_, err := wrong.by.Redrive(ctx, wrong.request)
			if err == nil || !wrong.is(err) {
				t.Errorf("%s, dry %t: the error is %T: %v", wrong.what, dry, err, err)
				continue
			}
			body, err := json.Marshal(client.RedriveRequest{As: wrong.request.As, From: wrong.request.From, DryRun: dry})
			if err != nil {
				t.Fatal(err)
			}
			asked := httptest.NewRequest(http.MethodPost, "http://localhost/api/v1/instances/"+wrong.request.Instance+"/redrive", bytes.NewReader(body))
			asked.Header.Set("Content-Type", "application/json")
			asked.Header.Set("Turnstile-Action", "1")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, asked)
			var failed api.Failed
			if err := json.Unmarshal(w.Body.Bytes(), &failed); err != nil || w.Code != wrong.status || failed.Error.Code != wrong.code {
				t.Errorf("%s, dry %t: the console answers %d %s", wrong.what, dry, w.Code, w.Body)
			}
			if (failed.Error.Problem != nil) != (wrong.code == api.CodeContradicted) {
				t.Errorf("%s: the problem is %+v", wrong.what, failed.Error.Problem)
			}
			for _, want := range wrong.says {
				if !strings.Contains(failed.Error.Message, want) {
					t.Errorf("%s: it says %q, without %q", wrong.what, failed.Error.Message, want)
				}
			}
		}
	}
	if d, err := c.Describe(ctx, "failed"); err != nil || d.ExecutionID != 1 {
		t.Errorf("it is changed: %+v, %v", d, err)
	}
	if r.DeadLetters() != 0 {
		t.Errorf("%d dead letters", r.DeadLetters())
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
)

// updating is an instance "i" that handles updates, and the client with its code.
func updating(t *testing.T) *client.Client {
	t.Helper()
	flow, stop := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewEvent[int]("stop")
	ready := turnstile.NewState[bool]("ready")
	type step struct {
		By int `json:"by"`
	}
	add, slow := turnstile.NewUpdate[step, int]("add"), turnstile.NewUpdate[int, int]("slow")
	app := turnstile.NewApp(add, slow, flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		add.Handle(ctx, func(s step) error {
			if s.By < 1 {
				return errors.New("by is less than 1")
			}
			return nil
		}, func(_ turnstile.Context, s step) (int, error) {
			if s.By == 13 {
				return 0, turnstile.WithCode(errors.New("out of luck"), "unlucky")
			}
			n += s.By
			return n, nil
		})
		slow.Handle(ctx, nil, func(ctx turnstile.Context, _ int) (int, error) { return stop.Wait(ctx) })
		if err := ready.Set(ctx, true); err != nil {
			return 0, err
		}
		return turnstile.NewEvent[int]("never").Wait(ctx)
	}))
	env, err := embedded.New(app)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if _, err := client.Start(t.Context(), env.Client(), flow, 1, client.WithInstanceID("i")); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Client().WaitState(t.Context(), "i", "ready", client.StateNumber{}); err != nil {
		t.Fatal(err)
	}
	return env.Client()
}

func TestAnUpdateIsAnsweredToAClientAndThroughAConsole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a client", "a console"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, b := updating(t), newBench(t)
			b.made = c
			if name == "a console" {
				h, err := console.Handler(c, console.AllowActions())
				if err != nil {
					t.Fatal(err)
				}
				server := httptest.NewServer(h)
				t.Cleanup(server.Close)
				server.Config.SetKeepAlivesEnabled(false)
				b.as = backend.Open(&backend.Settings{Console: server.URL, Getenv: func(string) string { return "" }})
			}
			if r := b.runWith(t.Context(), `{"by":2}`, "update", "i", "add", "-", "--id", "a"); r.status != exitOK || r.out != "3\n" || r.err != "" {
				t.Errorf("%+v", r)
			}
			if again := b.ok("update", "i", "add", `{"by":2}`, "--id", "a"); again != "3\n" {
				t.Errorf("a repeat prints %q", again)
			}
			var s client.UpdateStatus
			if err := json.Unmarshal([]byte(b.ok("update", "i", "--id", "a", "--output", "json")), &s); err != nil || s.Stage != client.UpdateCompleted || string(s.Output) != "3" || s.EventID == 0 {
				t.Errorf("the status is %+v, %v", s, err)
			}
			b.fails(exitBadEnd, []string{`instance "i" rejected update`, "by is less than 1"}, "update", "i", "add", `{"by":0}`)
			b.fails(exitBadEnd, []string{"failed: out of luck"}, "update", "i", "add", `{"by":13}`)
			if r := b.run("update", "i", "add", `{"by":13}`, "--output", "json"); r.status != exitBadEnd || json.Unmarshal([]byte(r.out), &s) != nil || s.Failure == nil || s.Failure.Code != "unlucky" {
				t.Errorf("%+v", r)
			}
			b.fails(exitFailed, []string{`no build declares update "slov"`, `did you mean "slow"?`, "--anyway"}, "update", "i", "slov", "1")
			b.fails(exitFailed, []string{"update add: by is a string", "--anyway"}, "update", "i", "add", `{"by":"two"}`)
			b.fails(exitBadEnd, []string{"rejected update"}, "update", "i", "add", `{"by":"two"}`, "--anyway")
			if r := b.run("update", "i", "slow", "1", "--id", "s", "--wait", "0"); r.status != exitOK || r.out != "" || !strings.Contains(r.err, "sent: update s; i has not decided about it yet") {
				t.Errorf("%+v", r)
			}
			if _, err := c.WaitUpdate(t.Context(), "i", "s", client.UpdateAccepted); err != nil {
				t.Fatal(err)
			}
			var described struct {
				Updates          []client.UpdateStatus    `json:"updates"`
				UnconsumedEvents []client.UnconsumedEvent `json:"unconsumed_events"`
			}
			if err := json.Unmarshal([]byte(b.ok("describe", "i", "--output", "json")), &described); err != nil || len(described.UnconsumedEvents) > 0 ||
				len(described.Updates) != 1 || described.Updates[0].ID != "s" || described.Updates[0].Name != "slow" || described.Updates[0].Stage != client.UpdateAccepted {
				t.Errorf("describe has %+v, %v", described, err)
			}
			if text := b.ok("timeline", "i"); !strings.Contains(text, "update\tslow") || strings.Contains(text, history.UpdatePrefix) {
				t.Errorf("the timeline is\n%s", text)
			}
			b.fails(exitTimeout, []string{`gave up waiting for update "s"`, "has accepted it, and its handler has not returned"}, "update", "i", "--id", "s", "--wait", "50ms")
			if r := b.run("update", "i", "--id", "s", "--wait", "0"); r.status != exitOK || !strings.Contains(r.err, "i has accepted update s at") {
				t.Errorf("%+v", r)
			}
			b.fails(exitNotFound, []string{`no instance "j"`}, "update", "j", "add", `{"by":1}`)
			b.fails(exitUsage, []string{"INPUT is not JSON"}, "update", "i", "add", "{")
			b.fails(exitUsage, []string{"update needs INSTANCE NAME, or INSTANCE and --id"}, "update", "i")
			b.fails(exitUsage, []string{"--expires needs NAME"}, "update", "i", "--id", "a", "--expires", "1m")
			b.fails(exitUsage, []string{"must not be negative"}, "update", "i", "add", "1", "--wait", "-1s")
			if err := c.Terminate(t.Context(), "i", "over"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Wait(t.Context(), "i"); err != nil {
				t.Fatal(err)
			}
			b.fails(exitFailed, []string{"terminated"}, "update", "i", "add", `{"by":1}`)
			b.fails(exitBadEnd, []string{"its handler did not return before its execution ended"}, "update", "i", "--id", "s")
			if got := b.offers("update", "i", "s"); len(got) != 1 || got[0] != "slow" {
				t.Errorf("a shell is offered %q", got)
			}
		})
	}
}

func TestAnUpdateThatHasExpiredIsRejected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.made, b.clock.now = updating(t), time.Unix(0, 0)
	b.fails(exitBadEnd, []string{"rejected update", "expired at 1970-01-01T00:01:00Z"}, "update", "i", "add", `{"by":1}`, "--expires", "1m")
}

func TestAnAgentSendsAnUpdate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.made = updating(t)
	a := b.agent("--allow-actions")
	a.says("send_update", `{"instance":"i","update":"add","input":{"by":2},"dry_run":true}`, `"sent":false`, `"status":"running"`)
	a.says("send_update", `{"instance":"i","update":"add","input":{"by":2},"deduplication_id":"a"}`, `"sent":true`, `"stage":"completed"`, `"id":"a"`, `"output":3`)
	a.says("send_update", `{"instance":"i","update":"add","input":{"by":0}}`, `"stage":"rejected"`, "by is less than 1")
	a.refuses("send_update", `{"instance":"i","update":"add","input":{"by":"two"}}`, "nothing was sent", "set anyway")
	a.refuses("send_update", `{"instance":"j","update":"add"}`, `no instance "j"`)
}

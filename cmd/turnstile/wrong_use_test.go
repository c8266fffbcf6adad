package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/console/acts"
)

// What cannot be redriven is said by the command, with its exit status, by the API of a console
// to who speaks to it from afar, and to an agent.
func TestTheCommandReportsInstancesThatCannotBeRedriven(t *testing.T) {
	t.Parallel()
	var (
		order  = turnstile.NewOrchestration[int, int]("Order")
		charge = turnstile.NewActivity[int, int]("Charge")
		refund = turnstile.NewActivity[int, int]("Refund")
		mended atomic.Bool
	)
	same := func(_ context.Context, n int) (int, error) { return n, nil }
	e, err := embedded.New(turnstile.NewApp(charge.Implement(same), refund.Implement(same),
		order.Implement(func(ctx turnstile.Context, n int) (int, error) {
			first := charge
			if mended.Load() { // As a deployment may have it.
				first = refund
			}
			if _, err := first.Call(ctx, n); err != nil || n == 0 {
				return 0, err
			}
			return 0, errors.New("out of stock")
		})), embedded.WithVirtualTime(epoch))
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
	for id, n := range map[string]int{"failed": 1, "done": 0, "gone": 0} {
		run, err := client.Start(ctx, e.Client(), order, n, client.WithInstanceID(id))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Wait(ctx); (err != nil) != (id == "failed") {
			t.Fatalf("%s: %v", id, err)
		}
	}
	if err := e.Client().Purge(ctx, "gone"); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // Its purge is a message of its group.
		_, err = e.Client().Wait(ctx, "gone")
	}
	mended.Store(true)

	at := newBench(t)
	at.made = e.Client()
	command := func() *cli { return &cli{now: epochNow, open: backend.Open, getenv: func(string) string { return "" }} }
	agent := agentOn(t, command(), "--console", server.URL, "--allow-actions")
	for _, wrong := range []struct {
		args   []string
		asked  string
		status int
		says   []string
	}{
		{[]string{"failed", "--from", "99"}, "", exitFailed, []string{`instance "failed"`, "event 99", "last event before its end is 3"}},
		{[]string{"failed", "--from", "-1"}, "", exitUsage, []string{"--from -1", "from 1"}},
		{[]string{"done"}, `{"instance":"done"}`, exitFailed, []string{"it has completed", "name the event"}},
		{[]string{"gone"}, `{"instance":"gone"}`, exitNotFound, []string{`"gone" has been purged`, "can be reused from"}},
		{[]string{"failed", "--as", "gone"}, "", exitFailed, []string{`"gone" was purged`, "choose another instance id"}},
		{[]string{"failed"}, `{"instance":"failed"}`, exitFailed, []string{`instance "failed" execution 1`, "fix the code, name an earlier event, or restart", "Charge", "Refund", "wrong_use_test.go:"}},
		{[]string{"failed", "--dry-run"}, `{"instance":"failed","dry_run":true}`, exitFailed, []string{"the code disagrees", "Charge", "Refund"}},
	} {
		args := append([]string{"redrive"}, wrong.args...)
		at.fails(wrong.status, wrong.says, args...)
		var out bytes.Buffer
		afar := command()
		afar.in, afar.out, afar.err = strings.NewReader(""), &out, &out
		if status := afar.run(t.Context(), append(args, "--console", server.URL)); status != wrong.status {
			t.Errorf("%q from afar ended with %d, want %d", args, status, wrong.status)
		}
		for _, want := range wrong.says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q from afar says %q, without %q", args, out.String(), want)
			}
			if wrong.asked != "" {
				agent.refuses("redrive", wrong.asked, want)
			}
		}
	}
	_, err = acts.Redrive.Call(ctx, remote.Over(handler, nil), "failed", client.RedriveRequest{})
	if refused, is := errors.AsType[*client.RedriveError](err); !is || refused.Stuck == nil || refused.Stuck.EventID != 2 || refused.Stuck.Diff == nil {
		t.Errorf("from afar the error is %T: %v", err, err)
	}
	if e.DeadLetters() != 0 {
		t.Errorf("%d dead letters", e.DeadLetters())
	}
}

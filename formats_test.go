package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestATimerOverAHundredYearsIsAnErrorAtTheCall(t *testing.T) {
	t.Parallel()
	sleeper := turnstile.NewOrchestration[int64, string]("Sleeper")
	event := turnstile.NewEvent[int]("never")
	e := start(t, sleeper.Implement(func(ctx turnstile.Context, ns int64) (string, error) {
		d := time.Duration(ns)
		if err := turnstile.Sleep(ctx, d); !isInvalid(err) || !strings.Contains(err.Error(), "876000h") {
			return "", fmt.Errorf("Sleep: %w", err)
		}
		if _, err := event.WaitTimeout(ctx, d); !isInvalid(err) {
			return "", fmt.Errorf("WaitFor: %w", err)
		}
		if _, err := turnstile.After(ctx, d).Await(ctx); !isInvalid(err) {
			return "", fmt.Errorf("After: %w", err)
		}
		// The longest timeout stands for no timeout.
		_, cancel := turnstile.WithTimeout(ctx, d)
		cancel("done")
		return "as said", nil
	}))
	for _, d := range []time.Duration{turnstile.MaxTimer + 1, math.MaxInt64 - 1, math.MaxInt64} {
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, sleeper, int64(d)))
		if got, err := run.Wait(e.ctx); err != nil || got != "as said" {
			t.Errorf("%s: %q, %v", d, got, err)
		}
		for _, ev := range e.history(run.Instance) {
			if ev.Kind == history.TimerCreated && ev.DurationMS != turnstile.MaxTimer.Milliseconds() {
				t.Errorf("%s: %+v was recorded", d, ev)
			}
		}
	}
}

func isInvalid(err error) bool {
	_, is := errors.AsType[*turnstile.InvalidArgumentError](err)
	return is
}

func TestARetryPolicyMayNameTheLongestDuration(t *testing.T) {
	t.Parallel()
	twice := turnstile.NewActivity[int, int]("Twice")
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t,
		twice.Implement(func(_ context.Context, n int) (int, error) { return 2 * n, nil }),
		main.Implement(func(ctx turnstile.Context, n int) (int, error) {
			return twice.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 2, MaxInterval: turnstile.MaxTimer}),
				turnstile.TotalTimeout(turnstile.MaxTimer), turnstile.AttemptTimeout(turnstile.MaxTimer)).Call(ctx, n)
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 7))
	if got, err := run.Wait(e.ctx); err != nil || got != 14 {
		t.Errorf("%d, %v", got, err)
	}
}

func TestHeadersOfAStartReachOrchestrationAndActivities(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"traceparent": "00-1", "tenant": "é"}
	var seen [2]map[string]string
	note := turnstile.NewActivity[int, int]("Note")
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t,
		note.Implement(func(ctx context.Context, n int) (int, error) {
			seen[0] = turnstile.ActivityInfo(ctx).Headers
			return n, nil
		}),
		main.Implement(func(ctx turnstile.Context, n int) (int, error) {
			seen[1] = turnstile.Info(ctx).Headers
			return note.Call(ctx, n)
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 7, client.WithHeaders(headers)))
	if _, err := run.Wait(e.ctx); err != nil || !maps.Equal(seen[0], headers) || !maps.Equal(seen[1], headers) {
		t.Errorf("%v, %v", seen, err)
	}
	for what, bad := range map[string]map[string]string{"a name in capitals": {"Tenant": "x"}, "a value over two lines": {"a": "b\nc"}} {
		if _, err := client.Start(e.ctx, e.client, main, 7, client.WithHeaders(bad)); !isInvalid(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAClientRecordsItsActor(t *testing.T) {
	t.Parallel()
	event := turnstile.NewEvent[int]("go")
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t, main.Implement(func(ctx turnstile.Context, n int) (int, error) { return event.Wait(ctx) }))
	before := e.Now()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client.WithActor("ada"), main, 7, client.WithInstanceID("a")))
	if err := client.Raise(e.ctx, e.client.WithActor("bob"), event, "a", 7); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(e.ctx); err != nil {
		t.Fatal(err)
	}
	who := map[history.Kind]string{}
	for _, ev := range e.history("a") {
		who[ev.Kind] = ev.Actor
	}
	if who[history.OrchestrationStarted] != "ada" || who[history.ExternalEvent] != "bob" {
		t.Errorf("actors %v", who)
	}
	if at := e.history("a")[0].AtMS; at < before.UnixMilli() {
		t.Errorf("started at %d, before %s", at, before)
	}
	for _, actor := range []string{"a\nb", "a\u202eb", strings.Repeat("x", 257), "\xff"} {
		_, err := client.Start(e.ctx, e.client.WithActor(actor), main, 7)
		if _, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is {
			t.Errorf("actor %q: %v", actor, err)
		}
	}
}

// The receiver accepts everything that a client accepts.
func TestTheClientChecksNamesAsTheReceiverDoes(t *testing.T) {
	t.Parallel()
	main := turnstile.NewOrchestration[int, int]("Main")
	e := start(t, main.Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil }))
	for _, id := range []string{"a\x00b", "a\nb", "a\u2028b", "a\u202eb", "a\u2066b", "a\ufeffb", "a\uffffb", "", strings.Repeat("x", 513), "a b", "$(id)", "ä", "👩‍👩‍👧"} {
		_, err := client.Start(e.ctx, e.client, main, 1, client.WithInstanceID(id+""))
		if id == "" {
			continue // a random one
		}
		item := wire.Item{Kind: wire.StartOrchestration, Instance: id, Name: "Main", ID: "s"}
		if contract := (wire.Limits{}).Check(&item); (err == nil) != (contract == nil) {
			t.Errorf("%q: the client says %v, the contract %v", id, err, contract)
		}
	}
}

package guide_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Interceptors.

var errDenied = turnstile.WithCode(errors.New("the tenant may not do this"), "denied")

// authorisation starts nothing without a tenant, runs no orchestration of one
// that may not have it, and lets activities know on whose behalf they act.
func authorisation(tenant func(context.Context) string, may func(tenant, orchestration string) bool) turnstile.Interceptor {
	return turnstile.Interceptor{
		Name: "authorisation",
		Client: func(ctx context.Context, call *turnstile.ClientCall, next func(context.Context) error) error {
			who := tenant(ctx)
			if who == "" {
				return errDenied // nothing is sent
			}
			if call.Operation == "start" {
				call.Headers = map[string]string{"tenant": who}
			}
			return next(ctx)
		},
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			info := turnstile.Info(ctx)
			if !may(info.Headers["tenant"], info.Name) { // the same on each replay
				return errDenied // the instance fails, code "denied"
			}
			return next(ctx)
		},
	}
}

// logging writes a line for each execution and each attempt.
func logging(logger *slog.Logger) turnstile.Interceptor {
	return turnstile.Interceptor{
		Name: "logging",
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			turnstile.Logger(ctx).Info("begins") // once, whatever is replayed
			err := next(ctx)
			turnstile.Logger(ctx).Info("ends", "error", err, "continues", turnstile.IsContinueAsNew(err))
			return err
		},
		Activity: func(ctx context.Context, _ *turnstile.ActivityCall, next func(context.Context) error) error {
			err := next(ctx)
			info := turnstile.ActivityInfo(ctx)
			logger.InfoContext(ctx, "attempt", "activity", info.Name, "instance", info.Instance, "event_id", info.EventID,
				"attempt", info.Number, "tenant", info.Headers["tenant"], "error", err)
			return err
		},
	}
}

// metrics counts what ended, and how long attempts took.
func metrics(count func(name, outcome string), took func(name string, d time.Duration)) turnstile.Interceptor {
	return turnstile.Interceptor{
		Name: "metrics",
		Orchestration: func(ctx turnstile.Context, _ *turnstile.OrchestrationCall, next func(turnstile.Context) error) error {
			name := turnstile.Info(ctx).Name
			err := next(ctx)
			if !turnstile.IsContinueAsNew(err) {
				turnstile.AfterCommit(ctx, func() { count(name, outcome(err)) })
			}
			return err
		},
		Activity: func(ctx context.Context, _ *turnstile.ActivityCall, next func(context.Context) error) error {
			startedAt := time.Now() // an activity may look at the clock
			err := next(ctx)
			name := turnstile.ActivityInfo(ctx).Name
			took(name, time.Since(startedAt))
			count(name, outcome(err))
			return err
		},
	}
}

func outcome(err error) string {
	if err == nil {
		return "completed"
	}
	return "failed"
}

// handOn gives what is started for one of many shops that shop's name.
func handOn(ctx turnstile.Context, shops []string) error {
	return turnstile.ForEach(ctx, shops, 5, func(ctx turnstile.Context, shop string) error {
		ctx, err := turnstile.WithHeaders(ctx, map[string]string{"shop": shop})
		if err != nil {
			return err
		}
		_, err = Restock.Call(ctx, shop) // turnstile.ActivityInfo has it
		return err
	})
}

var (
	Restock    = turnstile.NewActivity[string, string]("Restock")
	RestockAll = turnstile.NewOrchestration[[]string, int]("RestockAll")
)

type tenantKey struct{}

func TestTheInterceptorsOfTheGuide(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	counts, logged := map[string]int{}, strings.Builder{}
	count := func(name, outcome string) {
		mu.Lock()
		defer mu.Unlock()
		counts[name+" "+outcome]++
	}
	auth := authorisation(func(ctx context.Context) string { who, _ := ctx.Value(tenantKey{}).(string); return who },
		func(tenant, _ string) bool { return tenant != "bad" })
	app := turnstile.NewApp(auth, logging(slog.New(slog.NewTextHandler(&logged, nil))), metrics(count, func(string, time.Duration) {}),
		Restock.Implement(func(ctx context.Context, shop string) (string, error) {
			if h := turnstile.ActivityInfo(ctx).Headers; h["shop"] != shop || h["tenant"] != "good" {
				return "", fmt.Errorf("restocking %s with the headers %v", shop, h)
			}
			return "", nil
		}),
		RestockAll.Implement(func(ctx turnstile.Context, shops []string) (int, error) { return len(shops), handOn(ctx, shops) }))
	env := turnstiletest.New(t, app)
	c := env.Client().WithInterceptors(auth)
	for tenant, want := range map[string]string{"good": "", "bad": "the tenant may not do this"} {
		ctx := context.WithValue(t.Context(), tenantKey{}, tenant)
		run, err := client.Start(ctx, c, RestockAll, []string{"north", "south"}, client.WithInstanceID(tenant))
		if err != nil {
			t.Fatal(err)
		}
		env.Run()
		d, err := run.Describe(ctx)
		if got := d.Failure; err != nil || (got == nil) != (want == "") || got != nil && got.Message != want {
			t.Errorf("%s: %+v, %v", tenant, d, err)
		}
	}
	if _, err := client.Start(t.Context(), c, RestockAll, nil); !errors.Is(err, errDenied) {
		t.Errorf("without a tenant: %v", err)
	}
	if counts["Restock completed"] != 2 || counts["RestockAll completed"] != 1 || counts["RestockAll failed"] != 0 {
		t.Errorf("counted %v", counts)
	}
	if n := strings.Count(logged.String(), "tenant=good"); n != 2 {
		t.Errorf("%d lines of attempts:\n%s", n, logged.String())
	}
}

package smokeapp_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachOrchestrationReturnsWhatTheSmokeProgramExpects(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	app := turnstile.NewApp(append(smokeapp.Orchestrations(), smokeapp.Activities()...)...)
	env, err := embedded.New(app, embedded.WithVirtualTime(start))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	defer func() {
		cancel()
		<-ended
	}()
	c := env.Client()

	chain, err := client.Start(ctx, c, smokeapp.Chain, 40)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := chain.Wait(ctx); err != nil || got != 40 {
		t.Errorf("a chain of 40 returned %d, %v", got, err)
	}

	timer, err := client.Start(ctx, c, smokeapp.Timer, "15m10s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := timer.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	d, err := timer.Describe(ctx)
	if err != nil || d.EndedAt.Sub(d.CreatedAt) < 15*time.Minute+10*time.Second {
		t.Errorf("the timer took from %v to %v, %v", d.CreatedAt, d.EndedAt, err)
	}
	bad, err := client.Start(ctx, c, smokeapp.Timer, "soon")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bad.Wait(ctx); err == nil {
		t.Error("a timer of \"soon\" ended well")
	}

	echo, err := client.Start(ctx, c, smokeapp.Echo, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(ctx, c, smokeapp.Signal, echo.Instance, "hello"); err != nil {
		t.Fatal(err)
	}
	if got, err := echo.Wait(ctx); err != nil || got != "hello" {
		t.Errorf("the echo is %q, %v", got, err)
	}
}

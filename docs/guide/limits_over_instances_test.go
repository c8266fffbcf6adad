package guide_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var Capture = turnstile.NewActivity[Order, string]("Capture").With(
	turnstile.Limit("stripe", 20),
	turnstile.Rate("stripe", 100, time.Second),
	turnstile.AttemptTimeout(30*time.Second))

func capture(ctx turnstile.Context, o Order) (string, error) {
	return Capture.With(turnstile.Limit("customer "+o.ID, 1)).Call(ctx, o) // by input
}

func TestAnActivityWithLimitsOverInstances(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[Order, string]("CaptureOrder")
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(capture),
		Capture.Implement(func(_ context.Context, o Order) (string, error) { return "captured " + o.ID, nil })))
	if got, err := turnstiletest.Start(env, flow, Order{ID: "7"}).Wait(); err != nil || got != "captured 7" {
		t.Errorf("%q, %v", got, err)
	}
}

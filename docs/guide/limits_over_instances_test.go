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

var Receipt = turnstile.NewActivity[Order, string]("Receipt")

func capture(ctx turnstile.Context, o Order) (string, error) {
	if _, err := Capture.Call(ctx, o); err != nil {
		return "", err
	}
	return Receipt.With(turnstile.Limit("order "+o.ID, 1)).Call(ctx, o) // a key by input
}

func TestAnActivityWithLimitsOverInstances(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[Order, string]("CaptureOrder")
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(capture),
		Capture.Implement(func(_ context.Context, o Order) (string, error) { return "captured " + o.ID, nil }),
		Receipt.Implement(func(_ context.Context, o Order) (string, error) { return "receipt of " + o.ID, nil })))
	run := turnstiletest.Start(env, flow, Order{ID: "7"})
	if got, err := run.Wait(); err != nil || got != "receipt of 7" {
		t.Errorf("%q, %v", got, err)
	}
	keys := map[string]string{}
	for _, e := range run.History() {
		if e.Retry != nil {
			keys[e.Name] = e.Retry.LimitKey
		}
	}
	if keys["Capture"] != "stripe" || keys["Receipt"] != "order 7" {
		t.Errorf("the limits are %v", keys)
	}
}

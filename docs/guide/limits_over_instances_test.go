package guide_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
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

var Imported = turnstile.NewActivity[string, string]("Imported")

func importOrders(ctx turnstile.Context, customer string) (string, error) {
	return Imported.Call(ctx, customer)
}

var ImportOrders = turnstile.NewOrchestration[string, string]("Import").With(turnstile.Limit("imports", 10))

func startImport(ctx context.Context, c *client.Client, customer string) error {
	byCustomer := ImportOrders.With(turnstile.Limit("import "+customer, 2)) // a key by input
	_, err := client.Start(ctx, c, byCustomer, customer)
	return err
}

func TestAnInstanceUnderALimit(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(ImportOrders.Implement(importOrders),
		Imported.Implement(func(_ context.Context, customer string) (string, error) { return "imported for " + customer, nil })))
	if got, err := turnstiletest.Start(env, ImportOrders, "acme").Wait(); err != nil || got != "imported for acme" {
		t.Errorf("%q, %v", got, err)
	}
	if err := startImport(t.Context(), env.Client(), "acme"); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Second)
	all, err := env.Client().InstanceLimits(t.Context())
	slices.SortFunc(all, func(a, b client.Limit) int { return strings.Compare(a.Key, b.Key) })
	if err != nil || len(all) != 2 || all[0].Key != "import acme" || all[0].Permits != 2 || all[1].Key != "imports" {
		t.Errorf("the limits are %+v, %v", all, err)
	}
}

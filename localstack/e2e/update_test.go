package e2e_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// A customer changes the address of an order: the request is accepted once, a repeat gets the same answer,
// and an address that the carrier does not deliver to is rejected. The log has how long each answer took.
func TestACustomerChangesTheAddressOfAnOrder(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	c, id := s.asking(ctx, t), unique("order")
	to := orders.Address{Street: "Storgata 1", Country: "NO"}
	if _, err := client.StartUpdate(ctx, c, orders.ChangeAddress, id, to); !isNotFound(err) {
		t.Errorf("an update of an instance that does not exist: %v", err)
	}
	run := waiting(ctx, t, c, id)
	var first orders.Estimate
	for n := range 3 {
		startedAt := time.Now()
		got, err := client.Update(ctx, c, orders.ChangeAddress, id, to, client.WithDeduplicationID("change-1"))
		t.Logf("answered after %s", time.Since(startedAt).Round(time.Millisecond))
		if n == 0 {
			first = got
		}
		if err != nil || got != first || got.Days == 0 {
			t.Errorf("request %d: %+v, %v; the first answer was %+v", n+1, got, err, first)
		}
	}
	_, err := client.Update(ctx, c, orders.ChangeAddress, id, orders.Address{Street: "Main Street", Country: "XX"})
	if !errors.As(err, new(*client.UpdateRejectedError)) {
		t.Errorf("an address that the carrier does not deliver to: %v", err)
	}
	if err := client.Raise(ctx, c, orders.Approved, id, orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Update(ctx, c, orders.ChangeAddress, id, to, client.WithDeduplicationID("change-1")); err != nil || got != first {
		t.Errorf("a repeat after the end: %+v, %v, want %+v", got, err, first)
	}
	if _, err := client.Update(ctx, c, orders.ChangeAddress, id, to); !errors.As(err, new(*client.EndedError)) {
		t.Errorf("another request after the end: %v", err)
	}
}

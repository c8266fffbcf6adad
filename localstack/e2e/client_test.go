//go:build unix

package e2e_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/history"
)

func order(id string) orders.Order {
	return orders.Order{
		ID: id, Customer: "Ada", Card: "4111111111111111",
		Lines: []orders.Line{{SKU: "book", Quantity: 2, Price: 1499}},
	}
}

// unique makes an id that no earlier run of the tests on this stack has used.
func unique(what string) string { return what + "-" + rand.Text() }

// waiting starts an order and returns when it waits for its approval, with
// stock reserved and card charged.
func waiting(ctx context.Context, t testing.TB, c *client.Client, id string) *client.Run[orders.Result] {
	t.Helper()
	run, err := client.Start(ctx, c, orders.Fulfil, order(id), client.WithInstanceID(id))
	if err != nil {
		t.Fatal(err)
	}
	awaitApprovalAwaited(ctx, t, c, id)
	return run
}

// awaitApprovalAwaited returns when an order has nothing left to do but to wait
// for its approval.
func awaitApprovalAwaited(ctx context.Context, t testing.TB, c *client.Client, id string) {
	t.Helper()
	awaitEvent(ctx, t, c, id, history.ExternalSubscribed)
}

func isNotFound(err error) bool { return errors.Is(err, client.ErrNotFound) }

func TestAnOrderThroughTheClient(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	id := unique("order")
	run, err := client.Start(ctx, s.client, orders.Fulfil, order(id), client.WithInstanceID(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(ctx, s.client, orders.Approved, id, orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	result, err := run.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != "shipped" || result.Charged != 2998 || result.By != "Grace" || result.Tracking == nil {
		t.Errorf("result %+v", result)
	}

	d, err := run.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d.Status != client.StatusCompleted || d.Name != "Fulfil" || string(d.States["status"].Value) != `"shipped"` || d.EndedAt.Before(d.CreatedAt) {
		t.Errorf("O-01: described as %+v", d)
	}
	events := checkedHistory(ctx, t, s.client, sample(), id)
	if got, want := completed(events), []string{"ReserveStock", "Charge"}; !slices.Equal(got, want) {
		t.Errorf("activities with a result: %v, want %v", got, want)
	}
	checkedHistory(ctx, t, s.client, sample(), id+"/shipment")
	s.awaitNoSchedules(ctx, t, id, 1, events)

	_, err = client.Start(ctx, s.client, orders.Fulfil, order(id), client.WithInstanceID(id))
	if exists := new(client.AlreadyExistsError); !errors.As(err, &exists) || exists.StartID != run.StartID {
		t.Errorf("M-06: another start of a finished instance: %v, want an *AlreadyExistsError that names start %q", err, run.StartID)
	}
}

func TestACancelledOrderIsUndone(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	run := waiting(ctx, t, s.client, unique("order"))
	if err := run.Cancel(ctx, "the customer changed their mind"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); !errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("outcome %v, want one that is an ErrCancelled", err)
	}
	events := checkedHistory(ctx, t, s.client, sample(), run.Instance)
	if got, want := completed(events), []string{"ReserveStock", "Charge", "Refund", "ReleaseStock"}; !slices.Equal(got, want) {
		t.Errorf("activities with a result: %v, want %v", got, want)
	}
	s.awaitNoSchedules(ctx, t, run.Instance, 1, events)
	if err := run.Cancel(ctx, "again"); !errors.As(err, new(*client.EndedError)) {
		t.Errorf("cancel of an instance that has ended: %v, want an *EndedError", err)
	}
}

func TestATerminatedOrderTakesItsChildrenWithIt(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	run := waiting(ctx, t, s.client, unique("order"))
	reminders := awaitEvent(ctx, t, s.client, run.Instance, history.SubOrchestrationScheduled).Instance
	awaitEvent(ctx, t, s.client, reminders, history.TimerCreated)
	if err := run.Terminate(ctx, "test data"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); !errors.Is(err, turnstile.ErrTerminated) {
		t.Errorf("outcome %v, want one that is an ErrTerminated", err)
	}
	for _, instance := range []string{run.Instance, reminders} {
		d, err := s.client.Wait(ctx, instance)
		if err != nil {
			t.Fatal(err)
		}
		if d.Status != client.StatusTerminated {
			t.Errorf("instance %s is %s", instance, d.Status)
		}
		s.awaitNoSchedules(ctx, t, instance, 1, checkedHistory(ctx, t, s.client, sample(), instance))
	}
}

package tracking

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is the application with the page, in real time and with services that answer at once.
type shop struct {
	*client.Client
	t   *testing.T
	env *embedded.Runtime
	http.Handler
}

func open(t *testing.T, patience time.Duration) shop {
	t.Helper()
	env, err := embedded.New(turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(orders.Simulated(0, 0)))))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return shop{Client: env.Client(), t: t, env: env, Handler: handler(env.Client(), patience)}
}

func (s shop) start(id, card string) *client.Run[orders.Result] {
	s.t.Helper()
	run, err := client.Start(s.t.Context(), s.Client, orders.Fulfil, orders.Order{ID: "7", Card: card}, client.WithInstanceID(id))
	if err != nil {
		s.t.Fatal(err)
	}
	return run
}

// shows asks for a path, and compares the status and a part of the answer.
func (s shop) shows(path string, status int, text string) {
	s.t.Helper()
	s.answers(http.MethodGet, path, "", status, text)
}

// changes posts an address, and compares the status and a part of the answer.
func (s shop) changes(id, address string, status int, text string) {
	s.t.Helper()
	s.answers(http.MethodPost, "/orders/"+id+"/address", address, status, text)
}

func (s shop) answers(method, path, body string, status int, text string) {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body)))
	if body := w.Body.String(); w.Code != status || !strings.Contains(body, text) {
		s.t.Errorf("%s: %d %s, want %d with %s", path, w.Code, body, status, text)
	}
}

// await returns the number of a status of an order.
func (s shop) await(id, status string) string {
	s.t.Helper()
	for v, err := client.WaitState(s.t.Context(), s.Client, orders.Status, id, client.StateNumber{}); ; v, err = client.WaitState(s.t.Context(), s.Client, orders.Status, id, v.Number) {
		if err != nil || v.Value != status && v.Ended {
			s.t.Fatalf("%+v, %v", v, err)
		}
		if v.Value == status {
			return v.Number.String()
		}
	}
}

func TestACustomerFollowsAnOrder(t *testing.T) {
	t.Parallel()
	s := open(t, time.Hour)
	s.shows("/", http.StatusOK, "Where is my order?")
	run := s.start("order-7", "1111")
	number := s.await("order-7", "waiting for approval")
	s.shows("/orders/order-7", http.StatusOK, fmt.Sprintf(`{"status":"waiting for approval","number":"%s","at":"2`, number))
	s.shows("/orders/order-7/arrival?country=NO", http.StatusOK, `{"days":5}`)

	shown := make(chan struct{})
	go func() {
		defer close(shown)
		s.shows("/orders/order-7?after="+number, http.StatusOK, `"status":"shipp`)
	}()
	if err := client.Raise(t.Context(), s.Client, orders.Approved, "order-7", orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	<-shown
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.shows("/orders/order-7", http.StatusOK, `"status":"shipped"`)
	s.shows("/orders/order-7", http.StatusOK, `"ended":true`)
	s.shows("/orders/order-7/arrival?country=NO", http.StatusOK, `{"days":4}`)
}

func TestAnOrderThatDoesNotArriveSaysWhy(t *testing.T) {
	t.Parallel()
	s := open(t, time.Hour)
	if _, err := s.start("order-7", "0000").Wait(t.Context()); err == nil {
		t.Fatal("the card was accepted")
	}
	s.shows("/orders/order-7", http.StatusOK, `"ended":true,"failure":"order 7: activity \"Charge\" failed: the card was declined"`)
	s.shows("/orders/order-7/arrival?country=DE", http.StatusConflict, "will not arrive")
	refused := s.start("order-8", "1111")
	if err := client.Raise(t.Context(), s.Client, orders.Approved, "order-8", orders.Approval{}); err != nil {
		t.Fatal(err)
	}
	if _, err := refused.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.shows("/orders/order-8", http.StatusOK, `"status":"not approved"`)

	if err := s.Purge(t.Context(), "order-8"); err != nil {
		t.Fatal(err)
	}
	if err := s.env.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.shows("/orders/order-8", http.StatusGone, `The order "order-8" has been deleted.`)
	s.shows("/orders/order-8?after=1.2", http.StatusGone, "has been deleted")
	s.shows("/orders/order-8/arrival?country=DE", http.StatusGone, "has been deleted")
}

func TestAWrongRequestGetsAReadableError(t *testing.T) {
	t.Parallel()
	s := open(t, time.Nanosecond)
	s.start("order-7", "1111")
	number := s.await("order-7", "waiting for approval")
	s.shows("/orders/order-7?after="+number, http.StatusOK, `"number":"`+number+`"`) // nothing new within its patience
	s.shows("/orders/order-7?after=seven", http.StatusBadRequest, `invalid after "seven"`)
	s.shows("/orders/order-7/arrival?country=XX", http.StatusConflict, `does not deliver to "XX", only to DE, FR, NO`)
	s.shows("/orders/order-9", http.StatusNotFound, `There is no order "order-9"`)
	s.shows("/orders/order-9/arrival", http.StatusNotFound, `There is no order "order-9"`)
	s.shows("/orders/order-9?after=1.2", http.StatusNotFound, `There is no order "order-9"`)
	s.shows("/orders/"+strings.Repeat("x", 600), http.StatusBadRequest, "instance id")
}

func TestACustomerChangesTheAddress(t *testing.T) {
	t.Parallel()
	s := open(t, time.Minute)
	run := s.start("order-7", "1111")
	s.await("order-7", "waiting for approval")
	s.changes("order-7", `{"street":"Storgata 1","country":"NO"}`, http.StatusOK, `{"days":5}`)
	s.changes("order-7", `{"street":"Main St 1","country":"US"}`, http.StatusConflict, `the carrier does not deliver to "US"`)
	s.changes("order-7", `{"country":"NO"}`, http.StatusConflict, "the address has no street")
	s.changes("order-7", `{`, http.StatusBadRequest, "The address cannot be read")
	s.changes("order-9", `{"street":"Storgata 1","country":"NO"}`, http.StatusNotFound, `There is no order "order-9"`)
	if err := client.Raise(t.Context(), s.Client, orders.Approved, "order-7", orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	shipment, err := s.Export(t.Context(), "order-7/shipment", 0)
	if err != nil || !strings.Contains(string(shipment.Events[0].Payload), `"address":{"street":"Storgata 1","country":"NO"}`) {
		t.Errorf("the shipment is %s, %v", shipment.Events[0].Payload, err)
	}
	s.changes("order-7", `{"street":"Rue 1","country":"FR"}`, http.StatusConflict, "can no longer be changed")
}

func TestOtherInstancesAreNoOrders(t *testing.T) {
	t.Parallel()
	s := open(t, time.Hour)
	run := s.start("order-7", "1111")
	if err := client.Raise(t.Context(), s.Client, orders.Approved, "order-7", orders.Approval{Approved: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.shows("/orders/order-7%2Fshipment", http.StatusNotFound, "There is no order")
}

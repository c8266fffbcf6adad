package browsertest

import (
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/examples/orders/tracking"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// The page of examples/orders: a customer watches an order until it is shipped, asks when it arrives, and is
// told what is wrong with an id.
func TestACustomerAsksWhereAnOrderIs(t *testing.T) {
	t.Parallel()
	theBrowser(t)
	_, c := serveApp(t, turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(orders.Simulated(0, 0)))))
	s := serve(t, "/", tracking.Handler(c))
	start := func(id, card string) *client.Run[orders.Result] {
		run, err := client.Start(within(t), c, orders.Fulfil, orders.Order{ID: "7", Card: card}, client.WithInstanceID(id))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for name, view := range map[string]browser.View{
		"wide and light":  {},
		"narrow and dark": {Width: 360, Dark: true},
	} {
		b := s.open("", view)
		b.Allow("status of 404")
		b.axeFinds(name)
		b.field("Order", "order-6")
		b.click("button", "Show")
		b.shows(`There is no order "order-6".`)
		b.axeFinds(name + ", an order that does not exist")
		if wide := eval[bool](b, "document.documentElement.scrollWidth > innerWidth"); wide {
			t.Errorf("%s: the page is wider than its window", name)
		}
	}

	run := start("order-7", "1111")
	b := s.open("?order=order-7", browser.View{Width: 360})
	b.shows("order-7: waiting for approval", "this page follows the order")
	b.wait(`document.querySelector("[aria-current=step]").textContent === "waiting for approval" && document.querySelectorAll("li.done").length === 2`)
	b.click("button", "When will it arrive?")
	b.shows("In 2 days at the latest.")
	b.axeFinds("a waiting order")
	b.field("Street", "Storgata 1")
	b.click("button", "Change the address")
	b.shows("The address is changed. The order arrives in 2 days at the latest.")
	b.axeFinds("a changed address")
	b.Allow("status of 409")
	eval[bool](b, `(document.getElementById("street").value = "", true)`)
	b.click("button", "Change the address")
	b.shows("The address is not changed: the address has no street")
	if err := client.Raise(within(t), c, orders.Approved, "order-7", orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
	b.shows("order-7: shipped")
	b.wait(`document.querySelectorAll("li.done").length === 5`)
	if _, err := run.Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	b.axeFinds("a shipped order")

	if _, err := start("order-8", "0000").Wait(within(t)); err == nil {
		t.Fatal("the card was accepted")
	}
	b = s.open("?order=order-8", browser.View{})
	b.Allow("status of 409")
	b.shows("order-8: failed", "the card was declined")
	b.click("button", "When will it arrive?")
	b.shows("This order will not arrive")
	b.axeFinds("a failed order")
}

// A connection that is lost comes back, and the page goes on following the order.
func TestTheCustomersPageFollowsAnOrderThroughALostConnection(t *testing.T) {
	t.Parallel()
	theBrowser(t)
	_, c := serveApp(t, turnstile.NewApp(turnstile.Components(orders.Orchestrations()), turnstile.Components(orders.Activities(orders.Simulated(0, 0)))))
	s := serve(t, "/", tracking.Handler(c))
	if _, err := client.Start(within(t), c, orders.Fulfil, orders.Order{ID: "7"}, client.WithInstanceID("order-7")); err != nil {
		t.Fatal(err)
	}
	b := s.open("?order=order-7", browser.View{})
	b.Allow("net::ERR")
	b.shows("order-7: waiting for approval")
	s.listener.Cut()
	b.shows("No connection; trying again.")
	if err := client.Raise(within(t), c, orders.Approved, "order-7", orders.Approval{By: "Grace"}); err != nil {
		t.Fatal(err)
	}
	s.listener.Mend()
	b.shows("order-7: not approved")
	b.wait(`!document.querySelector("#problem").textContent`)
}

package browsertest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// From the page's head to a redrive of all that failed alike: no id is typed.
func TestAllOfOneCauseAreRedriven(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open("", browser.View{})
	b.settled()
	b.click(".nav a", "Failures")
	b.settled()
	const cause = `[...document.querySelectorAll("[data-cause]")].find(c => c.innerText.includes("the card was declined"))`
	b.wait(cause)
	key := eval[string](b, cause+`.dataset.cause`)
	b.click(`[data-cause="`+key+`"] a.button`, "")
	b.wait(`location.hash.includes("cause=` + key + `") && document.querySelectorAll("[data-cause]").length === 1`)
	b.wait(`document.querySelector('[data-instance="` + demo.Failed + `"]')`)
	b.click(".view-head button", "Select")
	b.click(".selection button", "Select all")
	b.click(".selection button", "Redrive 1")
	b.shows("Redrive 1 instance", "1 instance would not start any operation again")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click("dialog button[type=submit]", "")
	b.shows("Sent to 1 of 1")
	b.click("dialog button", "Close")
	b.wait(`!document.querySelector("dialog[open]")`)
}

// The bars say in words what they draw.
func TestTheBarsOfFailuresHaveText(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/failures?since=all", browser.View{})
	b.settled()
	b.wait(`[...document.querySelectorAll(".failure-bars svg")].every(s => /^\d+ failures? from \d{4}-.* to .*; peak \d+, from /.test(s.getAttribute("aria-label")))`)
	bars := eval[int](b, `document.querySelectorAll(".all-failures rect").length`)
	if bars < 2 || bars > 31 {
		t.Errorf("%d bars are drawn", bars)
	}
	b.click(".cause p a", "Fulfil")
	b.wait(`location.hash.includes("name=Fulfil")`)
	b.settled()
	b.shows("Only orchestration", "the card was declined")
}

// Of a failure that was handed on, what failed first stands first, and behind it how it came
// here, with a link to the child.
func TestTheFirstFailureComesFirst(t *testing.T) {
	t.Parallel()
	parent, child := turnstile.NewOrchestration[string, string]("Order"), turnstile.NewOrchestration[string, string]("Pay")
	charge := turnstile.NewActivity[string, string]("Charge").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 1}))
	s, c := serveApp(t, turnstile.NewApp(
		parent.Implement(func(ctx turnstile.Context, in string) (string, error) {
			out, err := child.With(turnstile.InstanceID("payment-7")).Call(ctx, in)
			if err != nil {
				err = fmt.Errorf("order 7: %w", err)
			}
			return out, err
		}),
		child.Implement(func(ctx turnstile.Context, in string) (string, error) { return charge.Call(ctx, in) }),
		charge.Implement(func(context.Context, string) (string, error) { return "", errors.New("the card was declined") }),
	))
	run, err := client.Start(t.Context(), c, parent, "x", client.WithInstanceID("order-7"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(within(t)); err == nil {
		t.Fatal("it did not fail")
	}
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		b := s.open(instance("order-7", ""), view)
		b.settled()
		b.wait(`/^\S+ Charge: the card was declined\s+Propagated through activity Charge → payment-7 with .order 7. All failures with this cause$/.test(document.querySelector(".notice.failed").innerText.trim().replace(/\s+/g, " "))`)
		b.axeFinds("failures by root cause")
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("the page is %d pixels wider than the window", wide)
		}
		b.click(".handed-on a", "payment-7")
		b.wait(`location.hash.endsWith("/payment-7")`)
	}
}

package browsertest

import (
	"testing"

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
	b.shows("Redrive 1 instance")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click("dialog button[type=submit]", "")
	b.shows("Sent to 1 of 1")
	b.click("dialog button", "Close")
	b.wait(`!document.querySelector("dialog[open]")`)
}

// The bars say in words what they draw.
func TestTheBarsOfFailuresAreSaid(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/failures?since=all", browser.View{})
	b.settled()
	b.wait(`[...document.querySelectorAll(".failure-bars svg")].every(s => /^\d+ failures? from \d{4}-.* to .*; most, \d+, from /.test(s.getAttribute("aria-label")))`)
	bars := eval[int](b, `document.querySelectorAll(".all-failures rect").length`)
	if bars < 2 || bars > 31 {
		t.Errorf("%d bars are drawn", bars)
	}
	b.click(".cause p a", "Fulfil")
	b.wait(`location.hash.includes("name=Fulfil")`)
	b.settled()
	b.shows("Only the orchestration", "the card was declined")
}

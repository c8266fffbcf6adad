package browsertest

import (
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// What a redrive would start anew is shown before it is sent.
func TestAFailedInstanceIsRedrivenFromItsPage(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open(instance(demo.Failed, ""), browser.View{})
	b.settled()
	// With the same code a redrive of this one fails as before: a restart is advised.
	b.shows("A redrive would not start any operation again")
	b.wait(`document.querySelector(".actions button.primary").innerText.includes("Restart")`)
	b.click(".actions button", "Redrive")
	b.shows("The instance continues where it failed")
	b.click("dialog button", "Show the plan")
	b.shows("Events copied: 6. Later results kept: 1.", "No operation starts again: only the code runs again.")
	// The orchestrator has refused one before, as its dead letter says.
	b.shows("Refused earlier: redrive of instance", "cannot be redriven from event 999", "Redrive the dead letter to try again.")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click("dialog button", "Redrive the instance")
	b.shows("Redrive sent to")
	b.wait(`!document.querySelector("dialog[open]")`)
}

// A fork is asked for its id, and its page is shown when it was sent.
func TestAnInstanceIsForkedFromItsPage(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open(instance(demo.Failed, ""), browser.View{})
	b.settled()
	s.notThere("instances/~~fork") // It is opened before it has begun.
	b.click(".actions button", "Fork")
	b.shows("A new instance continues from a copy of this history")
	b.write("~fork") // It begins with what the paths of the API put before some ids.
	b.click("dialog button", "Show the plan")
	b.shows("Events copied: 6. Later results kept: 1.")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click("dialog button", "Fork the instance")
	b.shows("Sent: a fork of")
	b.wait(`!document.querySelector("dialog[open]") && location.hash.endsWith("/~fork")`)
	// Each of the two leads to the other.
	b.shows("A fork of")
	b.click(".instance-head p a", demo.Failed)
	b.settled()
	b.shows("Forked as")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(".instance-head p a", "~fork")
	b.wait(`location.hash.endsWith("/~fork")`)
	b.shows("A fork of")
}

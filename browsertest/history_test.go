package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/browsertest/browser"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// A completion leads to its source and back; each event has an address.
func TestAnEventLeadsToItsSourceAndBack(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, "/history"), browser.View{})
	b.settled()
	b.wait(`document.querySelectorAll("[data-event]").length > 5`)
	completion := eval[string](b, `[...document.querySelectorAll("[data-event]")].find(e => e.innerText.includes("ActivityCompleted")).dataset.event`)
	b.click(fmt.Sprintf(`[data-event="%s"] .event-link`, completion), "")
	b.wait(`document.querySelector("[data-event].marked")?.innerText.includes("ActivityScheduled")`)
	b.click(`[data-event].marked .event-link`, "completed by "+completion)
	b.wait(fmt.Sprintf(`document.querySelector("[data-event].marked")?.dataset.event === %q`, completion))
	b.must(b.Reload())
	b.settled()
	b.wait(fmt.Sprintf(`document.querySelector("[data-event].marked")?.dataset.event === %q`, completion))

	b.click(".segments button", "full")
	b.wait(`location.hash.includes("view=full")`)
	b.shows("Attempt started")
	b.click(".segments button", "JSON")
	b.shows(`"source_event_id":`)
	for _, found := range b.axe() {
		t.Error(found)
	}
}

// A history of 10,000 events is read in pages; an address leads into the middle.
func TestALongHistoryIsReadInPages(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	b := s.open(instance(demo.TenThousand, "/history?event=4321"), browser.View{})
	b.settled()
	b.wait(`(r => r && r.top > 0 && r.bottom < innerHeight)(document.querySelector('[data-event="4321"].marked')?.getBoundingClientRect())`)
	first := eval[int](b, `Number(document.querySelector("[data-event]").dataset.event)`)
	if n := eval[int](b, `document.querySelectorAll("[data-event]").length`); n != 200 || first != 4201 {
		t.Errorf("the page has %d events from %d, want 200 from 4201", n, first)
	}
	b.click("button", "Next")
	b.wait(`document.querySelector("[data-event]")?.dataset.event === "4401"`)
	b.click("button", "Newest")
	b.wait(`[...document.querySelectorAll("[data-event]")].at(-1)?.innerText.includes("OrchestrationCompleted")`)
	b.click("button", "First")
	b.wait(`document.querySelector("[data-event]")?.innerText.includes("OrchestrationStarted")`)
}

// An instance that is not there says so, and appears by itself when it begins.
func TestAnInstanceThatIsNotThereYetAppears(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open(instance("to-come", ""), browser.View{})
	b.Allow("status of 404")
	b.shows("There is no such instance")
	act(t, s, "instances", `{"instance":"to-come","name":"Echo","input":{"a":1}}`)
	b.wait(`document.querySelector("[data-instance-view]")?.dataset.status === "completed"`)
}

// Each action of an instance, through its dialog; what it does is seen on the
// page, which follows by itself.
func TestAnInstanceIsActedOn(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open(instance(demo.Waiting, "/history"), browser.View{})
	b.settled()
	b.click(".actions button", "Wake")
	b.click("dialog button", "Wake the instance")
	b.shows("Wake-up sent to " + demo.Waiting)

	b.click(".actions button", "Raise an event")
	b.write("nobody-waits-for-this")
	b.click("dialog label", "Data")
	b.write(`{"by":"ada"}`)
	b.click("dialog button", "Raise")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.wait(`[...document.querySelectorAll("[data-event]")].some(e => e.innerText.includes("ExternalEvent") && e.innerText.includes("nobody-waits-for-this"))`)

	b.click(".actions button", "Cancel")
	b.click("dialog label", "Reason")
	b.write("the customer called")
	b.click("dialog button", "Cancel the instance")
	b.wait(`document.querySelector("[data-instance-view]").dataset.status === "cancelled"`)
	b.shows("the customer called")

	b.click(".actions button", "Purge")
	if !eval[bool](b, `document.querySelector("dialog button[type=submit]").disabled`) {
		t.Error("a purge needs no confirmation")
	}
	b.click("dialog input[type=checkbox]", "")
	b.click("dialog button", "Purge the instance")
	b.wait(`location.hash === "#/instances"`)
	b.wait(fmt.Sprintf(`!document.querySelector('[data-instance=%q]')`, demo.Waiting))
}

func TestTheTreeShowsParentsAndChildren(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.WaitsForChild, "/tree"), browser.View{})
	b.settled()
	b.wait(`document.querySelectorAll(".tree-line").length > 2`)
	b.click(".tree ul ul a", "")
	b.settled()
	b.shows("Parent")
}

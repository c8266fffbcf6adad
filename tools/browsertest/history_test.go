package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A completion leads to its source and back; each event has an address.
func TestAnEventLeadsToItsSourceAndBack(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, "/history"), browser.View{})
	b.settled()
	b.wait(`document.querySelectorAll("[data-event] .event-kind").length > 5`)
	completion := eval[string](b, `[...document.querySelectorAll("[data-event]")].find(e => e.innerText.includes("ActivityCompleted")).dataset.event`)
	b.click(fmt.Sprintf(`[data-event="%s"] .event-link`, completion), "")
	b.wait(`document.querySelector("[data-event].marked")?.innerText.includes("ActivityScheduled")`)
	b.wait(`document.querySelector(".event-details")?.innerText.includes("completed by")`)
	b.click(`[data-event].marked .event-link`, "")
	b.wait(fmt.Sprintf(`document.querySelector("[data-event].marked")?.dataset.event === %q`, completion))
	b.must(b.Reload())
	b.settled()
	b.wait(fmt.Sprintf(`document.querySelector("[data-event].marked")?.dataset.event === %q`, completion))

	b.click(".segments button", "full")
	b.wait(`location.hash.includes("view=full")`)
	b.shows("attempt started")
	b.click(".segments button", "JSON")
	b.shows(`"source_event_id":`)
	b.axeFinds("the history as JSON")
}

// Of a history of 10,000 events those in sight are there; an address leads into the
// middle, and keys and the scroll bar to both ends.
func TestOfALongHistoryOnlyWhatIsInSightIsDrawn(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	b := s.open(instance(demo.TenThousand, "/history?event=4321"), browser.View{})
	b.settled()
	b.wait(`(r => r && r.top > 0 && r.bottom < innerHeight)(document.querySelector('[data-event="4321"].marked .event-kind')?.getBoundingClientRect())`)
	if n := eval[int](b, `document.querySelectorAll(".event-line").length`); n > 120 {
		t.Errorf("%d events are drawn at once", n)
	}
	eval[bool](b, `document.querySelector(".history-scroll").scrollTop = 1e9, true`)
	b.wait(`[...document.querySelectorAll("[data-event]")].at(-1)?.innerText.includes("OrchestrationCompleted")`)
	eval[bool](b, `document.querySelector('.event-line [tabindex]').focus(), true`)
	b.press("Home")
	b.wait(`document.activeElement.closest("[data-event]")?.innerText.includes("OrchestrationStarted")`)
	b.press("ArrowDown", "j")
	b.wait(`document.activeElement.closest("[data-event]")?.dataset.event === "3"`)
}

// An instance that is not there says so, and appears by itself when it begins.
func TestAnInstanceAppearsWhenItStarts(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	s.notThere("instances/to-come")
	b := s.open(instance("to-come", ""), browser.View{})
	b.shows("Instance not found")
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
	b.shows("Wake sent to " + demo.Waiting)

	b.click(".actions button", "Raise an event")
	b.click("dialog label", "Event")
	b.wait(`document.activeElement.select() === undefined`)
	b.write("nobody-waits-for-this")
	b.click("dialog label", "Data")
	b.write(`{"by":"ada"}`)
	b.click("dialog button", "Raise the event")
	b.shows(`is not waiting for event "nobody-waits-for-this"`)
	b.click("dialog button", "Raise it anyway")
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
	b.click("dialog label.sure", "")
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
	b.shows("Child of")
}

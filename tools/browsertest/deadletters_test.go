package browsertest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Looking at dead letters has side effects: it is done when asked, and what a
// redrive would do is shown before anything is sent.
func TestDeadLettersAreLookedAtWhenAskedAndRedrivenAfterADryRun(t *testing.T) {
	t.Parallel()
	s := serveLive(t, console.WithPlace(api.Place{Kind: "aws"}))
	b := s.open("#/dead-letters", browser.View{})
	b.settled()
	b.shows("Read the dead letters")
	for _, a := range s.answered(0) {
		if strings.Contains(a.path, "dead-letters") {
			t.Errorf("%s %s came before anybody asked", a.method, a.path)
		}
	}
	b.click("button", "Read the dead letters")
	b.shows("not parsable", "What to do:")
	b.click(".letters summary", "")
	b.shows("Message id", "redriven to")
	for _, found := range b.axe() {
		t.Error(found)
	}
	letters := eval[int](b, `document.querySelectorAll("[data-letter]").length`)

	mark := s.mark()
	b.click(".group button", "Redrive it…")
	b.shows("The plan shows what would happen to each message")
	b.click("dialog button", "Show the plan")
	b.shows("Plan (nothing has been done yet)")
	b.press("Escape")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.click("button", "Refresh")
	b.wait(`document.querySelectorAll("[data-letter]").length === ` + strconv.Itoa(letters))

	b.click(".group button", "Delete it…")
	b.click("dialog button", "Show the plan")
	b.click("dialog button", "Delete permanently")
	b.shows("1 message deleted.")
	b.wait(`document.querySelectorAll("[data-letter]").length === ` + strconv.Itoa(letters-1))
	for _, a := range s.answered(mark) {
		if a.status != 200 && strings.Contains(a.path, "dead-letters") {
			t.Errorf("%s %s is answered with %d", a.method, a.path, a.status)
		}
	}
}

// What was found for one filter is not shown under another, also when it comes late.
func TestDeadLettersAreThoseOfTheFilter(t *testing.T) {
	t.Parallel()
	b := serveLive(t, console.WithPlace(api.Place{Kind: "aws"})).open("#/dead-letters?reason=unknown_instance&instance=nobody", browser.View{})
	b.settled()
	b.click("button", "Read the dead letters")
	b.shows("No message is in a dead-letter queue.")
	b.click(".filter-chips button", "Remove filter: instance nobody")
	b.click(".filter-chips button", "Remove filter: reason unknown_instance")
	b.shows("Read the dead letters")
	if text := b.text(); strings.Contains(text, "No message is in a dead-letter queue.") {
		t.Error("without a filter stands what was found with one")
	}
	// The answer comes when the filter is another.
	eval[bool](b, `(() => {
		const send = window.fetch, held = new Promise((go) => { window.answer = go; });
		window.fetch = async (of, ...rest) => {
			const text = await (await send(of, ...rest)).text();
			if (String(of?.url ?? of).includes("/dead-letters/peek")) await held;
			return new Response(text, { status: 200 });
		};
		return true;
	})()`)
	b.click("button", "Read the dead letters")
	b.shows("Reading the dead letters")
	eval[bool](b, `(location.hash = "#/dead-letters?instance=nobody", true)`)
	b.shows("Read the dead letters")
	eval[bool](b, `(window.answer(), true)`)
	b.settled()
	if n := eval[int](b, `document.querySelectorAll("[data-letter]").length`); n > 0 {
		t.Errorf("%d letters of others stand under the filter of an instance", n)
	}
	b.click("button", "Read the dead letters")
	b.shows("No message is in a dead-letter queue.")
}

// Where looking is free, dead letters and the ages of queues are there without a click.
func TestWhatIsFreeIsLookedAtWithoutAClick(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/dead-letters", browser.View{Width: 400, Height: 800})
	b.settled()
	b.shows("not parsable", "What to do:")
	b.axeFinds("dead letters without a click")
	b.goTo("#/queues")
	b.wait(`[...document.querySelectorAll(".queues th")].some(e => e.innerText === "Oldest")`)
	if eval[bool](b, `document.body.innerText.includes("Read the age")`) {
		t.Error("ages are asked for where they cost nothing")
	}
}

func TestQueuesSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	b := serveLive(t, console.WithPlace(api.Place{Kind: "aws"})).open("#/queues", browser.View{})
	b.settled()
	b.shows("orchestrator", "messages for orchestrations", "dead-fifo")
	b.click("button", "Read the age")
	b.shows("Oldest")
	b.wait(`document.querySelector('.queues a[href="#/dead-letters"]')`)
	for _, found := range b.axe() {
		t.Error(found)
	}
}

package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A time stands in the reader's zone, and in UTC beside it, where both are read at leisure.
func TestTheUTCTimeIsShownNextToTheLocalTime(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, "/values"), browser.View{Zone: "Asia/Kolkata", Width: 400, Height: 800})
	b.settled()
	b.wait(`[...document.querySelectorAll(".facts time")].some(e => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC\+05:30\s+(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC$/.test(e.innerText))`)
	b.axeFinds("times beside each other")
	b.goTo("#/about")
	eval[bool](b, `(e => { e.value = "yes"; e.dispatchEvent(new Event("change", {bubbles: true})); return true })(document.querySelector("#set-utc"))`)
	b.goTo(instance(demo.Completed, "/values"))
	b.wait(`[...document.querySelectorAll(".facts time")].some(e => /\.\d{3} UTC\s+(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC\+05:30$/.test(e.innerText))`)
}

// A failure that the code returned is shown without the word that the API has for its kind.
func TestAnErrorOfTheCodeIsCalledAnError(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Failed, ""), browser.View{})
	b.settled()
	b.shows("error")
	if text := eval[string](b, `document.querySelector("main").innerText`); strings.Contains(text, "application") {
		t.Errorf("the page says\n%s", text)
	}
	b.goTo("#/about")
	b.shows("Server clock", "Storage")
}

// Where tabs do not fit, they fade at the side where there are more.
func TestTabsHintThatTheyScroll(t *testing.T) {
	t.Parallel()
	const fades = `["--fade-left", "--fade-right"].map(n => parseFloat(getComputedStyle(document.querySelector(".nav")).getPropertyValue(n)) > 0).join()`
	wide := serveStill(t).open("", browser.View{Width: 1600})
	wide.settled()
	if got := eval[string](wide, fades); got != "false,false" {
		t.Errorf("all tabs are there, and fade: %s", got)
	}
	b := serveStill(t).open("", browser.View{Width: 400})
	b.settled()
	b.wait(fades + ` === "false,true"`)
	eval[bool](b, `document.querySelector(".nav").scrollLeft = 40, true`)
	b.wait(fades + ` === "true,true"`)
	eval[bool](b, `document.querySelector(".nav").scrollLeft = 4000, true`)
	b.wait(fades + ` === "true,false"`)
	for _, found := range b.axe() {
		t.Error(found)
	}
}

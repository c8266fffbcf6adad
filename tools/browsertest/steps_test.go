package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// One steps back from the end of a history: what had been completed is open again, and
// what was scheduled later is gone.
func TestOneStepsThroughAHistory(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, ""), browser.View{})
	b.settled()
	const rows = `document.querySelectorAll("[data-line]").length`
	all := eval[int](b, rows)
	b.click(".steps button", "Step through")
	b.wait(`/at=1\.\d+$/.test(location.hash)`)
	b.shows("Event 13 of 13: OrchestrationCompleted")
	b.settled()
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(`.steps [aria-label="Previous event"]`, "")
	b.shows("Event 12 of 13: SubOrchestrationCompleted")
	b.goTo(instance(demo.Completed, "?at=1.3"))
	b.shows("Event 3 of ")
	b.wait(fmt.Sprintf(`%s < %d`, rows, all))
	if !eval[bool](b, rows+` > 0`) {
		t.Error("after event 3 the timeline has no rows")
	}
	if eval[bool](b, `!!document.querySelector(".waited")`) {
		t.Error("a console without the code says where it waited")
	}
	// Where the console has the code, each step says at which line that waited, and for what.
	own := serveLive(t).open(instance(demo.Completed, "?at=1.3"), browser.View{Width: 400, Height: 800, Dark: true})
	own.wait(`/After event 3, the code waits at\s+\w+\.go:\d+ for ReserveStock/.test(document.querySelector(".waited")?.innerText)`)
	own.axeFinds("the line that waited")
	own.click(`.steps [aria-label="Next event"]`, "")
	own.wait(`document.querySelector(".steps").innerText.includes("Event 4 of ") && /After event \d+, the code waits at/.test(document.querySelector(".waited")?.innerText)`)
	b.click(".steps button", "Now")
	b.wait(fmt.Sprintf(`!location.hash.includes("at=") && %s === %d`, rows, all))
}

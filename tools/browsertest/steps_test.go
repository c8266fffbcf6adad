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
	b.shows("OrchestrationCompleted")
	b.settled()
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(`.steps [aria-label="Event before"]`, "")
	b.wait(`!document.querySelector(".steps").innerText.includes("OrchestrationCompleted")`)
	b.goTo(instance(demo.Completed, "?at=1.3"))
	b.shows("Event 3 of ")
	b.wait(fmt.Sprintf(`%s < %d`, rows, all))
	if !eval[bool](b, rows+` > 0`) {
		t.Error("after event 3 the timeline has no rows")
	}
	b.click(".steps button", "Now")
	b.wait(fmt.Sprintf(`!location.hash.includes("at=") && %s === %d`, rows, all))
}

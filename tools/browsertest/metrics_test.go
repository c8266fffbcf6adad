package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// The metrics say rates, percentiles and dollars, and lead to the instances and failures of
// an orchestration.
func TestTheMetricsAreOnThePage(t *testing.T) {
	t.Parallel()
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		t.Run(fmt.Sprint(view.Width), func(t *testing.T) {
			t.Parallel()
			b := serveLive(t).open("", view)
			b.settled()
			b.press("g", "m")
			b.wait(`location.hash === "#/metrics" && document.querySelector("h1")?.innerText === "Metrics"`)
			b.goTo("#/metrics?since=30d")
			b.shows("in total", "p99", "that ended", "on AWS, estimated from 20 histories")
			b.wait(`/\$\S+ per hour/.test(document.querySelector("main .facts").innerText) && /starts? from|starts from/.test(document.querySelector("main figure svg").getAttribute("aria-label"))`)
			b.axeFinds("the metrics")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			b.click(`.metrics tr[data-name="Fulfil"] td a`, "")
			b.wait(`location.hash === "#/failures?since=30d&name=Fulfil" || location.hash === "#/failures?name=Fulfil&since=30d"`)
			b.goTo("#/metrics?since=30d")
			b.click(`.metrics tr[data-name="Fulfil"] th a`, "steps")
			b.wait(`location.hash.includes("name=Fulfil")`)
			b.shows("Only orchestration", "Where the time goes", "activity Charge", "child Ship")
			b.wait(`document.querySelectorAll(".metrics:not(.by-step) tbody tr").length === 1 && document.querySelector('.by-step [data-step="Charge"]').cells.length === 9`)
			b.axeFinds("the steps")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("with steps the page is %d pixels wider than the window", wide)
			}
			b.click(`.metrics th a`, "Fulfil")
			b.wait(`location.hash.startsWith("#/instances?") && location.hash.includes("name=Fulfil")`)
		})
	}
}

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
			b.shows("in all", "99 of 100 within", "that ended", "on AWS, by 20 histories")
			b.wait(`/\$\S+ an hour/.test(document.querySelector("main .facts").innerText) && /starts? from|starts from/.test(document.querySelector("main figure svg").getAttribute("aria-label"))`)
			b.axeFinds("the metrics")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			b.click(`.metrics tr[data-name="Fulfil"] td a`, "")
			b.wait(`location.hash === "#/failures?since=30d&name=Fulfil" || location.hash === "#/failures?name=Fulfil&since=30d"`)
			b.goTo("#/metrics?since=30d&name=Fulfil")
			b.shows("Only the orchestration")
			b.wait(`document.querySelectorAll(".metrics tbody tr").length === 1`)
			b.click(`.metrics th a`, "Fulfil")
			b.wait(`location.hash.startsWith("#/instances?") && location.hash.includes("name=Fulfil")`)
		})
	}
}

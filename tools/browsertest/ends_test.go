package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// ends are the lines above the timeline, with what stands in each.
const ends = `[...document.querySelectorAll("main .tab-body .ends > div")].map((d) => d.innerText.replace(/\s+/g, " ").trim())`

// What an instance was given and what came of it stands above its timeline, in a line each,
// without a click: wide and narrow, also if it is large or sealed.
func TestInputAndResultAreShownNextToTheTimeline(t *testing.T) {
	t.Parallel()
	for _, view := range []browser.View{{Width: 1600, Height: 900}, {Width: 400, Height: 800, Dark: true}} {
		b := serveStill(t).open("", view)
		for id, want := range map[string][]string{
			demo.Completed:     {`Input { "id": "order-1"`, `Result { "status": "shipped"`},
			demo.Waiting:       {`Input { "id": "order-waiting"`},
			demo.Failed:        {`Input {`},
			demo.Encoded:       {"Input encoded by codec aesgcm:2030-05", "Result encoded"},
			demo.HostileText:   {"Input { \"bidi\": \"userU+202E", "Result { \"bidi\": \"userU+202E"},
			demo.HostileLarge:  {"Input Show input (244 KB)", `Result "noxxx`},
			demo.HostileMarkup: {"Input ", "Result "},
			demo.TenThousand:   {"Input 4950", "Result 4950"},
			demo.Continued:     {"Input 6", "Result 6"},
		} {
			b.goTo(instance(id, ""))
			// What is large in a record may be read after the rest of it.
			beginnings, err := json.Marshal(want)
			b.must(err)
			b.wait(fmt.Sprintf("((have, want) => have.length === want.length && want.every((w, i) => have[i].startsWith(w)))(%s, %s)", ends, beginnings))
			// Each takes a line, but for what says why it is sealed.
			if high := eval[float64](b, `Math.max(...[...document.querySelectorAll("main .tab-body .ends > div")].map((d) => d.offsetHeight))`); high > 34 && id != demo.Encoded {
				t.Errorf("%s, %d wide: a line is %v pixels high", id, view.Width, high)
			}
			b.axeFinds(id)
			if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				t.Errorf("%s: the page is %d pixels wider than the window", id, over)
			}
		}
	}
}

// A line unfolds where it stands, and what is large is read when somebody asks for it. Of how
// the instance stood before there is no result.
func TestInputAndResultUnfoldWhereTheyStand(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	b := s.open(instance(demo.Completed, ""), browser.View{})
	// The result may stand there before the input has been read.
	b.click(".ends > div:first-child summary", "")
	b.wait(`document.querySelector(".ends details[open] .json")?.innerText.includes("teapot")`)
	b.click(".steps button", "Step through")
	b.wait(`location.hash.includes("at=")`)
	b.wait(ends + `.length === 1`)

	mark := s.mark()
	b.goTo(instance(demo.HostileLarge, ""))
	b.wait(`document.querySelector(".tab-body .ends .folded button")`)
	for _, a := range s.answered(mark) {
		if strings.HasSuffix(a.path, encode(demo.HostileLarge)+"/executions/1/events/1") {
			t.Errorf("%s is read, and nobody has asked for it", a.path)
		}
	}
	b.click(".tab-body .ends .folded button", "")
	b.wait(`document.querySelector(".tab-body .ends .json")?.innerText.length > 10000`)
}

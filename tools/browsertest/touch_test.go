package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Fingers on the timeline: two that come apart zoom in, and back out; one drags it
// sideways, and up and down scrolls, as everywhere on the page.
func TestTheTimelineIsMovedByFingers(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, ""), browser.View{Width: 390, Height: 800})
	b.settled()
	b.wait(`document.querySelectorAll(".tl-lane").length > 3`)
	axis := func() string {
		// What was gathered is drawn with the next picture.
		eval[bool](b, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))")
		return strings.Join(eval[[]string](b, `[...document.querySelectorAll(".tl-axis text")].map(e => e.textContent + "@" + e.getAttribute("x"))`), " ")
	}
	lane := eval[[]float64](b, `(r => [r.x, r.y + r.height / 2, r.width])(document.querySelectorAll(".tl-lane")[2].getBoundingClientRect())`)
	at := func(share float64) browser.Finger { return browser.Finger{X: lane[0] + lane[2]*share, Y: lane[1]} }
	pinch := func(from, to float64) {
		b.must(b.Touch([]browser.Finger{at(0.5 - from), at(0.5 + from)}, []browser.Finger{at(0.5 - to), at(0.5 + to)}))
	}

	whole := axis()
	pinch(0.1, 0.4)
	near := axis()
	if near == whole {
		t.Fatalf("two fingers that come apart change nothing: the axis is %s", whole)
	}
	b.must(b.Touch([]browser.Finger{at(0.8)}, []browser.Finger{at(0.3)}))
	further := axis()
	if further == near {
		t.Errorf("a finger that drags changes nothing: the axis is %s", near)
	}
	if hash := eval[string](b, "location.hash"); strings.Contains(hash, "row=") {
		t.Errorf("dragging picked a row: %s", hash)
	}
	for range 3 {
		pinch(0.45, 0.1)
	}
	if back := axis(); back != whole {
		t.Errorf("two fingers that come together lead to the axis %s, not back to %s", back, whole)
	}
	// A tap picks a row.
	b.must(b.Touch([]browser.Finger{at(0.5)}, []browser.Finger{at(0.5)}))
	b.wait(`location.hash.includes("row=")`)
}

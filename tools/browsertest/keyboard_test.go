package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Through each view by Tab alone: the focus is never lost nor caught, is seen
// where it is, and what has it has a name.
func TestEachViewIsWalkedByTab(t *testing.T) {
	t.Parallel()
	const focused = `(() => {
		const e = document.activeElement;
		if (!e || e === document.body) return "";
		const style = getComputedStyle(e), box = e.getBoundingClientRect();
		const name = (e.getAttribute("aria-label") ?? (e.labels?.[0]?.innerText || e.innerText || e.getAttribute("placeholder") || e.title || "")).trim();
		const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none";
		const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0;
		const again = walked.has(e) ? e === walked.values().next().value ? "END" : "AGAIN" : "";
		walked.add(e);
		return [e.tagName, name.slice(0, 40), seen ? "" : "NO RING", inside ? "" : "NOT IN SIGHT", name ? "" : "NO NAME", again].join("|");
	})()`
	b := serveStill(t).open("", browser.View{})
	for _, v := range views {
		b.goTo(v.address)
		eval[bool](b, "globalThis.walked = new Set(), true")
		for range 60 {
			b.press("Tab")
			at := eval[string](b, focused)
			if at == "" || strings.HasSuffix(at, "END") {
				break // Behind the last one.
			}
			if strings.HasSuffix(at, "AGAIN") {
				t.Errorf("%s (%s): the focus comes back before the end: %s", v.name, v.address, at)
				break
			}
			if !strings.HasSuffix(at, "||||") {
				t.Errorf("%s (%s): %s", v.name, v.address, at)
			}
		}
	}
}

// The keys that the page has: rows, search, palette, views, back.
func TestTheKeysOfThePage(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	b.shows("Fulfil")

	b.press("j", "j", "k")
	first := eval[string](b, `[...document.querySelectorAll("[data-row-link]")].indexOf(document.activeElement).toString()`)
	if first != "0" {
		t.Errorf("after j, j, k the focus is on row %s, want the first, 0", first)
	}
	b.press("Enter")
	b.wait(`location.hash.startsWith("#/instances/")`)
	b.settled()
	b.press("g", "s")
	b.wait(`location.hash === "#/stuck"`)
	b.settled()
	b.press("g", "i")
	b.wait(`location.hash === "#/instances" && document.querySelector(".instances [data-row]")`)

	b.press("/")
	b.wait(`document.activeElement.matches("input")`)
	b.press("j") // Typed, not taken.
	b.wait(`document.activeElement.value.endsWith("j")`)
	b.press("Escape")

	b.press("Control+k")
	b.wait(`document.querySelector("dialog[open]")`)
	b.write("order-waiting")
	b.shows(demo.Waiting)
	b.press("Enter")
	b.wait(fmt.Sprintf(`location.hash.startsWith(%q)`, instance(demo.Waiting, "")))
	b.wait(`!document.querySelector("dialog[open]")`)

	b.press("?")
	b.shows("Next row")
	b.press("Escape")
	b.wait(`!document.querySelector("dialog[open]")`)
}

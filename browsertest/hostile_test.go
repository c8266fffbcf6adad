package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/browsertest/browser"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// What a stranger wrote into an input, an id or a custom status is shown and
// never run.
func TestHostilePayloadsAreShownAndNotRun(t *testing.T) {
	t.Parallel()
	for _, id := range []string{demo.HostileMarkup, demo.HostileInstance} {
		for _, part := range []string{"", "/history"} {
			b := serveStill(t).open(instance(id, part), browser.View{})
			b.settled()
			b.shows("<script>", "<img src=x onerror")
			if found := eval[[]string](b, `[...document.querySelectorAll("main script, main img, main iframe, main style, a[href^='javascript:']")].map(e => e.outerHTML)`); len(found) > 0 {
				t.Errorf("%s%s: of what was shown became elements: %q", id, part, found)
			}
			if title := eval[string](b, "document.title"); title == "owned" || eval[bool](b, "({}).owned === true") {
				t.Errorf("%s%s: what was shown was run: the title is %q", id, part, title)
			}
		}
	}
}

// Marks that turn the direction of text, and what shows nothing, are shown as
// marks: "user\u202enimda" is not read as "useradmin".
func TestHiddenCharactersAreShownAsMarks(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.HostileText, "/history"), browser.View{})
	b.settled()
	b.shows("U+202E", "U+2066", `\u001b[31mred`)
	if text := b.text(); strings.ContainsAny(text, "\u202e\u2066\u0007\u001b") {
		t.Errorf("a hidden character is shown as it is: %.300q", text)
	}
}

// A large payload in one line is folded, and shown when it is asked for
// without holding the page up by its elements.
func TestALargePayloadIsFolded(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.HostileLarge, "/history"), browser.View{Width: 360, Height: 740})
	b.settled()
	if length := len(b.text()); length > 20_000 {
		t.Errorf("the page shows %d bytes before it is asked for the large payload", length)
	}
	if nodes := eval[int](b, `document.querySelectorAll("*").length`); nodes > 3000 {
		t.Errorf("the page has %d elements", nodes)
	}
}

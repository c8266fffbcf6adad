package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A browser without what the page needs gets a text, not an empty window.
func TestABrowserThatLacksSomethingShowsIt(t *testing.T) {
	t.Parallel()
	for lack, script := range map[string]string{
		"dialogs":              `delete globalThis.HTMLDialogElement`,
		"server-sent events":   `delete globalThis.EventSource`,
		"light-dark colours":   `CSS.supports = () => false`,
		"well-formed texts":    `delete String.prototype.toWellFormed`,
		"dialogs, server-sent": `delete globalThis.HTMLDialogElement; delete globalThis.EventSource`,
	} {
		t.Run(lack, func(t *testing.T) {
			b := serveStill(t).open("icon.svg", browser.View{})
			b.must(b.Before(script))
			b.must(b.Open(b.site.url))
			b.shows("This browser is too old for this page.", lack, "turnstile list")
		})
	}
}

func TestWithoutScriptsThePageSaysWhatToDo(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("icon.svg", browser.View{})
	b.must(b.WithoutScripts())
	b.must(b.Open(b.site.url))
	if text := b.text(); !strings.Contains(text, "This page needs JavaScript.") || strings.Contains(text, "Loading") {
		t.Errorf("the page shows %q", text)
	}
}

// Each place of the page has an address: opened anew, it shows the same, and
// the browser's Back leads through them.
func TestEachPlaceHasAnAddress(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	places := []string{"#/instances?status=failed", instance(demo.Waiting, ""), instance(demo.Waiting, "/history"), "#/stuck"}
	// What comes last: what an instance waits for is asked for by itself, and so is how many there are of each status.
	const waits = "Waiting for 3"
	holds := [][]string{{demo.Failed, "332"}, {"ReserveStock", waits, "Waits for", "185 B"}, {"OrchestrationStarted", waits}, {demo.Panics}}
	shown := make([]string, len(places))
	// How long ago something was, and in how long it is due, goes on meanwhile.
	const main = `document.querySelector("main").innerText.replace(/\b\d+[dhms](\d+[hms])*\b/g, "a while")`
	for i, place := range places {
		b.goTo(place)
		b.shows(holds[i]...)
		shown[i] = eval[string](b, main)
		b.must(b.Reload())
		b.settled()
		b.wait(main + " === " + js(shown[i]))
	}
	for i := len(places) - 2; i >= 0; i-- {
		b.moves("history.back()")
		b.wait("location.hash === " + js(places[i]))
		b.wait(main + " === " + js(shown[i]))
	}
}

package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Mounted behind somebody's login, under a path: all that the page asks for is
// below it, with or without the slash at the end of the address.
func TestTheConsoleWorksUnderAnyPath(t *testing.T) {
	t.Parallel()
	serveStill(t)
	s := serve(t, "/team-a/ops/console/", still.handler)
	b := s.open("", browser.View{})
	b.shows(demo.Completed)
	b.goTo(instance(demo.Waiting, ""))
	b.shows("Fulfil")
	for _, r := range b.Requests() {
		if !strings.HasPrefix(r.URL, s.url) {
			t.Errorf("%s %s is not below %s", r.Method, r.URL, s.url)
		}
	}
	b.must(b.Open(strings.TrimSuffix(s.url, "/")))
	b.shows(demo.Completed)
}

// A console that only reads shows no way to act.
func TestAConsoleThatReadsShowsNoActions(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	const acting = `[...document.querySelectorAll("button, a")].map(e => (e.getAttribute("aria-label") ?? e.innerText).trim()).filter(w => /^(start|raise|cancel|terminate|wake|purge|redrive|complete|fail)\b/i.test(w))`
	for _, v := range views {
		b.goTo(v.address)
		if found := eval[[]string](b, acting); len(found) > 0 {
			t.Errorf("%s (%s) offers %q", v.name, v.address, found)
		}
	}
	b.press("n")
	if eval[bool](b, `document.querySelector("dialog") !== null`) {
		t.Error("the key n opens a dialog")
	}
}

// Behind a name that the mounting program allows.
func TestTheConsoleWorksByTheHostThatIsAllowed(t *testing.T) {
	t.Parallel()
	h, err := demo.Open(t.Context(), demo.Options{Still: true}, console.AllowHosts("ops.test"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "/", h)
	s.url = strings.Replace(s.url, "127.0.0.1", "ops.test", 1)
	b := s.open("", browser.View{})
	b.Allow("Cross-Origin-Opener-Policy header has been ignored")
	b.shows(demo.Completed)
}

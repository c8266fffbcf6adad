package browsertest

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

func TestStuckInstancesAreGroupedAndWokenTogether(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open("#/stuck", browser.View{})
	b.settled()
	b.shows("MigrateTenant", "nondeterminism", "History has", "The code did", "Invoice", "panic", "Retired", "not_registered", "What to do")
	b.click(`.card[data-kind="panic"] button`, "Wake it")
	b.shows("Wake 1 instance", demo.Panics)
	mark := s.mark()
	b.click("dialog button", "Wake")
	b.shows("Wake-up sent to 1 instance.")
	b.wait(`!document.querySelector("dialog[open]")`)
	posts := 0
	for _, a := range s.answered(mark) {
		if a.method == "POST" {
			posts++
			if a.status != 200 || !strings.HasSuffix(a.path, "/wake") {
				t.Errorf("%s %s is answered with %d", a.method, a.path, a.status)
			}
		}
	}
	if posts != 1 {
		t.Errorf("%d actions were sent, want one", posts)
	}
}

// The start dialog: what is no JSON is said before it is sent, and the instance
// that was started is opened.
func TestAnOrchestrationIsStartedFromThePage(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	s.notThere("instances/" + encode("from/the page")) // It is opened before it has begun.
	b := s.open("", browser.View{})
	b.settled()
	b.press("n")
	b.shows("Start an orchestration")
	b.write("Echo")
	b.click("dialog textarea", "")
	b.write("{not json")
	b.press("Tab")
	b.shows("Not valid JSON")
	if !eval[bool](b, `document.querySelector("dialog button[type=submit]").disabled`) {
		t.Error("what is no JSON could be sent")
	}
	for _, found := range b.axe() {
		t.Error(found)
	}
	eval[bool](b, `(t => (t.value = '{"n":9007199254740993}', t.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector("dialog textarea"))`)
	b.click("dialog label", "Instance id")
	b.write("from/the page")
	b.click("dialog button", "Start")
	b.wait(`location.hash === "#/instances/from%2Fthe%20page"`)
	b.shows("from/the page")
	b.goTo("#/instances?name=Echo")
	b.wait(`document.querySelector('[data-instance="from/the page"]')?.dataset.status === "completed"`)
	// The number went there and came back to the digit.
	if got := eval[string](b, `fetch("api/v1/instances/from%2Fthe%20page").then(r => r.text())`); !strings.Contains(got, "9007199254740993") {
		t.Errorf("the instance is %s", got)
	}
}

// A start that is refused says why, in the dialog, and leaves what was typed.
func TestARefusedActionSaysWhy(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("", browser.View{})
	b.Allow("status of 409", "/instances)")
	b.settled()
	b.press("n")
	b.write("Echo")
	b.click("dialog label", "Instance id")
	b.write(demo.Waiting)
	b.click("dialog button", "Start")
	b.shows("already exists", "choose another instance id")
	b.wait(`document.querySelector("dialog [role=alert]")`)
	if got := eval[string](b, `document.querySelector("dialog input").value`); got != "Echo" {
		t.Errorf("the name in the dialog is now %q", got)
	}
	b.press("Escape")
	b.wait(`!document.querySelector("dialog[open]")`)
}

func TestAConsoleThatOnlyReadsOffersNoActions(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/stuck", browser.View{})
	b.settled()
	b.goTo("#/about")
	b.shows("not allowed (read-only)")
	for _, address := range []string{"#/stuck", "#/instances"} {
		b.goTo(address)
		for _, word := range []string{"Wake it", "Start"} {
			if eval[bool](b, `[...document.querySelectorAll("button")].some(e => e.innerText.trim() === `+js(word)+`)`) {
				t.Errorf("%s has a button %q", address, word)
			}
		}
	}
	b.press("n", "Control+k")
	b.wait(`document.querySelector("dialog[open]")`)
	if text := eval[string](b, `document.querySelector("dialog").innerText`); strings.Contains(text, "Start an orchestration") {
		t.Errorf("the palette offers a start: %s", text)
	}
}

// The theme is chosen, kept, and there from the first picture on.
func TestTheThemeIsKept(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	ground := func() string { return eval[string](b, `getComputedStyle(document.documentElement).backgroundColor`) }
	light := ground()
	b.press("Control+k")
	b.write("theme: dark")
	b.press("Enter")
	b.wait(`document.documentElement.dataset.theme === "dark"`)
	b.wait(`getComputedStyle(document.documentElement).backgroundColor !== ` + js(light))
	dark := ground()
	b.must(b.Reload())
	b.settled()
	if again := ground(); light == dark || again != dark {
		t.Errorf("the ground is %s in the light theme, %s in the dark one, %s after a reload", light, dark, again)
	}
}

// What to do leads to its section in the documentation, as a link that says that
// it goes elsewhere.
func TestWhatIsWrongLeadsToTheDocumentation(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("#/stuck", browser.View{Width: 390, Height: 800})
	b.settled()
	link := `[...document.querySelectorAll('.card[data-kind="panic"] a.external')]`
	b.wait(link + ".length === 1")
	if got := eval[[]string](b, link+`.map(a => a.href + " " + a.target + " " + a.rel + " " + a.textContent)`); !strings.HasSuffix(got[0],
		"/docs/guide/stuck.md#panic _blank noopener noreferrer More about panic  (another site, in a new tab)") {
		t.Errorf("the link is %q", got)
	}
	b.axeFinds("the links")
	b.goTo("#/dead-letters")
	b.wait(`document.querySelector('a.external[href$="#malformed"]')`)
}

package browsertest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// An update is sent in a form that knows the code, and its answer stands in the form. The timeline has it as an
// operation, and what is not answered is listed.
func TestAnUpdateIsSentInAForm(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	at := "#/instances/" + encode(demo.Waiting)
	for name, view := range map[string]browser.View{"light": {}, "dark": {Dark: true}, "narrow": {Width: 360, Height: 780}} {
		b := s.open(at, view)
		b.settled()
		b.click(".actions button", "Send an update")
		b.shows("accepts or rejects the update")
		b.click("dialog button", "change address")
		b.shows("The code expects orders.Address")
		b.axeFinds("the form to send, " + name)
		b.replace("textarea", `{"street":"Storgata 1","country":"NO"}`)
		b.click("dialog button", "Send the update")
		b.wait(`document.querySelector("dialog [role=status] strong")?.innerText === "Completed"`)
		b.shows("answer", `"days"`)
		b.axeFinds("the answer, " + name)
		b.replace("textarea", `{"street":"Main St 1","country":"US"}`)
		b.wait(`!document.querySelector("dialog [role=status] strong")`)
		b.click("dialog button", "Send the update")
		b.wait(`document.querySelector("dialog [role=status] strong")?.innerText === "Rejected"`)
		b.shows(`the carrier does not deliver to "US"`)
		b.axeFinds("the rejection, " + name)
		b.press("Escape")
	}
	b := s.open(at, browser.View{})
	b.settled()
	b.wait(`[...document.querySelectorAll(".tl-line .tl-name")].some((l) => l.innerText.includes("change address"))`)
	if text := b.text(); strings.Contains(text, "turnstile.update.") {
		t.Errorf("the timeline shows the name of an event:\n%s", text)
	}
	b.goTo(at + "/history")
	b.shows("update change address", "requested", "accepted", "answered", "rejected")

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"api/v1/instances/"+encode(demo.ManyAttempts)+"/update", strings.NewReader(`{"name":"gift wrap"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(console.ActionHeader, "1")
	sent, err := http.DefaultClient.Do(r)
	if err != nil || sent.Body.Close() != nil || sent.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", sent, err)
	}
	b.goTo("#/instances/" + encode(demo.ManyAttempts) + "/waiting")
	b.shows("Open updates", "gift wrap", "not accepted or rejected yet")
	b.axeFinds("an open update")
}

package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// While the server is away, the page says so and keeps what it shows; when it
// is back, the page is up to date again by itself.
func TestALostConnectionIsShownAndIsRestoredAutomatically(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"#/instances", instance(demo.Waiting, "")} {
		t.Run(address, func(t *testing.T) {
			s := serveLive(t)
			b := s.open(address, browser.View{})
			b.Allow("ERR_") // The browser's word on each try.
			b.settled()
			b.shows("Fulfil")

			s.listener.Cut()
			b.wait(`document.querySelector("[role=alert]")?.innerText.includes("Not connected")`)
			b.shows("Fulfil")
			for _, found := range b.axe() {
				t.Error(found)
			}

			s.listener.Mend()
			b.wait(`!document.body.innerText.includes("Not connected")`)
			act(t, s, "instances/"+demo.Waiting+"/cancel", `{"reason":"after the connection came back"}`)
			b.wait(fmt.Sprintf(`%s !== "running"`, statusOf(demo.Waiting)))
		})
	}
}

// A page whose server is away when it is opened at another view.
func TestAViewShowsThatTheServerDoesNotRespond(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	b := s.open("", browser.View{})
	b.Allow("ERR_")
	b.shows("Fulfil")
	b.settled()
	s.listener.Cut()
	for _, address := range []string{"#/stuck", "#/instances?name=Ship", instance(demo.Completed, "")} {
		b.goTo(address)
		b.shows("The server does not respond", "Try again")
		for _, found := range b.axe() {
			t.Errorf("%s: %s", address, found)
		}
	}
	s.listener.Mend()
	b.click("button", "Try again")
	b.shows(demo.Completed)
}

// A hidden tab asks for nothing, however much changes; shown again it is up to
// date. That the changes have come about is seen in a second tab.
func TestAHiddenTabAsksForNothing(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	hidden, shown := s.open("", browser.View{}), s.open("", browser.View{})
	for _, b := range []*tab{hidden, shown} {
		b.settled()
		b.shows("Fulfil")
	}
	hidden.must(hidden.Hide())
	before := len(hidden.Requests())
	for n := range 3 {
		id := fmt.Sprintf("new-%d", n)
		act(t, s, "instances", fmt.Sprintf(`{"instance":%q,"name":"Echo","input":{}}`, id))
		shown.shows(id)
	}
	if asked := hidden.Requests()[before:]; len(asked) > 0 {
		t.Errorf("the hidden tab asked for %v", asked)
	}
	hidden.must(hidden.Show())
	hidden.shows("new-2")
}

package browsertest

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/browsertest/browser"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// Stuck instances are woken together, by what is wrong with them.
func TestStuckInstancesAreWoken(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open("#/stuck", browser.View{})
	b.settled()
	mark := s.mark()
	b.click("section:has(a[href$="+demo.Nondeterminism+"]) button", "Wake it")
	b.axeFinds("the dialog to wake")
	b.click("dialog button", "Wake")
	b.shows("Wake-up sent to 1 instance.")
	if asked := s.answered(mark); !slices.ContainsFunc(asked, func(a answer) bool { return a.method == "POST" && a.path == "/api/v1/wake" && a.status == 200 }) {
		t.Errorf("no wake was answered: %v", asked)
	}
	// The code is as it was, so it is stuck again; another try is counted.
	b.shows("8 tries")
}

package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// instance is the address of an instance, and of a tab of it.
func instance(id, tab string) string { return "#/instances/" + encode(id) + tab }

// encode encodes an id as the page does in its addresses.
func encode(id string) string {
	var out []byte
	for _, c := range []byte(id) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' {
			out = append(out, c)
			continue
		}
		out = fmt.Appendf(out, "%%%02X", c)
	}
	return string(out)
}

// views are the addresses that every view test goes through, by what they show.
var views = []struct{ name, address string }{
	{"instances", "#/instances"},
	{"instances of a status", "#/instances?status=stuck"},
	{"failures", "#/failures?since=all"},
	{"stuck", "#/stuck"},
	{"metrics", "#/metrics?since=30d"},
	{"metrics of nothing", "#/metrics?name=Nothing"},
	{"dead letters", "#/dead-letters"},
	{"queues", "#/queues"},
	{"schedules", "#/schedules"},
	{"about", "#/about"},
	{"inspect", "#/inspect"},
	{"an address that is none", "#/nothing/here"},
	{"a completed instance", instance(demo.Completed, "")},
	{"a failed instance", instance(demo.Failed, "")},
	{"a cancelled instance", instance(demo.Cancelled, "")},
	{"a terminated instance", instance(demo.Terminated, "")},
	{"an instance that waits for an event", instance(demo.Waiting, "")},
	{"an instance that waits for a child", instance(demo.WaitsForChild, "")},
	{"an instance with an activity of many attempts", instance(demo.ManyAttempts, "")},
	{"an instance that continued as new", instance(demo.Continued, "")},
	{"a stuck instance: nondeterminism", instance(demo.Nondeterminism, "")},
	{"a stuck instance: panic", instance(demo.Panics, "")},
	{"a stuck instance: not registered", instance(demo.NotRegistered, "")},
	{"a corrupt instance", instance(demo.Corrupt, "")},
	{"an instance of 10,000 events", instance(demo.TenThousand, "")},
	{"hostile markup", instance(demo.HostileMarkup, "")},
	{"hostile text", instance(demo.HostileText, "")},
	{"a large payload", instance(demo.HostileLarge, "")},
	{"a hostile id", instance(demo.HostileInstance, "")},
}

// Every view, in both themes, wide and at the width of a phone: what axe-core
// finds, what sticks out of the window, what the console of the browser says.
func TestEachViewIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	for _, look := range []browser.View{
		{Width: 1280, Height: 800},
		{Width: 360, Height: 740, Dark: true},
	} {
		theme := "light"
		if look.Dark {
			theme = "dark"
		}
		t.Run(fmt.Sprintf("%s, %d wide", theme, look.Width), func(t *testing.T) {
			t.Parallel()
			b := serveStill(t).open("", look)
			said := map[string]bool{}
			for _, v := range views {
				b.goTo(v.address)
				where := fmt.Sprintf("%s (%s)", v.name, v.address)
				for _, found := range b.axe() {
					if !said[found] {
						t.Errorf("%s: %s", where, found)
					}
					said[found] = true // Once is enough for what stands in each view.
				}
				if over := eval[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
					t.Errorf("%s: the page is %d pixels wider than the window", where, over)
				}
			}
		})
	}
}

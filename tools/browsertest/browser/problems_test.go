package browser

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/log"
)

// This test needs no browser: only a full Chromium asks for the icon, and the
// installed one is a headless shell.
func TestARequestOfTheBrowserItselfIsNotAProblemOfThePage(t *testing.T) {
	t.Parallel()
	refused := func(url string) *log.EventEntryAdded {
		return &log.EventEntryAdded{Entry: &log.Entry{
			Source: log.EntrySourceNetwork, Level: log.EntryLevelError, Text: "404 (Not Found)", URL: url,
		}}
	}
	p := &Page{}
	for _, url := range []string{
		"http://127.0.0.1:40841/favicon.ico",
		"http://127.0.0.1:40841/favicon.ico?v=2",
		"http://127.0.0.1:40841/console/favicon.ico",
		"http://127.0.0.1:40841/api/v1/instances",
		"",
	} {
		p.observe(refused(url))
	}
	want := []string{
		"network error: 404 (Not Found) (http://127.0.0.1:40841/console/favicon.ico)",
		"network error: 404 (Not Found) (http://127.0.0.1:40841/api/v1/instances)",
		"network error: 404 (Not Found) ()",
	}
	if !slices.Equal(p.problems, want) {
		t.Errorf("problems are %q, want %q", p.problems, want)
	}
}

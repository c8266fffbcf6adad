package browsertest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// The views of an instance of 10,000 events have as many elements as a window
// needs, not as many as there are events, wherever one has scrolled to.
func TestTenThousandEventsMakeFewElements(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	const elements = `document.querySelectorAll("*").length`
	for _, part := range []string{"", "/history"} {
		b.goTo(instance(demo.TenThousand, part))
		for range 5 {
			if n := eval[int](b, elements); n > 6000 {
				t.Errorf("%q has %d elements", part, n)
			}
			b.must(b.Scroll(5000))
			b.settled()
		}
	}
}

// What the browser's tracing says of the first picture of 10,000 events, and of
// scrolling through them. Nothing asserts a time; docs/internal/performance.md has what
// was measured.
//
//	go -C tools/browsertest test -run '^$' -bench TenThousand -benchtime 5x
func BenchmarkTenThousandEvents(b *testing.B) {
	binary, err := browser.Find(b.Context())
	if err != nil {
		b.Skipf("NOT RUN: %v", err)
	}
	// A browser of its own, so that the trace is of this page alone.
	own, err := browser.Start(context.Background(), binary)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = own.Close() })
	s := serveStill(b)
	for _, view := range []struct{ name, part string }{{"timeline", ""}, {"history", "/history"}} {
		b.Run(view.name, func(b *testing.B) {
			var script, longest, scroll []time.Duration
			for b.Loop() {
				page, err := own.Page(browser.View{})
				if err != nil {
					b.Fatal(err)
				}
				tab := &tab{Page: page, t: b, site: s}
				first, err := page.Trace(func() error {
					tab.must(page.Open(s.url + instance(demo.TenThousand, view.part)))
					tab.settled()
					_, err := page.Screenshot(false)
					return err
				})
				tab.must(err)
				moving, err := page.Trace(func() error {
					tab.must(page.Scroll(15_000))
					return page.Scroll(-15_000)
				})
				tab.must(err)
				script, longest, scroll = append(script, first.Script), append(longest, first.Longest()), append(scroll, moving.Longest())
				tab.must(page.Close())
			}
			b.ReportMetric(milliseconds(script), "script-ms/first-picture")
			b.ReportMetric(milliseconds(longest), "longest-task-ms/first-picture")
			b.ReportMetric(milliseconds(scroll), "longest-task-ms/scroll")
		})
	}
}

// milliseconds is the median.
func milliseconds(of []time.Duration) float64 {
	slices.Sort(of)
	return float64(of[len(of)/2]) / float64(time.Millisecond)
}

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
	for _, view := range []struct{ name, part, shows string }{{"timeline", "", demo.TenThousand}, {"history", "/history", "ActivityScheduled"}} {
		b.Run(view.name, func(b *testing.B) {
			measure(b, own, s, instance(demo.TenThousand, view.part), view.shows)
		})
	}
}

// milliseconds is the median.
func milliseconds(of []time.Duration) float64 {
	slices.Sort(of)
	return float64(of[len(of)/2]) / float64(time.Millisecond)
}

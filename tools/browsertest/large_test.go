package browsertest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Sizes of the large site.
const (
	largeInstances = 100_000
	largeFanOut    = 5_000
	// longestTask is the budget of a task of the page, in milliseconds of its main thread: the
	// median of what was measured. It is held with TURNSTILE_PROVE=1 alone; the tests of the
	// suite hold how many elements a view makes.
	longestTask    = 50
	spreadInstance = "spread"
)

var (
	spread = turnstile.NewOrchestration[int, int]("Spread")
	square = turnstile.NewActivity[int, int]("Square")
)

// serveLarge serves 100,000 instances, of which every hundredth has failed, and one that has made a
// fan-out of 5,000 activities.
func serveLarge(b *testing.B) *site {
	b.Helper()
	env, err := embedded.New(turnstile.NewApp(
		spread.Implement(func(ctx turnstile.Context, n int) (int, error) {
			var all []turnstile.Future[int]
			for i := range n {
				all = append(all, square.Start(ctx, i))
			}
			squares, err := turnstile.Join(ctx, all...)
			return len(squares), err
		}),
		square.Implement(func(_ context.Context, i int) (int, error) { return i * i, nil })))
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	run, err := client.Start(ctx, env.Client(), spread, largeFanOut, client.WithInstanceID(spreadInstance))
	if err == nil {
		_, err = run.Wait(ctx)
	}
	if err != nil {
		b.Fatal(err)
	}
	startedAt := time.Now().Add(-largeInstances * time.Second)
	for i := range largeInstances {
		at := startedAt.Add(time.Duration(i) * time.Second)
		r := store.Record{Instance: fmt.Sprintf("order-%06d", i), ExecutionID: 1, FirstExecution: 1, Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: at, UpdatedAt: at, EndedAt: at.Add(time.Minute),
			States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(`"shipped with the third lorry of the day"`)}}), SearchAttributes: history.SearchAttributes{"customer": history.SearchTextOf(fmt.Sprintf("c-%d", i%1000))}}
		if i%100 == 0 {
			r.Status, r.Failure = store.StatusFailed, &history.Failure{Kind: "application", Code: "declined", Message: "card declined"}
		}
		if err := env.Store().UpdateRecord(ctx, r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}); err != nil {
			b.Fatal(err)
		}
	}
	h, err := console.Handler(env.Client(), env.ConsoleOptions()...)
	if err != nil {
		b.Fatal(err)
	}
	return serve(b, "/", h)
}

// What the browser's tracing says of the first picture of large lists and of a wide fan-out, and of
// scrolling through them. docs/internal/performance.md has what was measured.
//
//	go -C tools/browsertest test -run '^$' -bench Large -benchtime 3x
func BenchmarkLarge(b *testing.B) {
	binary, err := browser.Find(b.Context())
	if err != nil {
		b.Skipf("NOT RUN: %v", err)
	}
	own, err := browser.Start(context.Background(), binary)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = own.Close() })
	s := serveLarge(b)
	for _, view := range []struct{ name, at, shows string }{
		{"list", "#/instances", "order-099999"},
		{"failed", "#/instances?status=failed", "order-099900"},
		{"attribute", `#/instances?where=customer+%3D+%22c-7%22`, "order-099007"},
		{"words", "#/instances?words=card+declined", "order-099900"},
		{"sorted", "#/instances?sort=instance&hide=attributes", "order-099999"},
		{"failures", "#/failures", "card declined"},
		{"fan-out", instance(spreadInstance, ""), "Square"},
		{"fan-out history", instance(spreadInstance, "/history"), "ActivityScheduled"},
	} {
		b.Run(view.name, func(b *testing.B) { measure(b, own, s, view.at, view.shows) })
	}
}

// measure opens an address, waits until it shows a text, and scrolls.
func measure(b *testing.B, own *browser.Browser, s *site, at, shows string) {
	var script, longest, scroll []time.Duration
	for b.Loop() {
		page, err := own.Page(browser.View{})
		if err != nil {
			b.Fatal(err)
		}
		tab := &tab{Page: page, t: b, site: s}
		first, err := page.Trace(func() error {
			tab.must(page.Open(s.url + at))
			tab.settled()
			_, err := page.Screenshot(false)
			return err
		})
		tab.must(err)
		tab.shows(shows)
		moving, err := page.Trace(func() error {
			tab.must(page.Scroll(15_000))
			return page.Scroll(-15_000)
		})
		tab.must(err)
		script, longest, scroll = append(script, first.Script), append(longest, first.Longest()), append(scroll, moving.Longest())
		tab.must(page.Close())
	}
	if n := max(milliseconds(longest), milliseconds(scroll)); n > longestTask && os.Getenv("TURNSTILE_PROVE") == "1" {
		b.Errorf("a task takes %.0f ms of the page's main thread, %d are the most", n, longestTask)
	}
	b.ReportMetric(milliseconds(script), "script-ms/first-picture")
	b.ReportMetric(milliseconds(longest), "longest-task-ms/first-picture")
	b.ReportMetric(milliseconds(scroll), "longest-task-ms/scroll")
}

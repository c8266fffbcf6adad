package browsertest

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/limits/limitstest"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// serveLimits serves a console over a limit of 2 that is held, and for which seven wait.
func serveLimits(t *testing.T) *site {
	t.Helper()
	activities := memory.NewActivities(time.Now)
	q, err := queuememory.New(queuememory.Options{Name: "orchestrator", FIFO: true, Clock: clock.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	startedAt := time.Now().Add(-90 * time.Second)
	attempt := func(n int) limits.Who {
		return limits.Who{ActivityKey: store.ActivityKey{Instance: "order-" + string(rune('1'+n)), ExecutionID: 1, EventID: int64(n + 2)}, Attempt: 1}
	}
	var all []limits.Who
	for n := range 9 {
		all = append(all, attempt(n))
	}
	limitstest.Put(t, activities, "stripe", limitstest.Limit{N: 2, Held: all[:2], Waiting: all[2:], Lasts: time.Hour}, startedAt)
	limitstest.Put(t, activities, limits.OfRate("stripe"), limitstest.Limit{N: 100, Span: time.Second, Waiting: all[:1], Lasts: time.Hour}, startedAt)
	c, err := client.New(client.Config{Store: memory.New(), Activities: activities, Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c, console.AllowActions())
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, "/", h)
}

func TestALimitIsShownAndChangedOnThePageOfQueues(t *testing.T) {
	t.Parallel()
	s := serveLimits(t)
	for _, look := range []browser.View{{}, {Dark: true}, {Width: 390, Height: 844}} {
		b := s.open("#/queues", look)
		b.settled()
		b.shows("Limits", "stripe", "2 of 2 permits held, 7 waiting", "order-1", "Show all 7")
		b.axeFinds("the limits")
	}
	b := s.open("#/queues", browser.View{})
	b.click(".limit button", "Change")
	b.write("5")
	b.axeFinds("the dialog of a limit")
	b.click("dialog button", "Set")
	b.shows("2 of 5 permits held")
	b.click(".limit button", "Change")
	b.click("dialog button", "Reset to the code's 2")
	b.shows("2 of 2 permits held")
	// The rate with the same key stands behind it, because fewer wait.
	b.shows("starts at most 100 per 1.0s, 1 waiting")
	b.click(".limit ~ .limit button", "Change")
	b.shows("Change a rate")
	b.axeFinds("the dialog of a rate")
	b.write("5")
	b.click("dialog button", "Set")
	b.shows("starts at most 5 per 1.0s", "set, the code declares 100 per 1.0s")
	b.click(".limit ~ .limit button", "Change")
	b.click("dialog button", "Reset to the code's 100 per 1.0s")
	b.shows("starts at most 100 per 1.0s")
}

// Of those that wait at a gate each can become the first, also one whose id begins with what the paths
// of the API put before some ids.
func TestOneThatWaitsForALimitBecomesTheFirst(t *testing.T) {
	t.Parallel()
	o := turnstile.NewOrchestration[string, string]("Held").With(turnstile.Limit("k", 1))
	s, c := serveApp(t, turnstile.NewApp(o.Implement(func(ctx turnstile.Context, _ string) (string, error) { return going.Wait(ctx) })))
	for _, id := range []string{"~a", "~b", "~c"} {
		if _, err := client.Start(t.Context(), c, o, "x", client.WithInstanceID(id)); err != nil {
			t.Fatal(err)
		}
	}
	b := s.open("#/instances", browser.View{})
	b.wait(`document.querySelectorAll("[data-instance][data-status=queued]").length === 2`)
	b.goTo("#/queues")
	b.click(".limit td button", "Move to front")
	b.shows("moves to the front of the waiting list.")
}

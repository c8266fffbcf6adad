package browsertest

import (
	"context"
	"net/http"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A queue of the program is paused on the page, its instances are one click away, and it goes on.
func TestAQueueIsPausedAndContinues(t *testing.T) {
	t.Parallel()
	draw := turnstile.NewActivity[string, string]("draw").With(turnstile.Queue("gpu"))
	picture := turnstile.NewOrchestration[string, string]("Picture")
	startedAt, end := make(chan struct{}, 2), make(chan struct{})
	e, err := embedded.New(turnstile.NewApp(picture.Implement(draw.Call), draw.Implement(func(_ context.Context, what string) (string, error) {
		startedAt <- struct{}{}
		select {
		case <-end:
			return what, nil
		case <-t.Context().Done(): // The test has failed before.
			return "", context.Cause(t.Context())
		}
	})))
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(e.Client(), append(e.ConsoleOptions(), console.AllowActions(), console.WithActor(func(*http.Request) string { return "ada" }))...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	start := func(id string) *client.Run[string] {
		t.Helper()
		run, err := client.Start(ctx, e.Client(), picture, id, client.WithInstanceID(id))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	runs := []*client.Run[string]{start("cat-1")}
	receive(t, startedAt, "the attempt begins")
	s := serve(t, "/", h)
	b := s.open("#/queues", browser.View{})
	b.click("a[href*='queue=gpu']", "instances")
	b.shows("cat-1", "with an attempt in queue gpu")
	b.goTo("#/queues")
	b.click("table.queues button", "Pause the queue gpu")
	b.shows("Queue gpu is paused", "by ada")
	b.axeFinds("a paused queue")
	close(end) // What is under way ends, and what comes waits.
	if _, err := runs[0].Wait(within(t)); err != nil {
		t.Error(err)
	}
	runs = append(runs, start("cat-2"))
	// Who looks at what waits there is told, wherever that is.
	const badge = `[...document.querySelectorAll(".nav a")].find(a => a.textContent.startsWith("Queues")).innerText`
	b.wait(badge + `.endsWith("1 paused")`)
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		b := s.open(instance("cat-2", ""), view)
		b.shows("The queue gpu is paused by ada")
		b.axeFinds("an instance that waits in a paused queue")
	}
	b.goTo("#/queues")
	b.click("table.queues button", "Unpause the queue gpu")
	b.shows("Queue gpu is unpaused")
	b.wait("!" + badge + `.includes("paused")`)
	if _, err := runs[1].Wait(within(t)); err != nil {
		t.Error(err)
	}
}

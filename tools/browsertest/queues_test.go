package browsertest

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A queue of the program is paused on the page, its instances are one click away, and it goes on.
func TestAQueueIsPausedAndGoesOn(t *testing.T) {
	t.Parallel()
	draw := turnstile.NewActivity[string, string]("draw").With(turnstile.Queue("gpu"))
	picture := turnstile.NewOrchestration[string, string]("Picture")
	began, end := make(chan struct{}, 2), make(chan struct{})
	e, err := embedded.New(turnstile.NewApp(picture.Implement(draw.Call), draw.Implement(func(_ context.Context, what string) (string, error) {
		began <- struct{}{}
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
	h, err := console.Handler(e.Client(), append(e.ConsoleOptions(), console.AllowActions())...)
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
	receive(t, began, "the attempt begins")
	b := serve(t, "/", h).open("#/queues", browser.View{})
	b.click("a[href*='queue=gpu']", "instances")
	b.shows("cat-1", "with an attempt in the queue gpu")
	b.goTo("#/queues")
	b.click("table.queues button", "Pause the queue gpu")
	b.shows("Queue gpu is paused", "by somebody")
	b.axeFinds("a paused queue")
	close(end) // What is under way ends, and what comes waits.
	if _, err := runs[0].Wait(within(t)); err != nil {
		t.Error(err)
	}
	runs = append(runs, start("cat-2"))
	b.click("table.queues button", "Unpause the queue gpu")
	b.shows("Queue gpu goes on")
	if _, err := runs[1].Wait(within(t)); err != nil {
		t.Error(err)
	}
}

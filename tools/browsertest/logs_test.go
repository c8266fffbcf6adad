package browsertest

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// What was logged about an instance stands beside it, and so who has retried an activity at
// once. Logs and traces elsewhere are linked by templates.
func TestThePageOfAnInstanceShowsItsLog(t *testing.T) {
	t.Parallel()
	sync, call := turnstile.NewOrchestration[string, string]("Sync"), turnstile.NewActivity[string, string]("Call").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Hour}))
	var repaired atomic.Bool
	env, err := embedded.New(turnstile.NewApp(
		sync.Implement(func(ctx turnstile.Context, in string) (string, error) {
			turnstile.Logger(ctx).Warn("calls <b>the shop</b> \u202e", "what", in)
			return call.Call(ctx, in)
		}),
		call.Implement(func(context.Context, string) (string, error) {
			if !repaired.Load() {
				return "", errors.New("503")
			}
			return "done", nil
		}),
	))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	h, err := console.Handler(env.Client(), append(env.ConsoleOptions(), console.AllowActions(), console.WithActor(func(*http.Request) string { return "grace" }))...)
	if err != nil {
		t.Fatal(err)
	}
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if _, err := client.Start(t.Context(), env.Client(), sync, "kettles", client.WithInstanceID("sync-1")); err != nil {
		t.Fatal(err)
	}
	b := serve(t, "/", h).open(instance("sync-1", "/logs"), browser.View{})
	b.settled()
	b.shows("calls <b>the shop</b> U+202E", "kettles", "lines about instances, of level INFO")
	b.axeFinds("the log of an instance")

	b.goTo(instance("sync-1", "/waiting"))
	b.wait(`[...document.querySelectorAll(".row-actions button")].some(e => e.innerText.includes("Retry now"))`)
	repaired.Store(true)
	b.click(".row-actions button", "Retry now")
	b.click("dialog button", "Retry the activity")
	b.status("completed")
	b.goTo(instance("sync-1", "/logs"))
	b.shows("attempt sent before it is due", "grace")
	b.must(b.Look(browser.View{Width: 400, Height: 800, Dark: true}))
	b.axeFinds("the log of an instance on a phone")

	b.goTo("#/about")
	b.field("Log link", "ftp://logs")
	b.shows("Must be an http or https URL.")
	b.axeFinds("a template that cannot be used")
	eval[bool](b, `(e => { e.value = "https://logs.example/?q={instance}&r={request}&from={from}"; e.dispatchEvent(new Event("input", {bubbles: true})); return true })([...document.querySelectorAll("label")].find(l => l.innerText === "Log link").control)`)
	b.goTo(instance("sync-1", "/values"))
	b.wait(`/^https:\/\/logs\.example\/\?q=sync-1&r=&from=\d{4}-/.test(document.querySelector(".facts a.external")?.href)`)
	b.goTo(instance("sync-1", ""))
	b.click(".tl-name", "")
	b.wait(`document.querySelector(".row-details .facts a.external")?.href.startsWith("https://logs.example/?q=sync-1")`)
	b.axeFinds("a link to logs")
}

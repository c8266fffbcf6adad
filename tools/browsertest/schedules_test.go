package browsertest

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// serveSchedules serves a console beside a process that has schedules.
func serveSchedules(t *testing.T, definitions ...schedule.Definition) (*site, *client.Client) {
	t.Helper()
	env, err := embedded.New(turnstile.NewApp(schedule.Part(), hold.Implement(func(_ turnstile.Context, in string) (string, error) { return in, nil })))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := env.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	if _, err := schedule.NewClient(env.Client()).Apply(t.Context(), definitions...); err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(env.Client(), console.AllowActions(), console.WithPolling(100*time.Millisecond, 1_000_000))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, "/", h), env.Client()
}

func report(name string) schedule.Definition {
	return schedule.Definition{Name: name, Cron: "0 3 1 1 *", TimeZone: "Europe/Berlin", Overlap: schedule.BufferOne, Starts: schedule.Orchestration(hold, "daily")}
}

// moment writes a time into the field with this label. What keys make of it depends on
// the language of the browser.
func (b *tab) moment(label, text string) {
	b.t.Helper()
	b.click("label", label)
	b.wait(`(document.activeElement.value = ` + js(text) + `, document.activeElement.dispatchEvent(new Event("input", { bubbles: true })), true)`)
}

func TestSchedulesAreListedAndThereMayBeNone(t *testing.T) {
	t.Parallel()
	some, _ := serveSchedules(t, report("nightly-report"), report("../<b>odd</b>"))
	none, _ := serveSchedules(t)
	for _, look := range []browser.View{{}, {Dark: true}, {Width: 390, Height: 844}} {
		b := some.open("#/schedules", look)
		b.shows("nightly-report", "../<b>odd</b>", "0 3 1 1 * Europe/Berlin", "active", "Hold")
		b.axeFinds("the list of schedules")
		b = none.open("#/schedules", look)
		b.shows("No schedules")
		b.axeFinds("an empty list of schedules")
	}
	b := some.open("#/schedules", browser.View{})
	b.click("tbody a", "../<b>odd</b>")
	b.shows("Next runs", "buffer one", "No runs yet.")
}

func TestAScheduleIsOperatedInTheConsole(t *testing.T) {
	t.Parallel()
	s, _ := serveSchedules(t, report("nightly-report"))
	b := s.open("#/schedules/nightly-report", browser.View{})
	b.shows("Next runs", "0 3 1 1 * Europe/Berlin", "buffer one", "No runs yet.", "Every scheduled run started an instance.")
	b.click(".actions button", "Pause")
	b.write("the warehouse moves")
	b.axeFinds("the dialog that pauses")
	b.click("dialog button", "Pause the schedule")
	b.shows("Note: the warehouse moves", "None: the schedule is paused.")
	b.click(".actions button", "Trigger")
	b.click("dialog button", "Start an instance")
	b.shows("nightly-report@trigger-", "completed")
	b.click(".actions button", "Resume")
	b.click("dialog button", "Resume the schedule")
	b.wait(`!document.body.innerText.includes("None: the schedule is paused.")`)
	b.click(".actions button", "Backfill")
	b.moment("From (UTC)", "2025-01-01T00:00")
	b.moment("To (UTC), inclusive", "2026-12-31T00:00")
	b.axeFinds("the dialog that backfills")
	b.click("dialog button", "Start the runs")
	b.shows("2 runs of nightly-report in that range.", "nightly-report@2025-01-01T02:00:00Z")
	for _, look := range []browser.View{{}, {Dark: true}, {Width: 390, Height: 844}} {
		b := s.open("#/schedules/nightly-report", look)
		b.shows("Recent runs", "nightly-report@2025-01-01T02:00:00Z")
		b.axeFinds("a schedule")
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%+v: %d pixels stick out of the window %s", look, over, eval[string](b, `[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".table-wrap")).map((e) => e.outerHTML.slice(0, 90)).join("\n")`))
		}
	}
	s.notThere("schedules/nightly-report") // The tabs above still show it.
	b.click(".actions button", "Delete")
	b.click("dialog button.danger", "Delete the schedule")
	b.shows("Delete request sent to schedule nightly-report")
	b.wait(`location.hash === "#/schedules"`)
}

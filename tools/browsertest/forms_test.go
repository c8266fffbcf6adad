package browsertest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// value is the text in the field with this label.
func (b *tab) value(label string) string {
	b.t.Helper()
	return eval[string](b, `(l => document.getElementById(l.htmlFor).value)([...document.querySelectorAll("dialog label")].find(l => l.innerText.trim() === `+js(label)+`))`)
}

// The form to start knows the code: names, an example, and what is wrong with what
// was typed, before it is sent.
func TestTheFormToStartKnowsTheCode(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("", browser.View{})
	b.settled()
	b.press("n")
	b.wait(`[...document.querySelectorAll("#known-names option")].some(o => o.value === "Fulfil")`)
	b.write("Fulfil")
	b.shows("The code expects orders.Order")
	b.click("dialog button", "Insert an example")
	if got := b.value("Input"); len(got) < 20 || got[0] != '{' {
		t.Errorf("the example is %q", got)
	}
	b.axeFinds("the form with an example")
	eval[bool](b, `(t => (t.value = '{"custmer":7,"id":8}', t.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector("dialog textarea"))`)
	b.shows("Error", "id is a number, but the code expects a string (string)", "Warning", "custmer is a field that orders.Order does not have", `did you mean "customer"?`, "Start anyway")
	b.axeFinds("the form with what is wrong")
	b.click("dialog button", "Use the last input")
	b.wait(`!document.querySelector("dialog .problems-list") && document.querySelector("dialog textarea").value.includes("customer")`)
	b.press("Escape")
}

// An event is raised, and an activity completed, where it is waited for.
func TestActionsStandWhereTheThingIs(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("#/instances/"+encode(demo.Waiting)+"/waiting", browser.View{})
	b.settled()
	b.click(".row-actions button", "Raise the event")
	b.shows("The code expects orders.Approval")
	if got := b.value("Event"); got == "" {
		t.Error("the event that it waits for is not in the form")
	}
	b.axeFinds("the form to raise what is waited for")
	b.click("dialog button", "Insert an example")
	b.click("dialog button", "Raise the event")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.shows("sent to")
}

// A dialog of an operation stays open, with what was typed, when the instance moves meanwhile.
func TestADialogStaysOpenWhileTheInstanceMoves(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	if _, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID("moves")); err != nil {
		t.Fatal(err)
	}
	b := o.open(instance("moves", "/waiting"), browser.View{})
	b.click(".row-actions button", "Raise the event")
	b.field("Data", `"half a sentence`)
	mark := o.mark()
	act(t, o.site, "instances/moves/raise", `{"name":"other"}`)
	b.wait(`[...document.querySelectorAll(".tabs a")].some((a) => a.innerText === "History 3")`)
	for asked := false; !asked; {
		for _, a := range o.answered(mark) {
			asked = asked || a.status == http.StatusOK && strings.HasSuffix(a.path, "/waiting-for")
		}
		eval[bool](b, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))")
	}
	if got := b.value("Data"); got != `"half a sentence` {
		t.Errorf("the dialog has %q now", got)
	}
	b.press("Escape")
}

func TestATimerIsFiredWhereItWaits(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("#/instances/"+encode(demo.Waiting)+"/waiting", browser.View{})
	b.settled()
	b.click(".row-actions button", "Fire now")
	b.shows("Fire the timer", "approval", ", due", "The history records that it fired early")
	b.axeFinds("the form to fire a timer")
	b.click("dialog button", "Fire the timer")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.shows("Fire timer sent to")
}

func TestAnActivityIsRetriedWhereItWaits(t *testing.T) {
	t.Parallel()
	// Who has been copied into an environment that goes on has no attempt that waits.
	h, err := demo.Open(t.Context(), demo.Options{Still: true}, console.AllowActions())
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, "/", h).open("#/instances/"+encode(demo.ManyAttempts)+"/waiting", browser.View{})
	b.settled()
	b.click(".row-actions button", "Retry now")
	b.shows("starts now instead of after its retry delay", "The last attempt failed")
	b.axeFinds("the form to retry an activity")
	b.click("dialog button", "Retry the activity")
	b.wait(`!document.querySelector("dialog[open]")`)
	b.shows("Retry now sent to")
}

func TestTheFailedRowOffersARedrive(t *testing.T) {
	t.Parallel()
	b := serveLive(t).open("#/instances/"+encode(demo.Failed), browser.View{Width: 400, Height: 800})
	b.settled()
	row := eval[string](b, `fetch("api/v1/instances/`+encode(demo.Failed)+`/timeline").then(r => r.json()).then(t => t.rows.find(r => r.state === "failed")).then(r => r.execution_id + "." + r.event_id)`)
	b.goTo("#/instances/" + encode(demo.Failed) + "?row=" + row)
	b.click(".row-actions button", "Redrive from here")
	if got := b.value("From event"); "1."+got != row {
		t.Errorf("it begins with event %q of row %s", got, row)
	}
	b.axeFinds("the form to redrive from a row")
	b.press("Escape")
}

// Who has retried an activity, completed one by hand, fired a timer or raised an event stands in
// its row, and in its attempts.
func TestTheActorIsShownWithTheAction(t *testing.T) {
	t.Parallel()
	deliver, acts := turnstile.NewActivity[string, string]("Deliver"), turnstile.NewOrchestration[string, string]("Acts")
	attempts := 0
	s, c := serveApp(t, turnstile.NewApp(
		acts.Implement(func(ctx turnstile.Context, in string) (string, error) {
			if _, err := deliver.With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 9, InitialInterval: time.Hour, MaxInterval: time.Hour})).Call(ctx, in); err != nil {
				return "", err
			}
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			return going.Wait(ctx)
		}),
		deliver.Implement(func(context.Context, string) (string, error) {
			if attempts++; attempts < 3 {
				return "", errors.New("the road is closed")
			}
			return "delivered", nil
		}),
	), console.WithActor(func(*http.Request) string { return "ada \u05e2\u05d3\u05d4" }))
	run, err := client.Start(t.Context(), c, acts, "", client.WithInstanceID("acts"))
	if err != nil {
		t.Fatal(err)
	}
	b := s.open(instance(run.Instance, "/waiting"), browser.View{})
	for _, next := range []string{"Retry now", "Retry now", "Fire now", "Raise the event"} {
		b.click(".row-actions button", next)
		b.click("dialog button[type=submit]", "")
		b.wait(`!document.querySelector("dialog[open]")`)
		if next == "Retry now" {
			// Attempt 3 succeeds, and the timer may be there before anything else was shown.
			b.wait(`!document.querySelector(".row-actions button") || /attempt 3|Fire now/.test(document.querySelector("main").innerText)`)
		}
	}
	b.status("completed")
	for row, want := range map[string]string{"1.2": "retried by", "1.4": "fired early by", "1.6": "raised by"} {
		b.goTo(instance(run.Instance, "?row="+row))
		b.wait(`document.querySelector(".row-details")?.innerText.includes(` + js(want) + `)`)
		b.shows("ada \u05e2\u05d3\u05d4")
	}
	b.goTo(instance(run.Instance, "?row=1.2"))
	b.wait(`document.querySelectorAll(".attempts [data-attempt]").length === 3`)
	got := eval[[]string](b, `[...document.querySelectorAll(".attempts tr")].map((r) => [...r.children].map((c) => c.innerText.trim()).filter((_, i) => i === 0 || i === 1 || i === 4).join("|"))`)
	want := []string{"Attempt|State|Requested by", "1|failed|", "2|failed|ada \u05e2\u05d3\u05d4", "3|completed|ada \u05e2\u05d3\u05d4"}
	if !slices.Equal(got, want) {
		t.Errorf("the attempts are %q, want %q", got, want)
	}
	b.axeFinds("who asked for attempts")
	b.goTo(instance(run.Instance, "/history"))
	b.wait(`[...document.querySelectorAll("[data-event]")].find((e) => e.innerText.includes("ActivityCompleted"))?.innerText.includes("by ada")`)
}

// What an instance waits for may be known only after the dialog has opened: then it is filled in,
// unless somebody has typed a name.
func TestTheAwaitedEventIsFilledInWhenItIsKnown(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	if _, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID("late")); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{"": "go", "other": "other"} {
		b := o.open("", browser.View{})
		eval[bool](b, `((send) => {
			const known = new Promise((go) => { window.release = go; });
			window.fetch = async (url, init) => { if (String(url).includes("/timeline")) await known; return send(url, init); };
			location.hash = "#/instances/late";
			return true;
		})(window.fetch)`)
		b.click("button", "Raise an event")
		if typed != "" {
			b.field("Event", typed)
		}
		eval[bool](b, `(release(), true)`)
		b.shows("It waits for")
		b.wait(`[...document.querySelectorAll("dialog label")].some((l) => l.innerText === "Event" && document.getElementById(l.htmlFor).value === ` + js(want) + `)`)
		b.press("Escape")
	}
}

// A query is asked in a form that knows the code, and its answer stands in the form with how far the
// history was read. A console that only reads has the form.
func TestTheCodeIsAskedInAForm(t *testing.T) {
	t.Parallel()
	h, err := demo.Open(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "/", h)
	for name, view := range map[string]browser.View{"light": {}, "dark": {Dark: true}, "narrow": {Width: 360, Height: 780}} {
		b := s.open("#/instances/"+encode(demo.ManyAttempts), view)
		b.settled()
		b.click(".actions button", "Query")
		b.shows("The code answers from its variables")
		b.click("dialog button", "pages left")
		b.shows("The code expects demo.pages")
		b.axeFinds("the form to ask, " + name)
		b.replace("textarea", `{"size":100}`)
		b.click("dialog button", "Ask")
		b.shows("40", ", execution 1.")
		b.axeFinds("the answer, " + name)
		b.replace("textarea", `{"size":0}`)
		b.wait(`!document.querySelector("dialog .payload")`)
		b.click("dialog button", "Ask")
		b.shows(`query "pages left" of instance`, "size is 0: it must be at least 1")
		b.replace("input", "pages")
		b.click("dialog button", "Ask")
		b.shows("its code handles pages left")
		b.press("Escape")
	}
}

// replace replaces the text of a field of the dialog.
func (b *tab) replace(field, text string) {
	b.t.Helper()
	eval[bool](b, `(f => (f.value = `+js(text)+`, f.dispatchEvent(new Event("input", {bubbles: true}))))(document.querySelector("dialog `+field+`"))`)
}

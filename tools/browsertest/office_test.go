package browsertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/embedded"
	inner "github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// The application of an office: one that waits for an event, and one that
// waits for an activity which somebody else completes by its token.
var (
	hold  = turnstile.NewOrchestration[string, string]("Hold")
	asked = turnstile.NewOrchestration[string, string]("Asked")
	ask   = turnstile.NewActivity[string, string]("Ask")
	going = turnstile.NewEvent[string]("go")
)

// office is an environment with that application.
type office struct {
	*site
	client *client.Client
	// tokens are those that the activity has handed out.
	tokens chan string
}

func serveOffice(t *testing.T, options ...console.Option) *office {
	t.Helper()
	o := &office{tokens: make(chan string, 10)}
	o.site, o.client = serveApp(t, turnstile.NewApp(
		hold.Implement(func(ctx turnstile.Context, _ string) (string, error) { return going.Wait(ctx) }),
		asked.Implement(func(ctx turnstile.Context, what string) (string, error) { return ask.Call(ctx, what) }),
		ask.Implement(func(ctx context.Context, _ string) (string, error) {
			o.tokens <- turnstile.ActivityInfo(ctx).CompletionToken
			return "", turnstile.ErrPending
		}),
	), options...)
	return o
}

// serveApp runs an application, with a console that may act.
func serveApp(t *testing.T, app *turnstile.App, options ...console.Option) (*site, *client.Client) {
	t.Helper()
	env, err := embedded.New(app)
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
	h, err := console.Handler(env.Client(), append([]console.Option{console.AllowActions(), console.WithPolling(100*time.Millisecond, 1_000_000)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, "/", h), env.Client()
}

// shows waits until the page of an instance shows its status.
func (b *tab) status(status string) {
	b.t.Helper()
	b.wait(`document.querySelector("main .status.` + status + `")`)
}

// field writes into the field with this label.
func (b *tab) field(label, text string) {
	b.t.Helper()
	b.click("label", label)
	b.write(text)
}

// A dialog that is opened before the timeline is read offers what the instance waits for when it is.
func TestWhatIsRaisedIsOfferedWhenTheTimelineIsRead(t *testing.T) {
	t.Parallel()
	o := serveOffice(t, inner.WithLinks(api.Links{Logs: "https://team.example/{instance}"}))
	b := o.open("", browser.View{})
	b.shows("No instances yet")
	b.click("button", "Start")
	b.field("Orchestration", "Hold")
	b.field("Input", `"x"`)
	b.field("Instance id", "hold")
	b.click("dialog button", "Start")
	b.wait(`location.hash === "#/instances/hold"`)
	b.shows("go")
	b.goTo("#/instances")
	b.settled()
	// From now on no timeline is answered until the test says so.
	eval[bool](b, `(() => {
		const real = window.fetch, held = new Promise((go) => { window.answer = go; });
		window.fetch = (of, ...rest) => (String(of?.url ?? of).includes("/timeline") ? held.then(() => real(of, ...rest)) : real(of, ...rest));
		return true;
	})()`)
	eval[bool](b, `(location.hash = "#/instances/hold", true)`)
	b.click(".actions button", "Raise an event")
	b.wait(`document.querySelector("dialog input") !== null`)
	if name := b.value("Event"); name != "" {
		t.Errorf("before the timeline is read the event is %q", name)
	}
	eval[bool](b, `(window.answer(), true)`)
	b.shows("It waits for")
	b.wait(`document.querySelector("dialog input").value === "go"`)
	b.click("dialog button", "Raise the event")
	b.status("completed")
	b.goTo(instance("hold", "/values"))
	b.wait(`document.querySelector(".facts a.external")?.href === "https://team.example/hold"`) // No browser has a template.
}

func TestAnOrchestrationIsStartedRaisedAndPurged(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	o.notThere("instances/" + encode("hold/1 ☂")) // It is opened before it has begun.
	b := o.open("", browser.View{})
	b.shows("No instances yet")
	b.axeFinds("an empty list")

	b.settled() // Before that nobody knows whether this console may start anything.
	b.press("n")
	b.field("Orchestration", "Hold")
	b.field("Input", `"x"`)
	b.field("Instance id", "hold/1 ☂")
	b.axeFinds("the dialog to start")
	b.click("dialog button", "Start")
	b.wait(`location.hash === ` + js("#/instances/"+encode("hold/1 ☂")))
	b.status("running")

	b.click("button", "Raise an event")
	b.shows("It waits for")
	b.click("label", "Event")
	b.wait(`document.activeElement.select() === undefined`)
	b.write("Go")
	b.field("Data", `"on"`)
	b.click("dialog button", "Raise the event")
	b.shows(`did you mean "go"?`)
	b.axeFinds("the dialog to raise what nothing waits for")
	b.click("label", "Event")
	b.wait(`document.activeElement.select() === undefined`)
	b.write("go")
	b.axeFinds("the dialog to raise")
	b.click("dialog button", "Raise the event")
	b.status("completed")
	b.click("a", "Values")
	b.shows(`"on"`)

	b.click("button", "Purge")
	b.click("dialog label.sure", "")
	b.shows("for 15 days")
	b.axeFinds("the dialog to purge")
	b.click("dialog button", "Purge the instance")
	b.wait(`location.hash === "#/instances"`)
	b.shows("No instances yet")
}

func TestAnInstanceIsCancelledAndAnotherTerminated(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	for _, c := range []struct{ button, confirm, status string }{
		{"Cancel", "Cancel the instance", "cancelled"},
		{"Terminate", "Terminate the instance", "terminated"},
	} {
		run, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID(c.status))
		if err != nil {
			t.Fatal(err)
		}
		b := o.open(instance(run.Instance, ""), browser.View{Dark: true})
		b.status("running")
		b.click("button", c.button)
		b.field("Reason", "the customer called")
		b.axeFinds(c.button)
		b.click("dialog button", c.confirm)
		b.status(c.status)
		b.shows("the customer called")
	}
}

// An action that lost a race says what happened instead.
func TestAnActionThatLostARaceSaysWhatHappened(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	if _, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID("raced")); err != nil {
		t.Fatal(err)
	}
	b := o.open(instance("raced", ""), browser.View{})
	b.Allow("status of 409", "/instances/raced/cancel")
	b.status("running")
	b.click("button", "Cancel")
	b.wait(`document.querySelector("dialog[open]")`)
	act(t, o.site, "instances/raced/terminate", `{"reason":"by somebody else"}`)
	b.status("terminated")
	b.click("dialog button", "Cancel the instance")
	b.wait(`document.querySelector("dialog [role=alert]")?.innerText.includes("terminated")`)
}

// The token is for whoever holds it: it stands in no address, and is asked for
// in a dialog of the palette.
func TestAnActivityIsEndedByItsToken(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	for _, c := range []struct{ how, label, text, confirm, status string }{
		{"", "Result", `"signed"`, "Complete the activity", "completed"},
		{"Failed; it is not retried", "Message", "refused", "Fail the activity", "failed"},
	} {
		run, err := client.Start(t.Context(), o.client, asked, "", client.WithInstanceID("asked "+c.status))
		if err != nil {
			t.Fatal(err)
		}
		token := receive(t, o.tokens, "the activity hands out its token")
		b := o.open(instance(run.Instance, ""), browser.View{})
		b.status("running")
		b.press("Control+k")
		b.write("by its token")
		b.shows("Complete or fail an activity by its token")
		b.press("Enter")
		b.field("Completion token", token)
		if c.how != "" {
			b.click("label", "Outcome")
			b.write(c.how[:10])
		}
		b.field(c.label, c.text)
		b.axeFinds("the dialog of a token")
		b.click("dialog button", c.confirm)
		b.status(c.status)
		for _, r := range b.Requests() {
			if strings.Contains(r.URL, token) {
				t.Errorf("the token stands in the address %s", r.URL)
			}
		}
	}
	b := o.open("", browser.View{})
	b.Allow("status of 400", "/activities/complete")
	b.settled()
	b.press("Control+k")
	b.write("by its token")
	b.shows("Complete or fail an activity by its token")
	b.press("Enter")
	b.field("Completion token", "nonsense")
	b.click("dialog button", "Complete the activity")
	b.wait(`document.querySelector("dialog [role=alert]")?.innerText.includes("token")`)
}

// What an instance waits for is asked for on the tabs that show it alone, however it moves.
func TestWhatIsWaitedForIsAskedForWhereItIsShown(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	if _, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID("held")); err != nil {
		t.Fatal(err)
	}
	asks := func() (n int) {
		for _, a := range o.answered(0) {
			if strings.Contains(a.path, "/waiting-for") {
				n++
			}
		}
		return n
	}
	b := o.open(instance("held", "/history"), browser.View{})
	b.shows("Waiting for 1")
	act(t, o.site, "instances/held/raise", `{"name":"aside"}`)
	b.shows("aside")
	b.settled()
	if n := asks(); n > 0 {
		t.Errorf("what it waits for was asked for %d times", n)
	}
	b.goTo(instance("held", ""))
	b.shows("Waits for")
	b.goTo(instance("held", "/values"))
	before := asks()
	act(t, o.site, "instances/held/raise", `{"name":"go","data":"on"}`)
	b.status("completed")
	b.settled()
	if n := asks() - before; n > 0 {
		t.Errorf("what it waits for was asked for %d times more", n)
	}
}

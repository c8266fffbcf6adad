package browsertest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// counted is a tab in which what a reader does is counted: a click, a key, a text that is typed.
type counted struct {
	*tab
	ids     map[string]bool
	actions int
}

func (c *counted) clicks(selector, text string) {
	c.t.Helper()
	c.actions++
	c.click(selector, text)
}

func (c *counted) types(text string) {
	c.t.Helper()
	c.actions++
	if c.ids[text] {
		c.t.Errorf("the id %s is typed", text)
	}
	c.write(text)
}

// task opens the list of instances, and begins to count.
func (c *counted) task(name string, most int, do func()) {
	c.t.Helper()
	c.actions = 0
	do()
	c.t.Logf("%s: %d actions", name, c.actions)
	if c.actions > most {
		c.t.Errorf("%s takes %d actions, %d are the most", name, c.actions, most)
	}
}

// The tasks of docs/internal/testing.md on the page, where the counts stand. Each begins at the
// list of instances of a shop of some thousand.
func TestAStrangerDoesHisTasksOnThePage(t *testing.T) {
	t.Parallel()
	env, closeShop, err := demo.OpenShop(3000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeShop(); err != nil {
			t.Error(err)
		}
	})
	h, err := console.Handler(env.Client(), append(env.ConsoleOptions(), console.AllowActions(), console.WithPolling(100*time.Millisecond, 1_000_000))...)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "/", h)
	ids := map[string]bool{}
	var failed *client.Description
	var allDeclined []*client.Description
	yesterday := time.Now().Truncate(24*time.Hour).AddDate(0, 0, -1)
	for q := (client.ListQuery{PageSize: 200}); ; {
		page, err := env.Client().List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Instances {
			d := &page.Instances[i]
			ids[d.Instance] = true
			if d.Failure != nil && strings.Contains(d.Failure.Message, "declined") {
				allDeclined = append(allDeclined, d)
				if at := d.CreatedAt; !at.Before(yesterday) && at.Before(yesterday.AddDate(0, 0, 1)) {
					failed = d
				}
			}
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			break
		}
	}
	declined := len(allDeclined)
	if failed == nil || declined < 100 {
		t.Fatalf("%d were declined, of yesterday is %+v", declined, failed)
	}
	customer, _ := failed.SearchAttributes["customer"].Text()
	b := &counted{tab: s.open("#/instances", browser.View{}), ids: ids}
	b.settled()

	b.task("find the order of a customer that failed yesterday, and say why", 5, func() {
		b.clicks(`input[aria-label="Search instances"]`, "")
		b.wait(`document.activeElement.matches('input[aria-label="Search instances"]')`)
		b.types(customer)
		b.clicks(".combo [role=option] *", `customer = "`+customer+`"`)
		b.wait(`location.hash.includes("customer")`)
		b.settled()
		b.clicks(".status-filter a.failed", "")
		b.wait(`location.hash.includes("status=failed") && document.querySelector('[data-instance="` + failed.Instance + `"]')`)
		b.clicks(`[data-instance="`+failed.Instance+`"] [data-row-link]`, "")
		b.shows("the card was declined", "declined")
	})
	b.task("redrive all of its kind, from there", 3, func() {
		b.clicks(".notice a", "All failures with this cause")
		b.shows(strconv.Itoa(declined) + " instances")
		b.clicks(".view-head button", "Redrive all "+strconv.Itoa(declined))
		b.clicks("dialog footer button", "Redrive "+strconv.Itoa(declined)+" instances")
		b.shows("Sent to " + strconv.Itoa(declined) + " of " + strconv.Itoa(declined))
		// Until all have completed, the page Failures counts the others still.
		for _, d := range allDeclined {
			if err := demo.Redriven(t.Context(), env.Client(), d); err != nil {
				t.Error(err)
			}
		}
	})
	b.press("Escape")
	b.goTo(instance(failed.Instance, ""))
	b.shows("Redriven, continues from event")
	b.goTo("#/instances")
	if eval[bool](b.tab, `document.querySelector("dialog[open]") !== null`) {
		b.press("Escape")
	}
	b.task("redrive all of another kind, from the list", 4, func() {
		b.clicks(".nav a", "Failures")
		b.settled()
		b.clicks(".cause a.button", "") // The most instances have the first.
		b.wait(`location.hash.includes("cause=")`)
		b.settled()
		b.clicks(".view-head .button.primary", "")
		b.clicks("dialog footer button[type=submit]", "")
		b.shows("Sent to ")
		b.wait(`document.querySelector("dialog progress").value === document.querySelector("dialog progress").max`)
		for _, refused := range []string{"refused", "Stopped"} {
			if text := eval[string](b.tab, `document.querySelector("dialog").innerText`); strings.Contains(text, refused) || !strings.Contains(text, "children are skipped") {
				t.Errorf("the dialog says %s", text)
			}
		}
	})
	b.press("Escape")
	b.goTo("#/instances")
	b.task("change a limit", 4, func() {
		b.clicks(".nav a", "Queues")
		b.settled()
		b.clicks(".limit button", "Change")
		b.wait(`document.activeElement.matches("dialog input")`)
		b.types("5")
		b.clicks("dialog button", "Set")
		b.shows("5 of 5 permits held")
	})
	b.goTo("#/instances")
	b.task("approve one", 5, func() {
		b.clicks(".status-filter a.running", "")
		b.wait(`[...document.querySelectorAll("[data-instance]")].some(r => r.innerText.includes("waits for approval"))`)
		row := `[data-instance="` + eval[string](b.tab, `[...document.querySelectorAll("[data-instance]")].find(r => r.innerText.includes("waits for approval")).dataset.instance`) + `"]`
		b.clicks(row+" [data-row-link]", "")
		b.wait(`document.querySelector("[data-instance-view] .waits") && document.querySelector("main .bar.done")`) // What it waits for is known.
		b.clicks(".actions button", "Raise an event")
		b.wait(`document.activeElement.matches("dialog textarea")`)
		b.types("true")
		b.axeFinds("the dialog to approve")
		b.clicks("dialog button", "Raise the event")
		b.status("completed")
	})
}

// What failed yesterday, whenever it began, is two clicks away.
func TestWhatFailedYesterdayIsTwoClicksAway(t *testing.T) {
	t.Parallel()
	env, closeShop, err := demo.OpenShop(1000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeShop(); err != nil {
			t.Error(err)
		}
	})
	h, err := console.Handler(env.Client(), env.ConsoleOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, "/", h).open("#/instances?roots=no", browser.View{})
	b.settled()
	b.click(".status-filter a.failed", "")
	b.wait(`location.hash.includes("status=failed")`)
	b.settled()
	eval[bool](b, `(() => { const s = document.querySelector("select"); s.value = "ended yesterday"; return s.dispatchEvent(new Event("change", {bubbles: true})); })()`)
	b.wait(`location.hash.includes("ended=yesterday")`)
	b.settled()
	b.shows("ended yesterday")
	eval[bool](b, `(window.wanted = undefined, (async () => {
		const to = new Date(); to.setHours(0, 0, 0, 0);
		const from = new Date(to); from.setDate(from.getDate() - 1);
		const page = await (await fetch("api/v1/instances?" + new URLSearchParams({status: "failed", ended_from: from.toISOString(), ended_to: to.toISOString()}))).json();
		window.wanted = page.instances.every(i => new Date(i.ended_at) >= from && new Date(i.ended_at) < to) ? page.instances.map(i => i.instance).sort().join() : "others too";
	})(), true)`)
	b.wait(`window.wanted !== undefined`)
	b.wait(`window.wanted !== "" && [...document.querySelectorAll("[data-row]")].map(r => r.dataset.instance).sort().join() === window.wanted`)
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(".filter-chips button", "ended yesterday")
	b.wait(`!location.hash.includes("ended")`)
}

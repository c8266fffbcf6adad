package browsertest

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// ids is an expression of the ids in the list.
const ids = `[...document.querySelectorAll("[data-instance]")].map(r => r.dataset.instance)`

func TestFiltersStandInTheAddress(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()

	b.click(".status-filter a.stuck", "")
	b.wait(`location.hash === "#/instances?status=stuck"`)
	b.settled()
	b.wait(`[...document.querySelectorAll("[data-instance]")].every(r => r.dataset.status === "stuck")`)
	b.shows(demo.Nondeterminism, demo.Panics)

	b.click(".status-filter a", "All")
	b.wait(`document.querySelector(".pager").innerText.includes("50 instances on this page in ")`)
	b.click(".c-attributes button", "")
	b.wait(`new URLSearchParams(location.hash.split("?")[1]).get("where")?.includes(" = ")`)
	b.settled()
	condition := eval[string](b, `new URLSearchParams(location.hash.split("?")[1]).get("where")`)
	value := strings.Trim(strings.SplitN(condition, " = ", 2)[1], `"`)
	b.wait(fmt.Sprintf(`[...document.querySelectorAll("[data-row]")].every(r => r.innerText.includes(%q))`, value))

	b.click(".filter-chips button", "Clear filters")
	b.wait(`!location.hash.includes("where")`)
	b.settled()
	eval[bool](b, `document.querySelector("select").value = "15m", document.querySelector("select").dispatchEvent(new Event("change", {bubbles: true}))`)
	b.wait(`location.hash.includes("since=15m")`)
	b.settled()
	b.wait(fmt.Sprintf(`%s.length > 0 && %s.length < 50`, ids, ids))
}

// Ids are found by how they begin: the field offers the newest as one types, and the
// filter stands in the address.
func TestIdsAreFoundByHowTheyStart(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	const begin = "order-17"
	b.click("[role=combobox]", "")
	b.write(begin)
	b.shows("only ids with this prefix")
	b.wait(`[...document.querySelectorAll("[role=option]")].some(o => /^\s*order-17[0-9]/.test(o.innerText) && o.innerText.includes("open the instance"))`)
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.press("ArrowDown", "ArrowDown", "Enter")
	b.wait(fmt.Sprintf(`new URLSearchParams(location.hash.split("?")[1]).get("prefix") === %q`, begin))
	b.settled()
	b.wait(fmt.Sprintf(`%s.length > 0 && %s.every(i => i.startsWith(%q))`, ids, ids, begin))
	b.shows("ids with prefix " + begin)
	b.click(".filter-chips button", "ids with prefix "+begin)
	b.wait(`!location.hash.includes("prefix") && document.querySelector(".pager")?.innerText.includes("50 instances on this page in ")`)
}

// Words of a failure find instances, and stand in the address.
func TestWordsOfAFailureFindInstances(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	b.click("[role=combobox]", "")
	b.write("card declined")
	b.shows("only with these words")
	b.press("ArrowDown", "ArrowDown", "Enter")
	b.wait(`new URLSearchParams(location.hash.split("?")[1]).get("words") === "card declined"`)
	b.settled()
	b.wait(fmt.Sprintf(`%s.includes(%q) && !%s.includes(%q)`, ids, demo.Failed, ids, demo.Completed))
	b.shows("with the words card declined")
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(".filter-chips button", "with the words card declined")
	b.wait(`!location.hash.includes("words") && document.querySelector(".pager")?.innerText.includes("50 instances on this page in ")`)
}

// Which columns there are, and the order of a page, stand in the address.
func TestColumnsAndOrderStandInTheAddress(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/instances?sort=-instance&hide=attributes,took&roots=no", browser.View{})
	b.settled()
	const heads = `[...document.querySelectorAll(".instances th")].map(h => h.innerText.trim()).join("|").toLowerCase()`
	if got := eval[string](b, heads); got != "status|instance ↓|orchestration|state, problem|started" {
		t.Errorf("the columns are %q", got)
	}
	if !eval[bool](b, `(i => i.length === 50 && i.every((id, n) => n === 0 || i[n - 1] > id))(`+ids+`)`) {
		t.Errorf("the ids are %v", eval[[]string](b, ids))
	}
	b.shows("sorted by id")

	// The head sorts up, down, and newest first again.
	newest := `(r => r.every((x, n) => n === 0 || r[n - 1].querySelector("time").dateTime >= x.querySelector("time").dateTime))([...document.querySelectorAll("[data-instance]")])`
	b.click(".instances th.h-instance button", "")
	b.wait(`!location.hash.includes("sort=")`)
	b.shows("newest first")
	b.wait(newest)
	b.click(".instances th.h-status button", "")
	b.wait(`location.hash.includes("sort=status") && document.querySelector("th.h-status").ariaSort === "ascending"`)
	b.wait(`(s => s.every((x, n) => n === 0 || s[n - 1] <= x))([...document.querySelectorAll("[data-instance]")].map(r => r.dataset.status))`)

	b.click("button", "Columns")
	b.click(".dialog label", "Orchestration")
	b.click(".dialog label", "Duration")
	b.wait(`new URLSearchParams(location.hash.split("?")[1]).get("hide") === "name,attributes"`)
	for _, found := range b.axe() {
		t.Error(found)
	}
	b.click(".dialog button", "Done")
	if got := eval[string](b, heads); got != "status ↑|instance|state, problem|started|duration" {
		t.Errorf("the columns are %q", got)
	}
	for _, found := range b.axe() {
		t.Error(found)
	}
	// A filter leaves them.
	b.click(".status-filter a.stuck", "")
	b.wait(`location.hash.includes("status=stuck") && location.hash.includes("hide=name") && location.hash.includes("sort=status")`)
}

// The mark of a child leads to all children of its parent.
func TestChildrenOfOneParentAreListed(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/instances?roots=no&prefix="+demo.WaitsForChild, browser.View{})
	b.settled()
	b.click(fmt.Sprintf(`[data-instance="%s/1/2"] a.child`, demo.WaitsForChild), "")
	b.wait(fmt.Sprintf(`new URLSearchParams(location.hash.split("?")[1]).get("parent") === %q`, demo.WaitsForChild))
	b.settled()
	b.wait(fmt.Sprintf(`%s.length > 0 && document.querySelectorAll("a.child").length === %s.length`, ids, ids))
	b.shows("children of " + demo.WaitsForChild)
	for _, found := range b.axe() {
		t.Error(found)
	}
}

// The search field says what a text may mean, and does what is chosen.
func TestTheSearchFieldOpensAndFilters(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	b.click("[role=combobox]", "")
	b.write(`customer = "ada"`)
	b.shows("only with these search attributes", "open the instance with this id")
	b.press("Enter")
	b.wait(`new URLSearchParams(location.hash.split("?")[1]).get("where") === 'customer = "ada"'`)
	b.settled()
	b.wait(`[...document.querySelectorAll("[data-row]")].every(r => r.innerText.includes("ada"))`)

	b.click("[role=combobox]", "")
	b.write("Retir")
	b.press("ArrowDown", "Enter")
	b.wait(`location.hash.includes("name=Retir")`)
	b.settled()
	b.shows("No matching instances")

	// What is no condition is said, with what would be one.
	b.Allow("status of 400")
	b.goTo("#/instances?where=nonsense")
	b.shows("The list could not be read", "expected one of")
}

// Older and Newest lead through all instances: each stands on one page, once.
func TestPagesHaveEachInstanceOnce(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/instances?name=Fulfil", browser.View{})
	b.settled()
	seen := map[string]int{}
	pages := 0
	for {
		pages++
		page := eval[[]string](b, ids)
		for _, id := range page {
			seen[id]++
		}
		if !eval[bool](b, `!!document.querySelector(".pager .button:last-child")?.innerText.includes("Older")`) || pages > 20 {
			break
		}
		b.click(".pager button", "Older")
		b.wait(fmt.Sprintf(`%s[0] !== %s && document.querySelectorAll("[data-row]").length > 0`, ids, js(page[0])))
		b.settled()
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s stands on %d pages", id, n)
		}
	}
	if pages < 3 || pages > 20 || len(seen) < 101 {
		t.Errorf("%d instances on %d pages: the test does not page", len(seen), pages)
	}
	b.click(".pager a", "Newest")
	b.wait(`!location.hash.includes("page=")`)
}

// What changes shows by itself: a new instance, its status, the counts.
func TestTheListIsLive(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	b := s.open("", browser.View{})
	b.settled()
	b.wait(`document.querySelector(".connection").innerText.includes("Live")`)
	act(t, s, "instances", `{"instance":"fresh-1","name":"Fulfil","input":{"id":"fresh-1","customer":"ada","items":[{"sku":"a","quantity":1,"price":100}]}}`)
	b.wait(`document.querySelector('[data-instance="fresh-1"]')`)
	act(t, s, "instances/fresh-1/terminate", `{"reason":"seen"}`)
	b.wait(`document.querySelector('[data-instance="fresh-1"]').dataset.status === "terminated"`)
	if !eval[bool](b, ids+`[0] === "fresh-1" || `+ids+`.includes("fresh-1")`) {
		t.Error("the new instance is gone again")
	}
}

// Children stand folded under their parents: a row a tree, which a click and the arrow keys
// unfold. They can be rows, or hidden.
func TestChildrenStandFoldedUnderTheirParents(t *testing.T) {
	t.Parallel()
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		t.Run(fmt.Sprint(view.Width), func(t *testing.T) {
			t.Parallel()
			b := serveStill(t).open("", view)
			b.settled()
			row := func(id string) string { return fmt.Sprintf(`[data-instance=%q]`, id) }
			there := func(id string) string { return fmt.Sprintf(`!!document.querySelector('%s')`, row(id)) }
			region := demo.WaitsForChild + "/1/2"
			folded := eval[int](b, ids+".length")
			if eval[bool](b, there(region)) || folded >= 50 {
				t.Errorf("%d rows stand there, a child among them", folded)
			}
			// The counts are exact where they cost nothing.
			b.wait(`/^[0-9]+ in total, 50 instances on this page in [0-9]+ trees/.test(document.querySelector(".pager").innerText)`)
			b.click(row(demo.WaitsForChild)+" .fold", "")
			b.wait(there(region) + " && " + there(region+"/1/4") + ` && document.querySelector('` + row(demo.WaitsForChild) + ` .fold').ariaExpanded === "true"`)
			if depth := eval[string](b, fmt.Sprintf(`document.querySelector('%s').dataset.depth + document.querySelector('%s').dataset.depth`, row(region), row(region+"/1/4"))); depth != "23" {
				t.Errorf("they stand at the depths %s", depth)
			}
			b.axeFinds("unfolded")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			// From the child, left folds, and goes to the head; right unfolds again.
			eval[bool](b, fmt.Sprintf(`document.querySelector('%s [data-row-link]').focus(), true`, row(region)))
			b.press("ArrowLeft")
			b.wait("!" + there(region) + fmt.Sprintf(` && document.activeElement.closest("[data-row]")?.dataset.instance === %q`, demo.WaitsForChild))
			b.press("ArrowRight")
			b.wait(there(region))

			eval[bool](b, `(s => { s.value = "no"; return s.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("select[aria-label=Children]"))`)
			b.wait(`location.hash.includes("roots=no") && ` + ids + `.length === 50 && !document.querySelector(".fold")`)
			eval[bool](b, `(s => { s.value = "yes"; return s.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector("select[aria-label=Children]"))`)
			b.wait(`location.hash.includes("roots=yes") && !document.querySelector("[data-row] .child")`)
			if left := eval[int](b, ids+".length"); left == 0 || left >= 50 || !eval[bool](b, fmt.Sprintf(`document.querySelector("select[aria-label=Children]").innerText.includes("(%d)")`, 50-left)) {
				t.Errorf("%d rows are left", left)
			}
		})
	}
}

// A list of what started in the last hours moves on while it is open: what started before that leaves it, and the
// count goes with the rows.
func TestAListOfTheLastHoursMovesOn(t *testing.T) {
	t.Parallel()
	e, err := embedded.New(turnstile.NewApp())
	if err != nil {
		t.Fatal(err)
	}
	start := func(id string, ago time.Duration) {
		t.Helper()
		at := time.Now().Add(-ago).UTC()
		r := store.Record{Instance: id, ExecutionID: 1, Name: "Order", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at}
		if err := e.Store().UpdateRecord(t.Context(), id, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	start("old", 23*time.Hour+30*time.Minute)
	start("new", time.Minute)
	var ahead atomic.Int64
	clock := console.WithClock(func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	h, err := console.Handler(e.Client(), append(e.ConsoleOptions(), clock)...)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "/", h)
	b := s.open("#/instances?since=24h", browser.View{})
	b.settled()
	const counted = `document.querySelector(".pager .total")?.textContent`
	b.wait(`document.querySelectorAll("main [data-row]").length === 2 && ` + counted + ` === "2"`)
	// An hour passes, here and there.
	ahead.Store(int64(time.Hour))
	eval[bool](b, `(() => { const real = Date.now; Date.now = () => real() + 3_600_000; return true })()`)
	b.wait(`document.querySelectorAll("main [data-row]").length === 1 && ` + counted + ` === "1"`)
	start("late", 0)
	b.wait(`document.querySelectorAll("main [data-row]").length === 2 && ` + counted + ` === "2"`)
}

// Real data stands in a list so that it can be read: chips in one line, the fields of a custom status, roots alone, and
// Enter on an email finds who has it.
func TestAListOfRealDataCanBeRead(t *testing.T) {
	t.Parallel()
	e, err := embedded.New(turnstile.NewApp())
	if err != nil {
		t.Fatal(err)
	}
	const email = "maximiliane.musterfrau@very-long-company-name.example.com"
	for n := range 6 {
		at := time.Now().Add(-time.Duration(n) * time.Minute).UTC()
		r := store.Record{Instance: fmt.Sprint("order-", n), ExecutionID: 1, Name: "Order", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at,
			SearchAttributes: history.SearchAttributes{"email": history.SearchTextOf(email), "plan": history.SearchTextOf("business plus")},
			States:           history.EncodeStates([]history.State{{Name: history.ListedState, Value: []byte(`{"step":"charging the card","done":3,"of":{"parts":7}}`)}})}
		if n == 5 { // its parent is elsewhere
			r.Instance, r.Parent, r.SearchAttributes = "child-1", &history.Parent{Instance: "elsewhere", ExecutionID: 1, EventID: 2}, nil
		}
		if err := e.Store().UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	h, err := console.Handler(e.Client(), e.ConsoleOptions()...)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "/", h)
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		b := s.open("", view)
		b.settled()
		b.wait(ids + `.length === 5`)
		b.shows("step charging the card", "done 3", `of {"parts":7}`)
		if broken := eval[int](b, `[...document.querySelectorAll(".attributes .chip")].filter(c => c.getBoundingClientRect().height > 30 || c.scrollWidth > c.clientWidth + 1).length`); broken > 0 {
			t.Errorf("%d chips are broken into lines, or run over their frames", broken)
		}
		b.axeFinds("a list of real data")
		b.click(".others button", "Show 1 child whose parents are not on this page")
		b.wait(ids + `.length === 6`)
		b.click("[role=combobox]", "")
		b.write(email)
		b.press("Enter")
		b.wait(`new URLSearchParams(location.hash.split("?")[1]).get("where") === 'email = "` + email + `"'`)
		b.settled()
		b.wait(ids + `.length === 5`)
	}
}

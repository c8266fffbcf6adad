package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Every part of an instance, on instances of all kinds, wide and narrow, light and
// dark: nothing of it breaks, and axe-core finds nothing.
func TestEveryPartOfAnInstanceIsAccessible(t *testing.T) {
	t.Parallel()
	views := []browser.View{{}, {Width: 360, Height: 740, Dark: true}}
	for i, id := range []string{demo.Completed, demo.Waiting, demo.Nondeterminism, demo.Corrupt, demo.Continued, demo.HostileMarkup, demo.HostileText} {
		view := views[i%2]
		t.Run(fmt.Sprint(i, " ", id), func(t *testing.T) {
			t.Parallel()
			b := serveStill(t).open(instance(id, ""), view)
			if id == demo.Corrupt {
				b.Allow("status of 409")
			}
			b.settled()
			// Its timeline is one of the views of TestEachViewIsAccessibleAndFits.
			for _, tab := range []string{"history", "waiting", "tree", "values"} {
				b.goTo(instance(id, "/"+tab))
				b.axeFinds(tab)
				if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("%s is %d pixels wider than the window", tab, wide)
				}
			}
		})
	}
}

// A row is picked by mouse and by keys; its address shows it again; a child folds
// out, and its own child.
func TestTheTimelineIsUsedByMouseAndKeys(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.WaitsForChild, ""), browser.View{})
	b.settled()
	b.shows("attempt 4 of 5 is next")
	b.wait(`document.querySelectorAll(".tl-line.row").length === 1`)
	b.click(".tl-fold", "Expand")
	b.wait(`document.querySelectorAll(".tl-line.row").length > 2`)
	// The lines of the grid reach over what has unfolded.
	b.wait(`document.querySelector(".tl-under").clientHeight >= Math.min(document.querySelector(".tl-scroll").clientHeight, document.querySelector(".tl-scroll").dataset.drawn * 26) - 2`)
	eval[bool](b, `document.querySelector(".tl-name[tabindex='0']").focus(), true`)
	b.press("End", "ArrowRight")
	b.wait(`[...document.querySelectorAll(".tl-line.row")].some(e => e.innerText.includes("CallShop"))`)
	b.press("End", "Enter")
	b.wait(`document.querySelector(".row-details")?.innerText.includes("next attempt")`)
	b.shows("503 Service Unavailable")
	b.axeFinds("the timeline with a child folded out")
	b.click(".row-details button", "Close")
	b.wait(`!document.querySelector(".row-details")`)

	b.goTo(instance(demo.Completed, ""))
	b.click(".tl-name", "")
	b.wait(`location.hash.includes("row=") && document.querySelector(".row-details h3")`)
	b.must(b.Reload())
	b.settled()
	b.wait(`document.querySelector(".row-details h3")`)
	b.axeFinds("the timeline with a row picked")
}

// The attempts of an activity that is tried again stand below its row: each failed one
// with its error and its time, the next one with when it is due.
func TestTheAttemptsOfAnActivityAreShown(t *testing.T) {
	t.Parallel()
	for i, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		t.Run(fmt.Sprint(view.Width), func(t *testing.T) {
			t.Parallel()
			b := serveStill(t).open(instance(demo.ManyAttempts, ""), view)
			b.settled()
			b.click(".tl-name", "")
			b.wait(`document.querySelectorAll(".attempts tr[data-attempt]").length > 2`)
			rows := eval[[]string](b, `[...document.querySelectorAll(".attempts tr[data-attempt]")].map(e => e.innerText)`)
			for i, row := range rows {
				if last := i == len(rows)-1; last != strings.Contains(row, "waiting") || last != strings.Contains(row, "due 2030") || last == strings.Contains(row, "503 Service Unavailable") {
					t.Errorf("attempt %d is shown as %q", i+1, row)
				}
			}
			b.shows("The newest 4 failed attempts before it are kept for two weeks", "Keeping all of them would")
			b.axeFinds("the attempts of an activity")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			if i == 0 { // What was done at once has none to show.
				b.goTo(instance(demo.Completed, ""))
				b.settled()
				b.click(".tl-name", "")
				b.wait(`document.querySelector(".row-details h3")`)
				if eval[bool](b, `!!document.querySelector(".attempts")`) {
					t.Error("an activity that was done at once shows a table of attempts")
				}
			}
		})
	}
}

// Zoom and pan by button, wheel and key change what the axis shows, and Fit
// brings it back.
func TestTheTimelineIsZoomed(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.Completed, ""), browser.View{})
	b.settled()
	axis := `[...document.querySelectorAll(".tl-axis-text")].map(e => e.textContent).join(" ")`
	whole := eval[string](b, axis)
	changed := func(what string) {
		t.Helper()
		before := eval[string](b, axis)
		switch what {
		case "wheel", "pinch":
			ctrl := what == "pinch"
			eval[bool](b, fmt.Sprintf(`(el => { const r = el.getBoundingClientRect(); el.dispatchEvent(new WheelEvent("wheel", {deltaY: %d, ctrlKey: %v, shiftKey: %v, clientX: r.x + r.width / 2, clientY: r.y + 5, bubbles: true, cancelable: true})); return true })(document.querySelector(".tl-chart"))`,
				map[bool]int{true: -40, false: 200}[ctrl], ctrl, !ctrl))
		default:
			b.press(what)
		}
		b.wait(axis + ` !== ` + js(before))
	}
	b.click("button", "Zoom in (+)")
	b.wait(axis + ` !== ` + js(whole))
	changed("pinch")
	changed("wheel")
	eval[bool](b, `document.querySelector(".tl-name[tabindex='0']").focus(), true`)
	changed("+")
	changed("ArrowLeft")
	b.press("0")
	b.wait(axis + ` === ` + js(whole))
	b.click("button", "Show as a table")
	b.wait(`document.querySelectorAll(".tl-table tbody tr").length > 3`)
	b.axeFinds("the timeline as a table")
}

// A fan-out of 5,000 is one row, with how many and how long, and is unfolded by keys;
// of its rows only those in sight are drawn, at the end too.
func TestOfALongTimelineOnlyWhatIsInSightIsDrawn(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.TenThousand, ""), browser.View{})
	b.settled()
	b.wait(`document.querySelector(".tl-scroll")?.dataset.drawn === "1"`)
	b.shows("×4,950")
	b.click(".tl-name", "")
	b.wait(`document.querySelector(".group-details .durations rect")`)
	b.axeFinds("a group")
	eval[bool](b, `document.querySelector(".tl-name[tabindex='0']").focus(), true`)
	b.press("ArrowRight")
	b.wait(`document.querySelector(".tl-scroll")?.dataset.drawn === "4951"`)
	for _, top := range []string{"0", "60000", "1e9"} {
		eval[bool](b, `document.querySelector(".tl-scroll").scrollTop = `+top+`, true`)
		b.wait(`(s => [...document.querySelectorAll(".tl-line")].some(e => { const r = e.getBoundingClientRect(), o = s.getBoundingClientRect(); return r.top <= o.top + 30 && r.bottom >= o.top }))(document.querySelector(".tl-scroll"))`)
		if n := eval[int](b, `document.querySelectorAll(".tl-line").length`); n > 120 {
			t.Errorf("%d rows are drawn at once", n)
		}
	}
}

// The view moves as its instance moves.
func TestTheTimelineMovesWithItsInstance(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	act(t, s, "instances", `{"instance":"moving","name":"Fulfil","input":{"id":"moving","customer":"ada","card":"4242","lines":[{"sku":"cup","quantity":1,"price":800}]}}`)
	b := s.open(instance("moving", ""), browser.View{})
	b.settled()
	b.wait(`[...document.querySelectorAll(".tl-line.row")].some(e => e.innerText.includes("approved"))`)
	act(t, s, "instances/moving/raise", `{"name":"approved","sender_id":"1","data":{"by":"Grace","approved":true}}`)
	b.wait(`document.querySelector("[data-instance-view]").dataset.status === "completed"`)
	b.wait(`[...document.querySelectorAll(".tl-line.row")].some(e => e.innerText.includes("Ship"))`)
	b.wait(`!document.querySelector(".tl-line.open")`)
}

// choose opens a file in the page, as a reader does.
func (b *tab) choose(name, text string) {
	b.t.Helper()
	b.wait(`document.getElementById("inspect-file")`)
	eval[bool](b, `(() => { const dt = new DataTransfer(); dt.items.add(new File([`+js(text)+`], `+js(name)+`));
		const i = document.getElementById("inspect-file"); i.files = dt.files; i.dispatchEvent(new Event("change", {bubbles: true})); return true })()`)
}

// A kept history is looked at: an export, a story of the simulation; what is none is
// refused with advice.
func TestAKeptHistoryIsLookedAt(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	b := s.open("#/inspect", browser.View{})
	b.settled()
	b.axeFinds("the drop")
	export := eval[string](b, `fetch("api/v1/instances/`+demo.Completed+`/export").then(r => r.text())`)
	b.choose("order.json", export)
	b.shows("An exported history", demo.Completed, "ReserveStock")
	b.axeFinds("a file")
	b.click(`.tabs a[href*="history"]`, "")
	b.wait(`document.querySelectorAll("[data-event] .event-kind").length > 5`)

	story, err := os.ReadFile("../../internal/simulation/testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	b.goTo("#/inspect")
	b.choose("story.txt", string(story))
	b.shows("A story of the simulation", "root0")
	b.click(`.tabs a[href*="text"]`, "")
	b.shows("WHAT HAPPENED")

	run, err := json.Marshal(map[string]any{"v": 1, "title": "run 17, with a crash behind call 8", "text": "they part at event 3",
		"exports": []json.RawMessage{json.RawMessage(export), json.RawMessage(strings.ReplaceAll(export, `"instance":"`+demo.Completed+`"`, `"instance":"other"`))}})
	if err != nil {
		t.Fatal(err)
	}
	b.choose("run.json", string(run))
	b.shows("A recorded run", "with a crash behind call 8")
	b.click(`.file-instances a[href*="other"]`, "")
	b.wait(`document.querySelector("h1")?.innerText.includes("other")`)

	b.Allow("status of 400")
	b.choose("cat.txt", "meow")
	b.shows("This file could not be read: cat.txt", "turnstile history INSTANCE --export")
}

// A fan-out of which some fail shows those first, by what tells their inputs apart,
// also in a narrow window.
func TestFailuresComeFirstInAFanOut(t *testing.T) {
	t.Parallel()
	at := func(second int) int64 { return int64(1_900_000_000+second) * 1000 }
	events := []map[string]any{{"event_id": 1, "kind": "OrchestrationStarted", "name": "Fan", "at_ms": at(0), "start": map[string]any{"execution_id": 1}}}
	for i := range 20 {
		events = append(events, map[string]any{"event_id": 2 + i, "kind": "ActivityScheduled", "name": "Charge", "at_ms": at(0), "input": map[string]any{"currency": "EUR", "order": fmt.Sprint("\u05e9\u05dc\u05d5\u05dd-", i)}})
	}
	for i := range 20 {
		e := map[string]any{"event_id": 22 + i, "kind": "ActivityCompleted", "source_event_id": 2 + i, "at_ms": at(i + 2), "started_at_ms": at(1), "attempt": 1}
		if i%7 == 3 {
			e["kind"], e["failure"] = "ActivityFailed", map[string]any{"kind": "application", "message": "declined <b>", "source": "Charge"}
		}
		events = append(events, e)
	}
	text, err := json.Marshal(map[string]any{"v": 1, "instance": "fan", "execution_id": 1, "events": events})
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []browser.View{{Width: 1600, Height: 900}, {Width: 400, Height: 800, Dark: true}} {
		b := serveStill(t).open("#/inspect", view)
		b.settled()
		b.choose("fan.json", string(text))
		b.shows("×20", "3 failed")
		eval[bool](b, `document.querySelector(".tl-name").focus(), true`)
		b.press("ArrowRight")
		b.wait(`document.querySelectorAll(".tl-line.row").length > 3`)
		b.wait(`[...document.querySelectorAll(".tl-line.row")].sort((a, b) => a.style.transform.match(/\d+/)[0] - b.style.transform.match(/\d+/)[0])[0].classList.contains("failed")`)
		b.shows("\u05e9\u05dc\u05d5\u05dd-17")
		b.press("Enter")
		b.wait(`document.querySelectorAll(".group-first li").length === 10`)
		b.shows("labelled by")
		b.axeFinds("a fan-out with failures")
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%d pixels wider than the window", wide)
		}
		b.click(".group-first button", "")
		b.wait(`document.querySelector(".row-details h3")`)
	}
}

// What the code calls an operation stands before what it is: in its row, where it is
// waited for, in the history, and in a fan-out with what all of it is called.
func TestALabelComesFirst(t *testing.T) {
	t.Parallel()
	at := func(second int) int64 { return int64(1_900_000_000+second) * 1000 }
	events := []map[string]any{
		{"event_id": 1, "kind": "OrchestrationStarted", "name": "Fan", "at_ms": at(0), "start": map[string]any{"execution_id": 1}},
		{"event_id": 2, "kind": "TimerCreated", "label": "grace period", "at_ms": at(0), "fire_at_ms": at(72 * 3600), "duration_ms": 72 * 3600_000},
		{"event_id": 3, "kind": "ActivityScheduled", "name": "Count", "label": "stock / \u05de\u05d3\u05e3 <b>", "at_ms": at(0)},
		{"event_id": 4, "kind": "ExternalSubscribed", "name": "approved", "label": "second approval", "at_ms": at(0)},
	}
	for i := range 12 {
		events = append(events, map[string]any{"event_id": 5 + i, "kind": "ActivityScheduled", "name": "Refund", "label": fmt.Sprint("refunds / order ", i), "at_ms": at(0)})
	}
	for i := range 12 {
		events = append(events, map[string]any{"event_id": 17 + i, "kind": "ActivityCompleted", "source_event_id": 5 + i, "at_ms": at(i + 2), "started_at_ms": at(1), "attempt": 1})
	}
	text, err := json.Marshal(map[string]any{"v": 1, "instance": "fan", "execution_id": 1, "events": events})
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []browser.View{{Width: 1600, Height: 900}, {Width: 400, Height: 800, Dark: true}} {
		b := serveStill(t).open("#/inspect", view)
		b.settled()
		b.choose("fan.json", string(text))
		b.shows("grace period, timer 3d00h", "stock / \u05de\u05d3\u05e3 <b>, Count", "second approval, approved", "refunds, Refund")
		eval[bool](b, `document.querySelector(".tl-name").focus(), true`)
		b.press("End", "ArrowRight")
		b.wait(`[...document.querySelectorAll(".tl-line.row .tl-text")].some(e => e.innerText === "order 11")`)
		b.axeFinds("a timeline with labels")
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%d pixels wider than the window", wide)
		}
		b.click(".tl-name", "")
		b.wait(`document.querySelector(".row-details h2").innerText.includes("grace period")`)
	}
}

// Two instances that are selected in the list are compared, and the last two executions of
// a loop: what differs stands beside each other, what is equal is folded.
func TestTwoExecutionsAreComparedOnThePage(t *testing.T) {
	t.Parallel()
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		t.Run(fmt.Sprint(view.Width), func(t *testing.T) {
			t.Parallel()
			b := serveStill(t).open("#/difference?a="+demo.Completed+"&b="+demo.Failed, view)
			b.settled()
			b.shows("Comparison", "operations are equal", "only in the first")
			b.wait(`document.querySelectorAll("[data-differs=both]").length > 1 && document.querySelectorAll("[data-differs=a]").length > 1`)
			b.axeFinds("two instances")
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			b.goTo("#/difference?a=" + demo.Completed + "&b=order-2")
			b.wait(`document.querySelector(".difference-equal")`)
			b.shows("2 equal operations")
			b.click(".view-head label", "Show equal operations")
			b.wait(`document.querySelector("[data-differs=equal]") && !document.querySelector(".difference-equal") && location.hash.includes("all=true")`)
			b.goTo(instance(demo.Continued, ""))
			b.click("a", "Compare the last two executions")
			b.wait(`document.querySelectorAll(".difference-sides h2").length === 2 && document.querySelector("[data-differs=both]")`)
			b.shows("execution 5", "execution 6")
		})
	}
	b := serveStill(t).open("#/instances", browser.View{})
	b.settled()
	b.click("button", "Select")
	b.wait(`document.querySelectorAll(".instances tbody input[type=checkbox]").length > 2`)
	eval[bool](b, `[...document.querySelectorAll(".instances tbody input[type=checkbox]")].slice(0, 2).forEach(e => e.click()), true`)
	b.click("a", "Compare the two")
	b.wait(`location.hash.startsWith("#/difference?") && document.querySelector(".difference-sides")`)
}

// Where the console has the code, an instance says at which line it waits, at its head, at
// what is open, and in the list of places.
func TestTheCodeLineThatWaitsIsShown(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	act(t, s, "instances", `{"instance":"waits","name":"Fulfil","input":{"id":"waits","customer":"ada","card":"4242","lines":[{"sku":"cup","quantity":1,"price":800}]}}`)
	b := s.open(instance("waits", ""), browser.View{})
	b.settled()
	b.wait(`[...document.querySelectorAll(".tl-line.row")].some(e => e.innerText.includes("approved"))`)
	b.goTo(instance("waits", "/waiting"))
	b.wait(`[...document.querySelectorAll(".operations .at-line code")].some(e => /^\w+\.go:\d+$/.test(e.innerText) && e.title.includes("/orders/"))`)
	b.shows("The code waits at", "/orders/")
	b.axeFinds("where the code waits")
	b.goTo(instance(demo.ManyAttempts, ""))
	b.wait(`/^app\.go:\d+$/.test(document.querySelector(".waits .at-line code")?.innerText)`)
	b.click(".tl-name", "")
	b.wait(`/code waits\s*at app\.go:/.test(document.querySelector(".row-details")?.innerText)`)

	still := serveStill(t).open(instance(demo.ManyAttempts, "/waiting"), browser.View{})
	still.settled()
	still.shows("All open operations")
	if eval[bool](still, `!!document.querySelector(".code-lines, .at-line")`) {
		t.Error("a console without the code says where it waits")
	}
}

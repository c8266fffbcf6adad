package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Many are selected by hand and by a query, counted, acted on, and what is left out is
// said.
func TestManyInstancesAreSelectedAndCancelledTogether(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	for i := range 60 {
		if _, err := client.Start(t.Context(), o.client, hold, "x", client.WithInstanceID("hold-"+string(rune('a'+i/10))+string(rune('0'+i%10)))); err != nil {
			t.Fatal(err)
		}
	}
	b := o.open("#/instances?name=Hold", browser.View{})
	b.wait(`document.querySelectorAll("[data-instance][data-status=running]").length === 50`)
	b.click(".view-head button", "Select")
	b.shows("0 selected")
	b.click(`[data-instance="hold-f9"] .pick`, "")
	b.shows("1 selected", "Cancel 1", "Terminate 1")
	b.click(".selection button", "Select all that match")
	b.shows("60 selected", "Cancel 60")
	b.axeFinds("a list with a selection")
	// They are suspended, and selected by their new status, and go on.
	b.click(".selection button", "Suspend 60")
	b.field("Reason", "the bank is down")
	// The job is stopped while its first requests wait: those six are answered, no other is sent, and
	// the rest is still selected.
	eval[bool](b, `(() => {
		const send = window.fetch, waits = [];
		window.fetch = (...a) => a[1]?.method === "POST" && String(a[0]).endsWith("/suspend") ? new Promise((go) => waits.push(() => go(send(...a)))) : send(...a);
		window.held = () => waits.length;
		window.release = () => { window.fetch = send; waits.forEach((go) => go()); };
		return true;
	})()`)
	b.click("dialog footer button", "Suspend 60 instances")
	b.wait(`window.held() === 6`)
	b.click("dialog footer button", "Stop")
	eval[bool](b, `(window.release(), true)`)
	b.shows("Stopped. Sent to 6 of 60. The others are still selected.")
	b.axeFinds("the dialog after a job was stopped")
	b.click("dialog footer button", "Close")
	b.shows("54 selected", "Suspend 54")
	b.click(".selection button", "Suspend 54")
	b.click("dialog footer button", "Suspend 54 instances")
	b.shows("Sent to 54 of 54.")
	b.click("dialog footer button", "Close")
	b.wait(`document.querySelectorAll("[data-instance][data-status=suspended]").length === 50`)
	b.goTo("#/instances?name=Hold&status=suspended")
	b.wait(`document.querySelectorAll("[data-instance][data-status=suspended]").length === 50`)
	b.click(".selection button", "Select all that match")
	b.shows("60 selected", "Resume 60")
	b.click(".selection button", "Resume 60")
	b.shows("Resume 60 instances")
	b.click("dialog footer button", "Resume 60 instances")
	b.shows("Sent to 60 of 60.")
	b.axeFinds("the dialog after many were resumed")
	b.click("dialog footer button", "Close")
	b.goTo("#/instances?name=Hold")
	b.wait(`document.querySelectorAll("[data-instance][data-status=running]").length === 50`)
	b.click(".selection button", "Select all that match")
	b.shows("60 selected", "Cancel 60")
	mark := o.mark()
	b.click(".selection button", "Cancel 60")
	b.shows("Cancel 60 instances", "and 52 more")
	b.axeFinds("the dialog to cancel many")
	b.field("Reason", "closed")
	b.click("dialog footer button", "Cancel 60 instances")
	b.shows("Sent to 60 of 60.")
	b.axeFinds("the dialog after many were cancelled")
	sent := map[string]int{}
	for _, a := range o.answered(mark) {
		if strings.HasSuffix(a.path, "/cancel") {
			sent[a.path]++
		}
	}
	if len(sent) != 60 {
		t.Errorf("%d instances were cancelled", len(sent))
	}
	b.click("dialog footer button", "Close")
	b.shows("0 selected")
	b.wait(`document.querySelectorAll("[data-instance][data-status=cancelled]").length === 50`)
	b.click(".selection button", "Select this page")
	b.shows("Restart 50", "Purge 50")
	b.click(".selection button", "Purge 50")
	if !eval[bool](b, `document.querySelector("dialog footer button[type=submit]").disabled`) {
		t.Error("many can be purged without a second thought")
	}
	b.field("Type 50 to confirm", "50")
	b.axeFinds("the dialog to purge many")
	b.click("dialog footer button", "Purge 50 instances")
	b.shows("Sent to 50 of 50.")
	b.click("dialog footer button", "Close")
	b.wait(`document.querySelectorAll("[data-instance]").length === 10`)
}

// Each filter that changes reads the list again, empties the selection, and takes away a total that
// is not of what the filter selects.
func TestAFilterOfAScheduleOrAQueueIsOneAsAllOthers(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	for _, id := range []string{"nightly@a", "nightly@b", "other"} {
		if _, err := client.Start(t.Context(), o.client, hold, "x", client.WithInstanceID(id)); err != nil {
			t.Fatal(err)
		}
	}
	const total = `document.querySelector(".pager .total")`
	b := o.open("#/instances?schedule=nightly", browser.View{})
	b.settled()
	b.wait(ids + `.sort().join() === "nightly@a,nightly@b"`)
	b.shows("2 instances on this page")
	if eval[bool](b, `!!`+total+` || !!document.querySelector(".status-filter .counted")`) {
		t.Error("a total of all instances stands above those of a schedule")
	}
	b.click(".view-head button", "Select")
	b.click(".selection button", "Select this page")
	b.shows("2 selected")
	b.click(".filter-chips button", "started by schedule nightly")
	b.wait(ids + `.length === 3`)
	b.shows("0 selected")
	b.wait(total + `?.innerText === "3"`)
	b.goTo("#/instances?queue=default")
	b.shows("No matching instances")
	b.click(".filter-chips button", "with an attempt in queue default")
	b.wait(ids + `.length === 3`)
}

// startMany starts so many instances: two pages of a selection, where there are more than 200.
func (o *office) startMany(n int) {
	o.t.Helper()
	for i := range n {
		if _, err := client.Start(o.t.Context(), o.client, hold, "x", client.WithInstanceID(fmt.Sprintf("hold-%03d", i))); err != nil {
			o.t.Fatal(err)
		}
	}
}

// What is read for a selection is of no use when the filter has changed, or the selection was cleared.
func TestSelectingAllEndsWithTheQueryAndWithTheSelection(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	o.startMany(210)
	for i := range 3 {
		if _, err := client.Start(t.Context(), o.client, asked, "", client.WithInstanceID(fmt.Sprint("asked-", i))); err != nil {
			t.Fatal(err)
		}
	}
	b := o.open("#/instances?name=Hold", browser.View{})
	b.settled()
	// The answer with the second page is there, and comes when the test says so.
	eval[bool](b, `(() => {
		const send = window.fetch;
		window.fetch = async (of, ...rest) => {
			const u = new URL(of?.url ?? of, document.baseURI), answer = await send(of, ...rest);
			if (u.searchParams.get("page_size") !== "200" || !u.searchParams.get("page_token")) return answer;
			const text = await answer.text();
			await new Promise((go) => { window.release = () => { delete window.release; go(); }; });
			return new Response(text, { status: 200 });
		};
		return true;
	})()`)
	selected := func(n int) {
		t.Helper()
		b.wait(fmt.Sprintf(`document.querySelector(".selection strong").innerText === "%d selected"`, n))
	}
	b.click(".view-head button", "Select")
	b.click(".selection button", "Select all that match")
	selected(200)
	b.wait(`!!window.release`)
	b.click(".selection button", "Clear")
	selected(0)
	eval[bool](b, `(window.release(), true)`)
	b.settled()
	b.click(".selection button", "Select this page")
	selected(50)

	b.click(".selection button", "Select all that match")
	selected(200)
	b.wait(`!!window.release`)
	b.goTo("#/instances?name=Asked")
	selected(0)
	eval[bool](b, `(window.release(), true)`)
	b.settled()
	b.click(".selection button", "Select this page")
	selected(3)
	b.click(".selection button", "Clear")

	// One that nobody ends has both pages.
	b.goTo("#/instances?name=Hold")
	b.click(".selection button", "Select all that match")
	b.wait(`!!window.release`)
	eval[bool](b, `(window.release(), true)`)
	selected(210)
}

// The pages are of one query, also where that has a span of time.
func TestSelectingAllOfASpanReadsAllPages(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	o.startMany(210)
	b := o.open("#/instances?since=24h", browser.View{})
	b.settled()
	b.click(".view-head button", "Select")
	b.click(".selection button", "Select all that match")
	b.shows("210 selected")
}

// A restart whose answer is lost is sent again with the id of the first one, and counts once; what is
// asked for after it was sent is another.
func TestARestartWithoutAnAnswerIsRepeatedWithItsID(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	o.startMany(2)
	b := o.open("#/instances", browser.View{})
	b.settled()
	// The ids of restarts, in the order of instances; while losing is true, no restart is answered.
	eval[bool](b, `(() => {
		const send = window.fetch;
		window.sent = [];
		window.fetch = async (of, ...rest) => {
			const path = String(of?.url ?? of);
			if (!path.endsWith("/restart")) return send(of, ...rest);
			window.sent.push(path.split("/").at(-2) + " " + JSON.parse(rest[0].body).start_id);
			if (window.losing) throw new TypeError("Failed to fetch");
			return send(of, ...rest);
		};
		return true;
	})()`)
	restarts := func(n int) []string {
		t.Helper()
		b.wait(fmt.Sprintf(`window.sent.length === %d`, n))
		return eval[[]string](b, `window.sent.splice(0).sort()`)
	}
	end := func() {
		t.Helper()
		b.wait(`document.querySelectorAll("[data-instance][data-status=running]").length === 2`)
		for i := range 2 {
			act(t, o.site, fmt.Sprintf("instances/hold-%03d/raise", i), `{"name":"go","data":"on"}`)
		}
		b.wait(`document.querySelectorAll("[data-instance][data-status=completed]").length === 2`)
	}
	restart := func(says string) []string {
		t.Helper()
		b.click(".selection button", "Restart 2")
		b.click("dialog footer button", "Restart 2 instances")
		b.shows(says)
		b.click("dialog footer button", "Close")
		return restarts(2)
	}
	end()
	b.click(".view-head button", "Select")
	b.click(".selection button", "Select this page")
	eval[bool](b, `window.losing = true`)
	lost := restart("Sent to 0 of 2, refused for 2.")
	eval[bool](b, `(window.losing = false, true)`)
	if again := restart("Sent to 2 of 2."); !slices.Equal(again, lost) || strings.Contains(again[0], "undefined") {
		t.Errorf("sent were %q, and then %q", lost, again)
	}
	end()
	b.click(".selection button", "Select this page")
	if other := restart("Sent to 2 of 2."); slices.Contains(lost, other[0]) || slices.Contains(lost, other[1]) {
		t.Errorf("a restart after one that was sent has its id: %q", other)
	}
	end()

	// In the dialog of one instance it is so too.
	b.goTo(instance("hold-000", ""))
	b.status("completed")
	b.click(".actions button", "Restart")
	eval[bool](b, `window.losing = true`)
	b.click("dialog button", "Restart the instance")
	b.wait(`document.querySelector("dialog [role=alert]")?.innerText.includes("does not respond")`)
	lost = restarts(1)
	eval[bool](b, `(window.losing = false, true)`)
	b.click("dialog button", "Restart the instance")
	b.status("running")
	if again := restarts(1); again[0] != lost[0] || strings.Contains(again[0], "undefined") {
		t.Errorf("sent were %q, and then %q", lost, again)
	}
}

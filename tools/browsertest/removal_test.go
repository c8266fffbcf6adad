package browsertest

import (
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// While a purge is under way, the view of the instance reads nothing of it: what it was reading
// is given up, and what it would read is never sent.
func TestThePageReadsNothingOfWhatItPurges(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	if _, err := client.Start(t.Context(), o.client, hold, "", client.WithInstanceID("leaves")); err != nil {
		t.Fatal(err)
	}
	b := o.open(instance("leaves", ""), browser.View{})
	b.status("running")
	b.wait(`document.querySelector("main .tl-line.row")`)
	b.click("button", "Purge")
	b.click("dialog label.sure", "")
	// The instance changes, and its view reads the timeline, which takes its time. So does the
	// answer to the purge: the view is told that the instance is gone before.
	eval[bool](b, `((send) => {
		window.given = [];
		window.fetch = async (url, init) => {
			if (String(url).includes("/timeline")) return new Promise((_, fail) => { window.reads = true; init.signal.addEventListener("abort", () => { given.push(String(url)); fail(new DOMException("", "AbortError")); }); });
			const got = await send(url, init);
			if (init.method === "POST") await new Promise((go) => { window.answer = go; });
			return got;
		};
		return true;
	})(window.fetch)`)
	act(t, o.site, "instances/leaves/raise", `{"name":"other"}`)
	b.wait(`window.reads`)
	mark := o.mark()
	b.click("dialog button", "Purge the instance")
	b.wait(`window.answer && document.querySelector("main .empty")`)
	if n := eval[int](b, `given.length`); n != 1 {
		t.Errorf("%d reads of the timeline were given up, want the one that was under way", n)
	}
	eval[bool](b, `(answer(), true)`)
	b.wait(`location.hash === "#/instances"`)
	b.shows("No instances yet")
	for _, a := range o.answered(mark) {
		if a.status == 404 {
			t.Errorf("%s %s is answered with 404", a.method, a.path)
		}
	}
}

// A removal that is refused lets the view read again, and says why.
func TestAViewReadsAgainWhenItsRemovalIsRefused(t *testing.T) {
	t.Parallel()
	b := serveOffice(t).open("", browser.View{})
	b.settled()
	got := eval[[]string](b, `(async () => {
		const { get } = await import("./api.js"), { removing } = await import("./removal.js");
		const said = [], send = window.fetch;
		let n = 0;
		window.fetch = (url, init) => ++n === 1 ? new Promise((_, fail) => init.signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")))) : send(url, init);
		const name = (p) => p.then(() => "read", (e) => e.name + " " + (e.code ?? ""));
		const before = get("about"), own = new AbortController();
		let during, given;
		await removing("about", async () => {
			during = get("about");
			given = get("about", {}, { signal: own.signal });
			given.catch(() => {});
			own.abort();
			throw new Error("refused");
		}).catch((e) => said.push(e.message));
		said.push(await name(before), await name(during), await name(given));
		const gone = (async () => removing("about/", async () => { during = get("about/x"); during.catch(() => {}); given = get("about"); location.hash = "#/queues"; }))();
		await gone;
		said.push(await name(during), await name(given), await name(get("about")));
		window.fetch = send;
		return said.map((s) => s.trim());
	})()`)
	want := []string{"refused", "read", "read", "AbortError 20", "AbortError 20", "read", "read"}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got, want)
			break
		}
	}
}

// Who wants no motion sees each change at once: no colour is on its way to another one.
func TestNothingFadesIfTheUserPrefersReducedMotion(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("#/about", browser.View{})
	b.settled()
	b.must(b.Still())
	got := eval[string](b, `(() => {
		const button = document.createElement("button");
		button.className = "button";
		button.innerHTML = "<span>Close</span>";
		document.querySelector("main").append(button);
		getComputedStyle(button.firstChild).color;
		button.className = "button primary";
		const seen = [getComputedStyle(button).color, getComputedStyle(button.firstChild).color, document.getAnimations().filter((a) => a.timeline === document.timeline).length];
		button.remove();
		return seen.join(" ");
	})()`)
	if want := "rgb(255, 255, 255) rgb(255, 255, 255) 0"; got != want {
		t.Errorf("colours of the button and its word, and how many change: %s, want %s", got, want)
	}
}

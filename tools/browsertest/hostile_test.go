package browsertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// What a stranger wrote into an input, an id or a custom status is shown and
// never run.
func TestHostilePayloadsAreShownAndNotRun(t *testing.T) {
	t.Parallel()
	for _, id := range []string{demo.HostileMarkup, demo.HostileInstance} {
		for _, part := range []string{"", "/history"} {
			b := serveStill(t).open(instance(id, part), browser.View{})
			b.settled()
			b.shows("<script>", "<img src=x onerror")
			if found := eval[[]string](b, `[...document.querySelectorAll("main script, main img, main iframe, main style, a[href^='javascript:']")].map(e => e.outerHTML)`); len(found) > 0 {
				t.Errorf("%s%s: of what was shown became elements: %q", id, part, found)
			}
			if title := eval[string](b, "document.title"); title == "owned" || eval[bool](b, "({}).owned === true") {
				t.Errorf("%s%s: what was shown was run: the title is %q", id, part, title)
			}
		}
	}
}

// Marks that turn the direction of text, and what shows nothing, are shown as
// marks: "user\u202enimda" is not read as "useradmin".
func TestHiddenCharactersAreShownAsMarks(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.HostileText, "/history"), browser.View{})
	b.settled()
	b.shows("U+202E", "U+2066", `\u001b[31mred`)
	if text := b.text(); strings.ContainsAny(text, "\u202e\u2066\u0007\u001b") {
		t.Errorf("a hidden character is shown as it is: %.300q", text)
	}
}

// A large payload in one line is folded, and shown when it is asked for
// without holding the page up by its elements.
func TestALargePayloadIsFolded(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open(instance(demo.HostileLarge, "/history"), browser.View{Width: 360, Height: 740})
	b.settled()
	if length := len(b.text()); length > 20_000 {
		t.Errorf("the page shows %d bytes before it is asked for the large payload", length)
	}
	if nodes := eval[int](b, `document.querySelectorAll("*").length`); nodes > 3000 {
		t.Errorf("the page has %d elements", nodes)
	}
}

// No payload of an instance is larger than 256 KB, the limit of the library: that is
// the largest that a store lets into the page. A file that is looked at may have
// larger ones, up to its own limit of 8 MB: one of a megabyte in one line is cut and
// folded too, and shown in full when asked for.
func TestTheLargestPayloadsAreFolded(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	largest := strings.Repeat("x", turnstile.MaxPayload-2) // in quotes
	if _, err := client.Start(t.Context(), o.client, hold, largest, client.WithInstanceID("largest")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Start(t.Context(), o.client, hold, largest+"x"); !errors.As(err, new(*turnstile.PayloadTooLargeError)) {
		t.Fatalf("a payload above the limit is taken: %v", err)
	}
	b := o.open(instance("largest", "/history"), browser.View{Width: 360, Height: 740})
	b.settled()
	b.click("button, label, a", "full")
	b.shows("256 KB")
	small := func(b *tab) {
		t.Helper()
		if n := len(b.text()); n > 20_000 {
			t.Errorf("the page shows %d bytes of a payload", n)
		}
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("it is %d pixels wider than the window", wide)
		}
	}
	small(b)
	b.click("button", "Show input (256 KB)")
	b.shows("xxxxxxxx")
	b.shows("Show more")
	small(b)

	export := history.EncodeExport(history.Export{Instance: "megabyte", ExecutionID: 1, Events: []history.Event{
		{EventID: 1, Kind: history.OrchestrationStarted, AtMS: 1, Name: "Large", Start: &history.Start{ExecutionID: 1, StartID: "s"},
			Payload: []byte(`"` + strings.Repeat("y", 1<<20) + `"`)},
		{EventID: 2, Kind: history.OrchestrationCompleted, AtMS: 2},
	}})
	b = o.open("#/inspect", browser.View{Width: 360, Height: 740})
	b.settled()
	b.choose("large.json", string(export))
	b.shows("megabyte")
	b.click(`.tabs a[href*="history"]`, "")
	b.settled()
	b.click("button, label, a", "full")
	b.shows("1.0 MB")
	small(b)
}

// Japanese, in an id, an input and a status, is shown in letters of its own, and not
// in the boxes of a font that lacks them.
func TestJapaneseIsShown(t *testing.T) {
	t.Parallel()
	o := serveOffice(t)
	const id = "注文-十七 ﾃｽﾄ"
	if _, err := client.Start(t.Context(), o.client, hold, "日本語のテキスト", client.WithInstanceID(id)); err != nil {
		t.Fatal(err)
	}
	b := o.open(instance(id, "/values"), browser.View{})
	b.settled()
	b.shows("注文-十七 ﾃｽﾄ", "日本語のテキスト")
	// Boxes are all the same.
	drawn := eval[[]string](b, `[..."日本語注文テキ\u{10ffff}\u{10fffe}"].map(c => {
		const canvas = document.createElement("canvas"), draw = canvas.getContext("2d");
		canvas.width = canvas.height = 32;
		draw.font = "24px " + getComputedStyle(document.body).fontFamily;
		draw.fillText(c, 2, 26);
		return canvas.toDataURL();
	})`)
	if n := len(drawn); drawn[n-1] != drawn[n-2] {
		t.Fatal("what no font has is drawn in two ways: this test cannot tell boxes")
	}
	seen := map[string]bool{drawn[len(drawn)-1]: true}
	for i, picture := range drawn[:len(drawn)-2] {
		if seen[picture] {
			t.Errorf("letter %d of %q is drawn as another one", i, "日本語注文テキ")
		}
		seen[picture] = true
	}
	b.axeFinds("Japanese")
}

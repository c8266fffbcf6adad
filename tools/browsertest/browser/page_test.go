package browser_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// start starts the browser for a test, or skips it where there is none.
func start(t *testing.T) *browser.Browser {
	t.Helper()
	binary, err := browser.Find(t.Context())
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	b, err := browser.Start(context.Background(), binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func serve(t *testing.T, html string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Security-Policy", "default-src 'self'")
			io.WriteString(w, "<!doctype html><html lang=en><title>Test</title><link rel=icon href=/icon>"+html)
		case "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, `document.addEventListener("click", e => { document.title = e.target.id });
				if (location.search === "?throw") throw new Error("thrown");
				if (location.search === "?warn") console.warn("warned", 7);
				if (location.search === "?missing") fetch("nothing");
				addEventListener("keydown", e => { document.title = (e.ctrlKey ? "ctrl " : "") + e.key });`)
		case "/moves.css":
			w.Header().Set("Content-Type", "text/css")
			io.WriteString(w, `@keyframes appears { from { color: #ddd; } to { color: #000; } } p { animation: appears 2s steps(1, jump-end); }`)
		case "/icon":
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func open(t *testing.T, b *browser.Browser, view browser.View, url string) *browser.Page {
	t.Helper()
	p, err := b.Page(view)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := p.Open(url); err != nil {
		t.Fatal(err)
	}
	return p
}

// One process and its pages: what a page collects, how it is looked at and
// what is done in it.
func TestPage(t *testing.T) {
	b := start(t)

	t.Run("each kind of problem is collected", func(t *testing.T) {
		for address, want := range map[string]string{
			"?throw":   "thrown",
			"?warn":    "console.warning: warned 7",
			"?missing": "404",
			"?":        "",
		} {
			p := open(t, b, browser.View{}, serve(t, `<script src=script.js></script>`)+"/"+address)
			if want == "" {
				if got := p.Problems(); len(got) != 0 {
					t.Errorf("%s: problems %q, want none", address, got)
				}
				continue
			}
			wait(t, func() bool { return len(p.Problems()) > 0 })
			if got := p.Problems(); !strings.Contains(got[0], want) {
				t.Errorf("%s: problems %q, want one with %q", address, got, want)
			}
			p.Allow(want, "not in it")
			if got := p.Problems(); len(got) == 0 {
				t.Errorf("%s: the problem is left out, of which a part was not allowed", address)
			}
			p.Allow(want, want[1:])
			if got := p.Problems(); len(got) != 0 {
				t.Errorf("%s: problems %q are left after they were allowed", address, got)
			}
		}
	})
	t.Run("what the policy refuses is a problem", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<p style="color:red">x</p><script>document.title = "ran"</script>`))
		wait(t, func() bool { return len(p.Problems()) >= 2 })
		text := fmt.Sprint(p.Problems())
		for _, want := range []string{"style-src-attr refused inline", "script-src-elem refused inline"} {
			if !strings.Contains(text, want) {
				t.Errorf("problems %s, want %q in them", text, want)
			}
		}
	})
	t.Run("a tab whose process has died says so, and holds nobody up", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, "<p>here</p>"))
		if err := p.Open("chrome://crash"); err == nil {
			t.Error("it opens what ends its process")
		}
		if err := p.Click("p", "here"); err == nil {
			t.Error("a dead page is clicked")
		}
		if got := fmt.Sprint(p.Problems()); !strings.Contains(got, browser.ErrCrashed.Error()) {
			t.Errorf("problems %s, want that it has crashed", got)
		}
	})
	t.Run("a disabled and a hidden button are not clicked", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<script src=script.js></script>
			<button id=hidden hidden>Go</button><button id=disabled disabled>Go</button>
			<button id=seen>Go</button>`))
		must(t, p.Click("button", "Go"))
		must(t, p.Wait(`document.title === "seen"`))
	})
	t.Run("what moves away while it is pressed is clicked where it is then", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<script src=script.js></script><button id=moves>Go</button>`))
		_, err := browser.Eval[bool](p, `(addEventListener("pointerdown", () => {
			document.querySelector("button").style.cssText = "position: absolute; top: 300px; left: 300px";
		}, {capture: true, once: true}), true)`)
		must(t, err)
		must(t, p.Click("button", "Go"))
		must(t, p.Wait(`document.title === "moves"`))
	})
	t.Run("keys arrive with their modifiers", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<script src=script.js></script>`))
		for key, want := range map[string]string{"j": "j", "Control+k": "ctrl k", "Escape": "Escape", "ArrowDown": "ArrowDown"} {
			must(t, p.Press(key))
			if err := p.Wait(fmt.Sprintf("document.title === %q", want)); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
	})
	t.Run("theme, size and clock are those that were asked for", func(t *testing.T) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		p := open(t, b, browser.View{Width: 360, Height: 640, Dark: true, Now: now}, serve(t, ""))
		got, err := browser.Eval[string](p, `[innerWidth, innerHeight, devicePixelRatio, matchMedia("(prefers-color-scheme: dark)").matches,
			new Date().toISOString(), Date.now(), new Date(0).toISOString(), new Date() instanceof Date].join(" ")`)
		must(t, err)
		if want := "360 640 1 true 2026-03-01T12:00:00.000Z 1772366400000 1970-01-01T00:00:00.000Z true"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	})
	t.Run("a page is hidden and shown again", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, ""))
		for range 2 {
			must(t, p.Hide())
			must(t, p.Show())
		}
	})
	t.Run("axe finds what cannot be read", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<main><h1>A page</h1><input></main>`))
		found, err := p.Axe()
		must(t, err)
		if len(found) != 1 || !strings.Contains(found[0], "label") {
			t.Errorf("found %q, want the field without a label alone", found)
		}
	})
	t.Run("axe looks at what has come to rest", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<link rel=stylesheet href=moves.css><main><h1>A page</h1><p>It can be read.</p></main>`))
		found, err := p.Axe()
		must(t, err)
		if len(found) != 0 {
			t.Errorf("found %q in what has not come to rest", found)
		}
	})
	t.Run("text is shown in the installed fonts, code in one of even width", func(t *testing.T) {
		p := open(t, b, browser.View{}, serve(t, `<pre><b>iiii</b> <b>MMMM</b> <b>مرحب</b></pre><p><b>iiii</b> <b>MMMM</b></p>`))
		widths, err := browser.Eval[[]float64](p, `[...document.querySelectorAll("b")].map(e => e.getBoundingClientRect().width)`)
		must(t, err)
		if widths[0] != widths[1] || widths[2] == 0 || widths[3] >= widths[4] {
			t.Errorf("widths are %v: a font is missing", widths)
		}
		picture, err := p.Screenshot(false)
		must(t, err)
		if !strings.HasPrefix(string(picture), "\x89PNG") {
			t.Errorf("no PNG: %.20q", picture)
		}
	})
}

// wait waits for what the browser reports by itself.
func wait(t *testing.T, holds func() bool) {
	t.Helper()
	for limit := time.After(2 * time.Minute); !holds(); {
		select {
		case <-limit:
			t.Fatal("did not come about")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

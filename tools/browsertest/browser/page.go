package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// View is how a page is looked at.
type View struct {
	// Width and Height of the window, in CSS pixels of one device pixel each;
	// 1280 × 800 by default.
	Width, Height int
	// Dark prefers the dark theme.
	Dark bool
	// Zone of the reader, such as "Asia/Kolkata"; UTC by default.
	Zone string
	// Now is what the page's clock shows, all the time; the zero value leaves
	// it the real one.
	Now time.Time
}

// Page is a tab with storage of its own.
type Page struct {
	// ctx ends with the process of the tab, of which nothing would answer any more.
	ctx     context.Context
	crashed context.CancelCauseFunc
	// tab is the same without that.
	tab    context.Context
	cancel context.CancelFunc
	// packages is the folder that axe-core is in.
	packages string

	mu       sync.Mutex
	problems []string
	allowed  [][]string
	requests []Request
}

// Request is one that the page has made.
type Request struct {
	Method, URL string
	// Type is what it is for, as the browser says it: "Document", "Fetch",
	// "EventSource", …
	Type string
}

// limit is how long a page may take for one step. It is there to fail with a
// text rather than to hang: nothing depends on it, on the busiest machine either.
const limit = 5 * time.Minute

// ErrCrashed says that the process of a tab has died; the browser's trouble, or the
// machine's.
var ErrCrashed = errors.New("the tab has crashed: is there room on the disk and in memory?")

// Page opens an empty tab.
func (b *Browser) Page(view View) (*Page, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &Page{tab: ctx, cancel: cancel, packages: b.packages}
	p.ctx, p.crashed = context.WithCancelCause(ctx)
	// The first step, which makes the tab, binds it to its context: that has no limit of its own.
	late := time.AfterFunc(limit, func() { p.crashed(fmt.Errorf("the browser opened no tab within %s", limit)) })
	defer late.Stop()
	if err := p.setUp(view); err != nil {
		err = errors.Join(err, context.Cause(p.ctx))
		cancel()
		return nil, fmt.Errorf("could not open a page: %w", err)
	}
	return p, nil
}

func (p *Page) setUp(view View) error {
	if err := chromedp.Listen(p.ctx, p.observe); err != nil {
		return err
	}
	if err := p.Look(view); err != nil {
		return err
	}
	return errors.Join(
		call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: cmp.Or(view.Zone, "UTC")}),
		call(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}),
		p.Before(violations), p.Before(clock(view.Now)),
	)
}

// Look changes how the page is looked at, but for the clock.
func (p *Page) Look(view View) error {
	scheme := "light"
	if view.Dark {
		scheme = "dark"
	}
	if view.Width == 0 {
		view.Width = 1280
	}
	if view.Height == 0 {
		view.Height = 800
	}
	return errors.Join(
		p.do(chromedp.EmulateViewport(int64(view.Width), int64(view.Height))),
		call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"},
		}}),
	)
}

// Before has a script run in each document that is opened from now on, before
// its own; "" for none.
func (p *Page) Before(script string) error {
	if script == "" {
		return nil
	}
	return call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

func clock(now time.Time) string {
	if now.IsZero() {
		return ""
	}
	return fmt.Sprintf(`(() => {
	const real = Date, now = %d;
	globalThis.Date = class Date extends real {
		constructor(...given) { given.length ? super(...given) : super(now) }
		static now() { return now }
	};
})()`, now.UnixMilli())
}

// WithoutScripts turns the scripts of documents off that are opened from now on.
func (p *Page) WithoutScripts() error {
	return call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Open goes to an address and waits until it is loaded.
func (p *Page) Open(url string) error { return p.do(chromedp.Navigate(url)) }

// Reload loads the page again.
func (p *Page) Reload() error { return p.do(chromedp.Reload()) }

// Back goes back in the tab's history.
func (p *Page) Back() error { return p.do(chromedp.NavigateBack()) }

// URL is where the page is.
func (p *Page) URL() (string, error) { return Eval[string](p, "location.href") }

// Eval evaluates a JavaScript expression in the page, awaits it if it is a
// promise, and decodes its value, which has to be one of JSON.
func Eval[T any](p *Page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("%s: %w", shortened(expression), err)
	}
	return v, nil
}

// Wait waits until a JavaScript expression is true, through navigations too,
// and fails with what the page shows if it never is.
func (p *Page) Wait(expression string) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[chromedp.Void](
			fmt.Sprintf(awaiting, expression), chromedp.EvalAwaitPromise))
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("not true after %s: %s\n%s", limit, expression, p.state())
		}
		if !isNavigation(err) {
			return fmt.Errorf("%s: %w", shortened(expression), err)
		}
	}
}

// awaiting looks at an expression whenever the page changes, and now and then
// for what changes without that: the address, what stands in a field.
const awaiting = `new Promise(resolve => {
	const holds = () => { try { return (%s) } catch { return false } };
	if (holds()) return resolve();
	const look = () => {
		if (!holds()) return;
		observer.disconnect();
		clearInterval(timer);
		resolve();
	};
	const observer = new MutationObserver(look);
	observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
	const timer = setInterval(look, 50);
})`

// isNavigation says that an expression was not evaluated to its end because
// the page went elsewhere meanwhile.
func isNavigation(err error) bool {
	text := err.Error()
	return strings.Contains(text, "navigated or closed") || strings.Contains(text, "context was destroyed") ||
		strings.Contains(text, "Cannot find context")
}

// state says where the page is and what it shows, for an error.
func (p *Page) state() string {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	shown, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
	if err != nil {
		shown = "what it shows cannot be told: " + err.Error()
	}
	if len(shown) > 3000 {
		shown = shown[:3000] + "…"
	}
	return fmt.Sprintf("the page: %s\nits problems: %q", shown, p.Problems())
}

// Screenshot is what the window shows, as PNG; whole: the page from top to end.
func (p *Page) Screenshot(whole bool) ([]byte, error) {
	// Two frames later, what was changed last is drawn.
	if _, err := Eval[bool](p, `document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	if whole {
		return chromedp.Run(ctx, chromedp.FullScreenshot(100))
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}

// Close closes the tab.
func (p *Page) Close() error {
	ctx, cancel := context.WithTimeout(p.tab, limit)
	defer cancel()
	defer p.cancel()
	defer p.crashed(nil)
	return chromedp.Cancel(ctx)
}

func (p *Page) do(step chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return chromedp.Do(ctx, step)
}

func shortened(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

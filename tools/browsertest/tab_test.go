package browsertest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// tab is a page in a test: what fails in it fails the test, and so does, at the
// test's end, each problem that the page had (see browser.Page.Problems) and
// that the test did not allow.
type tab struct {
	*browser.Page
	t    testing.TB
	site *site
}

// open opens an address of the site, relative to its page: "" for the page
// itself, "#/instances/order-1".
func (s *site) open(address string, view browser.View) *tab {
	s.t.Helper()
	p, err := theBrowser(s.t).Page(view)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &tab{Page: p, t: s.t, site: s}
	s.t.Cleanup(func() {
		for _, problem := range p.Problems() {
			if s.expected(problem) {
				continue
			}
			s.t.Errorf("a problem of the page: %s", problem)
		}
		if err := p.Close(); err != nil {
			s.t.Error(err)
		}
	})
	b.must(p.Open(s.url + address))
	return b
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// goTo changes the address behind the #, as a link of the page does, and waits
// until nothing is loading: "#/stuck".
func (b *tab) goTo(address string) {
	b.t.Helper()
	b.moves("location.hash = " + js(address))
}

// moves does what changes the address behind the #, and waits until the view is
// drawn and nothing is loading.
func (b *tab) moves(statement string) {
	b.t.Helper()
	eval[bool](b, `new Promise(done => {
		const before = location.hash;
		// The view's effects have run behind the second picture.
		const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true))));
		addEventListener("hashchange", drawn, {once: true});
		`+statement+`;
		if (location.hash === before && !/back/.test(`+js(statement)+`)) drawn();
	})`)
	b.settled()
}

// settled waits until the page is drawn, knows what its console may do, and has
// nothing that is loading.
func (b *tab) settled() {
	b.t.Helper()
	b.wait(`document.querySelector(".head .place") && document.querySelector("main")?.childElementCount && !document.querySelector(".loading, main [aria-busy=true]")`)
	// The effects of what was drawn have run behind the second picture.
	eval[bool](b, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))")
}

// click clicks what fits the selector and has this text or label; "" for any.
func (b *tab) click(selector, text string) {
	b.t.Helper()
	b.must(b.Click(selector, text))
}

func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.must(b.Press(key))
	}
}

func (b *tab) write(text string) {
	b.t.Helper()
	b.must(b.Type(text))
}

// wait waits until an expression is true.
func (b *tab) wait(expression string) {
	b.t.Helper()
	b.must(b.Wait(expression))
}

// shows waits until the page shows each of the texts.
func (b *tab) shows(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.must(b.Shows(text))
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := browser.Eval[T](b.Page, expression)
	b.must(err)
	return v
}

// text is what the page shows.
func (b *tab) text() string {
	b.t.Helper()
	return eval[string](b, "document.body.innerText")
}

// axe returns what axe-core finds in what is shown, a line each.
func (b *tab) axe() []string {
	b.t.Helper()
	found, err := b.Axe()
	b.must(err)
	for i, f := range found {
		found[i] = strings.ReplaceAll(f, "\n", " ")
	}
	return found
}

// axeFinds fails the test for what axe-core finds in what is shown.
func (b *tab) axeFinds(where string) {
	b.t.Helper()
	for _, found := range b.axe() {
		b.t.Errorf("%s: %s", where, found)
	}
}

// js is a string as JavaScript has it.
func js(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// A name of a stranger that resolves to this machine (DNS rebinding) makes his
// page one of the same origin: the console knows it by the Host alone.
func TestAConsoleIsNotReachedByAnotherHost(t *testing.T) {
	t.Parallel()
	s := serveStill(t)
	s.url = strings.Replace(s.url, "127.0.0.1", "rebound.test", 1)
	b := s.open("api/v1/instances", browser.View{})
	b.Allow("status of 421")
	// The browser's word on plain HTTP to a host that is not this machine's.
	b.Allow("Cross-Origin-Opener-Policy header has been ignored")
	b.shows(`does not accept requests for host`)
	if text := b.text(); strings.Contains(text, "order-") {
		t.Errorf("another host is shown instances: %.200s", text)
	}
	b.must(b.Open(s.url))
	b.shows(`does not accept requests for host`)
}

// What a page of another site can have a browser do, tried: nothing of it is
// answered with what the console shows, and nothing acts.
func TestAPageOfAStrangerNeitherReadsNorActs(t *testing.T) {
	t.Parallel()
	s := serveLive(t)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Stranger</title><link rel=icon href=data:,><iframe name=frame></iframe>")
	}))
	t.Cleanup(stranger.Close)

	p, err := theBrowser(t).Page(browser.View{})
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{Page: p, t: t, site: s}
	t.Cleanup(func() { b.must(p.Close()) })
	b.must(p.Open(strings.Replace(stranger.URL, "127.0.0.1", "stranger.test", 1)))

	action := s.url + "api/v1/instances/" + demo.Waiting + "/cancel"
	refused := 0
	for _, attempt := range []string{
		`fetch(READ, {mode: "no-cors"})`,
		`fetch(READ).then(r => r.text())`,
		`fetch(READ, {mode: "no-cors", credentials: "include"})`,
		`new Promise((done, failed) => { const e = new EventSource(LIVE); e.onopen = done; e.onerror = () => { e.close(); failed() } })`,
		`fetch(ACT, {method: "POST", mode: "no-cors", body: '{"reason":"x"}'})`,
		`fetch(ACT, {method: "POST", headers: {"Turnstile-Action": "1", "Content-Type": "application/json"}, body: "{}"}).then(r => r.text())`,
		`new Promise((done, failed) => { const e = document.createElement("script"); e.src = READ; e.onload = () => done("ran"); e.onerror = failed; document.body.append(e) })`,
		`new Promise((done, failed) => { const f = document.createElement("form"); f.method = "POST"; f.action = ACT; f.target = "frame"; document.body.append(f); document.querySelector("iframe").onload = done; f.submit() })`,
	} {
		mark := s.mark()
		script := strings.NewReplacer("READ", js(s.url+"api/v1/instances"), "LIVE", js(s.url+"api/v1/live"), "ACT", js(action)).Replace(attempt)
		got := eval[string](b, fmt.Sprintf(`(%s).then(v => typeof v === "string" ? v : "sent", () => "refused")`, script))
		if strings.Contains(got, "order-") {
			t.Errorf("%s reads %.100q", attempt, got)
		}
		for _, a := range s.answered(mark) {
			// A preflight (OPTIONS) is answered with that no other site may.
			if a.status != http.StatusForbidden && (a.method != http.MethodOptions || a.status < 400) {
				t.Errorf("%s: %s %s is answered with %d, want %d", attempt, a.method, a.path, a.status, http.StatusForbidden)
			}
			refused++
		}
	}
	if refused < 8 {
		t.Errorf("%d requests have come to the console: the test does not try what it should", refused)
	}
	// The console in a frame could have its buttons clicked.
	eval[bool](b, `new Promise(done => { document.querySelector("iframe").onload = () => done(true); document.querySelector("iframe").src = `+js(s.url)+` })`)
	if got := fmt.Sprint(p.Problems()); !strings.Contains(got, "frame-ancestors") {
		t.Errorf("problems are %s: want that the console refuses to be framed", got)
	}
}

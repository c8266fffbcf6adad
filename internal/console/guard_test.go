package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func TestARequestForAnotherHostIsRefusedForReadsToo(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowHosts("ops.example.com", "10.0.0.7:8443"))
	for _, host := range []string{
		"127.0.0.1", "127.0.0.1:8090", "127.8.8.8", "localhost", "localhost:1", "LOCALHOST", "[::1]:8090", "[::1]", "localhost.",
		"ops.example.com", "ops.example.com:443", "OPS.example.com", "10.0.0.7:8443",
	} {
		if a := b.do("GET", "api/v1/about", nil, "Host", host); a.Code != http.StatusOK {
			t.Errorf("host %q is refused: %s", host, a.Body)
		}
	}
	for _, host := range []string{
		"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:8090", "ops.example.com.evil.example",
		"x.ops.example.com", "10.0.0.7", "10.0.0.7:80", "0.0.0.0", "0.0.0.0:8090", "192.168.0.1", "", "[::ffff:10.0.0.1]", "127.0.0.1@evil.example",
	} {
		for _, path := range []string{"api/v1/about", "api/v1/instances", "", "index.html"} {
			b.do("GET", path, nil, "Host", host).fails(api.CodeHostNotAllowed, "AllowHosts")
		}
	}
}

func TestHostsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"", "https://ops.example.com", "ops.example.com/console", "*", "*.example.com", "a b", "ops.example.com:https", "user@host"} {
		if _, err := console.Handler(w.Client, console.AllowHosts(host)); err == nil || !strings.Contains(err.Error(), "AllowHosts") {
			t.Errorf("AllowHosts(%q): %v", host, err)
		}
	}
	if _, err := console.Handler(nil); err == nil {
		t.Error("a nil client is taken")
	}
}

// posts are the routes that are no GET, with their ids filled in.
func posts(b *bench) (all []console.Route) {
	for _, r := range console.RoutesOf(b.h) {
		if r.Method == http.MethodPost {
			r.Pattern = "api/v1/" + strings.NewReplacer("{id}", demo.Waiting).Replace(r.Pattern)
			all = append(all, r)
		}
	}
	return all
}

func TestWithoutLeaveAConsoleOnlyReads(t *testing.T) {
	t.Parallel()
	b := looking(t)
	seen := 0
	for _, r := range posts(b) {
		if r.Acts {
			seen++
			b.do("POST", r.Pattern, "{}").fails(api.CodeReadOnly, "AllowActions", "--allow-actions")
		}
	}
	if seen < 10 {
		t.Errorf("%d actions were tried", seen)
	}
	if get[api.About](b, "about").Actions {
		t.Error("about says that it acts")
	}
}

func TestWhatAPageOfAnotherSiteCausesIsRefused(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions(), console.AllowHosts("ops.example.com"))
	for _, r := range posts(b) {
		for _, headers := range [][]string{
			{console.ActionHeader, ""},
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "none"},
			{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:8091"}, {"Origin", "http://localhost:8090"},
			{"Origin", "https://evil.example", "Sec-Fetch-Site", ""}, {"Origin", "http://127.0.0.1:8090.evil.example"}, {"Origin", "file://127.0.0.1:8090"},
		} {
			b.do("POST", r.Pattern, "{}", headers...).fails(api.CodeCrossOrigin)
		}
	}
	// Its own page, a program, and its page behind a proxy that rewrites Host.
	for _, headers := range [][]string{{}, {"Origin", "", "Sec-Fetch-Site", ""}, {"Origin", "https://ops.example.com"}} {
		if a := b.do("POST", "api/v1/instances/nobody/wake", "{}", headers...); a.Code != http.StatusNotFound {
			t.Errorf("%v: %s", headers, a.Body)
		}
	}
}

func TestReadsForAPageOfAnotherSiteAreRefusedAndLinksAreNot(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, site := range []string{"cross-site", "same-site"} {
		b.do("GET", "api/v1/counts", nil, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "no-cors").fails(api.CodeCrossOrigin)
		for _, path := range []string{"api/v1/about", "", "index.html"} {
			if a := b.do("GET", path, nil, "Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate"); a.Code != http.StatusOK {
				t.Errorf("a link to %q is refused: %s", path, a.Body)
			}
		}
	}
}

func TestEveryAnswerHasTheHeadersThatKeepABrowserInBounds(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, path := range []string{"", "index.html", "api/v1/about", "api/v1/nothing", "nothing", "api/v1/instances/" + demo.Waiting + "/export"} {
		h := b.do("GET", path, nil).Header()
		csp := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy %q has no %s", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") {
			t.Errorf("%s: the policy is %q", path, csp)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		if strings.HasPrefix(path, "api/") && h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept: %q", path, h.Get("Cache-Control"))
		}
		if len(h["Access-Control-Allow-Origin"]) > 0 {
			t.Errorf("%s: other sites are let in", path)
		}
	}
}

package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func TestTheErrorForAnUnknownPathNamesTheRightOne(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions())
	for _, path := range []string{"api", "api/", "api/v2/about", "api/v1", "api/v1/", "api/v1/nothing", "api/v1/instances/a/b/c", "api/v1/about/", "nothing", "../secret", "page.go", "vendor", "vendor/"} {
		b.do("GET", path, nil).fails(api.CodeNoSuchRoute)
	}
	b.do("DELETE", "api/v1/instances", nil).fails(api.CodeMethodNotAllowed, "GET, POST", "DELETE")
	b.do("POST", "api/v1/about", "{}").fails(api.CodeMethodNotAllowed, "GET")
	b.do("POST", "", "{}").fails(api.CodeMethodNotAllowed)
}

func TestAnyInstanceIDCanStandInAnAddress(t *testing.T) {
	t.Parallel()
	b := looking(t)
	if i := get[api.Instance](b, "instances/"+segment(demo.HostileInstance)); i.Instance != demo.HostileInstance {
		t.Errorf("found is %q", i.Instance)
	}
	for _, id := range []string{"a/b", "..", ".", "~", "~~x", "~..", "a b", "ä/ö?x=1#y", "%2F", "a%b", strings.Repeat("x", 512), `"`, "a&b=c", "+"} {
		b.do("GET", "api/v1/instances/"+segment(id), nil).fails(api.CodeNotFound)
		// The message names it, so that it came as it was sent.
		if e := b.do("GET", "api/v1/instances/"+segment(id), nil).fails(api.CodeNotFound); !strings.Contains(e.Message, strings.Trim(id, `"`)) {
			t.Errorf("%q was read as: %s", id, e.Message)
		}
	}
	for _, id := range []string{"", "a\nb", strings.Repeat("x", 513), "a\u202eb"} {
		b.do("GET", "api/v1/instances/"+segment(id), nil).fails(api.CodeInvalid, "instance id")
	}
}

func TestUnknownParametersAreRefused(t *testing.T) {
	t.Parallel()
	b := looking(t)
	events := "instances/" + demo.Waiting + "/executions/current/events"
	for query, word := range map[string]string{
		"instances?stauts=stuck":            `"stauts"`,
		"instances?status=stuck&status=x":   "2 times",
		"instances?status=ended":            "running",
		"instances?page_size=0":             "1 to 200",
		"instances?page_size=1000":          "1 to 200",
		"instances?page_size=many":          "1 to 200",
		"instances?from=yesterday":          "2026-12-01T09:30:00Z",
		"instances?where=customer":          "expected",
		"about?x=1":                         "takes no parameters",
		events + "?from=0":                  "from",
		events + "?limit=2001":              "limit",
		"live?instance=a&status=stuck":      "either instance or",
		"live?page_token=x":                 "page_token",
		"instances/x/executions/one/events": "", // not there, which is found first
	} {
		a := b.do("GET", "api/v1/"+query, nil)
		if word != "" {
			a.fails(api.CodeInvalid, word)
		}
	}
	b.do("GET", "api/v1/instances?page_token=bm90IG91cnM", nil).fails(api.CodeBadPageToken)
	b.do("GET", "api/v1/instances/"+demo.Waiting+"/executions/one/events", nil).fails(api.CodeInvalid, "current")
}

func TestBodiesThatCannotBeReadSayWhere(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions())
	path := "api/v1/instances/" + demo.Waiting + "/cancel"
	for body, word := range map[string]string{
		"":                       "EOF",
		"{":                      "unexpected EOF",
		`{"raeson":"x"}`:         `"raeson"`,
		`{"reason":1}`:           "reason",
		`{"reason":"x"} trailer`: "data after its JSON value",
		`{"reason":"x"}{}`:       "data after its JSON value",
		`[]`:                     "array",
	} {
		b.do("POST", path, body).fails(api.CodeInvalid, word)
	}
	b.do("POST", path, `{"reason":"`+strings.Repeat("x", 1<<20)+`"}`).fails(api.CodeTooLarge, "1048576 bytes")
	// What a form of another site could send.
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		b.do("POST", path, "{}", "Content-Type", kind).fails(api.CodeInvalid, "Content-Type")
	}
}

func TestItWorksUnderAnyPath(t *testing.T) {
	t.Parallel()
	b := looking(t)
	mux := http.NewServeMux()
	mux.Handle("/ops/turnstile/", http.StripPrefix("/ops/turnstile", b.h))
	mux.Handle("/ops/turnstile", http.StripPrefix("/ops/turnstile", b.h))
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		return w
	}
	if w := ask("/ops/turnstile/api/v1/instances/" + segment(demo.HostileInstance)); w.Code != http.StatusOK {
		t.Errorf("an id with a slash: %d %s", w.Code, w.Body)
	}
	if w := ask("/ops/turnstile/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<title>") {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	// Without the slash relative addresses would lead out of it.
	if w := ask("/ops/turnstile"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "./turnstile/" {
		t.Errorf("without the slash: %d %q", w.Code, w.Header().Get("Location"))
	}
}

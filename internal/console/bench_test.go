package console_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// world is what tests look at, which nobody changes.
var world = sync.OnceValues(func() (*demo.World, error) { return demo.Make(demo.Epoch) })

// bench sends requests to a console. Each answer is held against openapi.json.
type bench struct {
	t *testing.T
	h http.Handler
	// tokens are those that were handed out for signatures.
	tokens chan string
}

// looking is a console of the world.
func looking(t *testing.T, options ...console.Option) *bench {
	t.Helper()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	own, err := w.Options()
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(w.Client, append(own, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, h: h}
}

// answer is what came back.
type answer struct {
	*httptest.ResponseRecorder
	t *testing.T
}

// do sends a request. Of the headers, each a name and a value, an empty value
// leaves one out that it would have.
func (b *bench) do(method, path string, body any, headers ...string) answer {
	b.t.Helper()
	var text []byte
	switch body := body.(type) {
	case nil:
	case string:
		text = []byte(body)
	default:
		var err error
		if text, err = json.Marshal(body); err != nil {
			b.t.Fatal(err)
		}
	}
	r := httptest.NewRequest(method, "http://127.0.0.1:8090/"+path, bytes.NewReader(text))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(console.ActionHeader, "1")
		r.Header.Set("Origin", "http://127.0.0.1:8090")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		switch name, value := headers[i], headers[i+1]; {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, r)
	b.checkAnswer(r, w)
	return answer{w, b.t}
}

// get returns the answer to a GET of the API.
func get[T any](b *bench, path string) T {
	b.t.Helper()
	return into[T](b.do(http.MethodGet, "api/v1/"+path, nil))
}

// post returns the answer to a POST of the API.
func post[T any](b *bench, path string, body any) T {
	b.t.Helper()
	return into[T](b.do(http.MethodPost, "api/v1/"+path, body))
}

func into[T any](a answer) T {
	a.t.Helper()
	var out T
	if a.Code != http.StatusOK {
		a.t.Fatalf("status %d: %s", a.Code, a.Body)
	}
	if err := json.Unmarshal(a.Body.Bytes(), &out); err != nil {
		a.t.Fatalf("%v in %.300s", err, a.Body)
	}
	return out
}

// fails checks that the answer is an error with this code, whose message has the
// words, and returns it.
func (a answer) fails(code api.Code, words ...string) api.Error {
	a.t.Helper()
	var out api.Failed
	if err := json.Unmarshal(a.Body.Bytes(), &out); err != nil {
		a.t.Fatalf("status %d, and no error in %.300s", a.Code, a.Body)
	}
	if out.Error.Code != code || a.Code != console.Statuses[code] {
		a.t.Errorf("code %q with status %d, want %q with %d: %s", out.Error.Code, a.Code, code, console.Statuses[code], a.Body)
	}
	for _, w := range words {
		if !strings.Contains(out.Error.Message+" "+out.Error.Advice, w) {
			a.t.Errorf("%q is not said in %q", w, out.Error.Message+" "+out.Error.Advice)
		}
	}
	return out.Error
}

// segment is a value as a segment of a path.
func segment(s string) string {
	if strings.HasPrefix(s, "~") || s == "." || s == ".." {
		s = "~" + s
	}
	return url.PathEscape(s)
}

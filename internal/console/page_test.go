package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
)

func TestThePageIsServedAndOnlySentAgainWhenItIsAnother(t *testing.T) {
	t.Parallel()
	b := looking(t)
	plain := b.do("GET", "", nil)
	if plain.Code != http.StatusOK || plain.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", plain.Code, plain.Header())
	}
	zipped := b.do("GET", "index.html", nil, "Accept-Encoding", "gzip, br")
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || string(text) != plain.Body.String() || zipped.Header().Get("ETag") == plain.Header().Get("ETag") {
		t.Errorf("compressed it is another: %v", err)
	}
	for _, a := range []answer{plain, zipped} {
		again := b.do("GET", "", nil, "Accept-Encoding", a.Header().Get("Content-Encoding"), "If-None-Match", a.Header().Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("asked for again: %d, %d bytes", again.Code, again.Body.Len())
		}
	}
	if a := b.do("HEAD", "", nil); a.Code != http.StatusOK || a.Body.Len() > 0 {
		t.Errorf("HEAD: %d, %d bytes", a.Code, a.Body.Len())
	}
	// A browser runs a module only if it is called a script.
	for word := range strings.FieldsSeq(plain.Body.String()) {
		if _, rest, ok := strings.Cut(word, `src="`); ok {
			name, _, _ := strings.Cut(rest, `"`)
			if kind := b.do("GET", name, nil).Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/javascript") {
				t.Errorf("%s is %q", name, kind)
			}
		}
	}
}

// A command line makes a handler for its API alone. It does not wait until the page has been
// read and compressed, which takes some hundred times as long and as much memory.
func TestAHandlerDoesNotReadThePageBeforeItIsAskedForIt(t *testing.T) {
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	const most = 500
	if n := testing.AllocsPerRun(3, func() {
		if _, err := console.Handler(w.Client); err != nil {
			t.Fatal(err)
		}
	}); n > most {
		t.Errorf("a handler makes %.0f allocations, at most %d", n, most)
	} else {
		t.Logf("a handler makes %.0f allocations", n)
	}
}

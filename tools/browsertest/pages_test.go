package browsertest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// built is where tools/site/site.sh leaves the site of the users' pages.
const built = "../../.local/site/public"

// The site of the users' pages as its readers see it: wide and on a phone, light and
// dark. Nothing is wider than the screen, the diagram is drawn, the search finds.
func TestTheSiteOfTheUsersPages(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(built, "index.html")); err != nil {
		t.Skip("NOT RUN: needs the site of the users' pages (make site); `make test` builds it and runs this")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(built)))
	t.Cleanup(server.Close)
	s := &site{t: t, url: server.URL + "/"}
	for name, view := range map[string]browser.View{
		"wide":  {Width: 1400, Height: 900},
		"dark":  {Width: 1400, Height: 900, Dark: true},
		"phone": {Width: 390, Height: 800},
	} {
		for _, page := range []string{"index.html", "guide/concepts.html", "settings.html", "api/turnstile.html"} {
			b := s.open(page, view)
			b.wait(`document.querySelector("#search input")`)
			if page == "guide/concepts.html" {
				b.wait(`document.querySelector("pre.mermaid svg")`)
			}
			if wide := eval[float64](b, "document.documentElement.scrollWidth"); wide > float64(view.Width) {
				t.Errorf("%s, %s: the page is %v pixels wide", page, name, wide)
			}
			if open := eval[bool](b, `document.querySelector("details.menu").open`); open != (view.Width > 1000) {
				t.Errorf("%s, %s: the menu is open: %t", page, name, open)
			}
			for _, found := range b.axe() {
				// Markdown has no table without a head.
				if !strings.HasPrefix(found, "empty-table-header") {
					t.Errorf("%s, %s: %s", page, name, found)
				}
			}
		}
		b := s.open("guide/cost.html", view)
		b.wait(`document.querySelector("#search input")`)
		b.click("#search input", "")
		b.write("idempotency key")
		b.wait(`[...document.querySelectorAll("#search a")].some(a => a.getAttribute("href").includes("recipes.html"))`)
	}
}

package browsertest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// act sends an action to the API of the site, as another program would.
func act(t testing.TB, s *site, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"api/v1/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Turnstile-Action", "1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode >= 300 {
		t.Fatalf("%s: %s: %s", path, answer.Status, text)
	}
}

// statusOf is an expression of the status that the API has of an instance… as
// the page shows it in its list or in its head.
func statusOf(id string) string {
	return `document.querySelector("[data-status][data-instance=` + strings.ReplaceAll(js(id), `"`, `\"`) + `]")?.dataset.status`
}

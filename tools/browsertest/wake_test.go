package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// More are stuck for one reason than one request takes: the page sends several, and
// each instance is woken once.
func TestMoreAreWokenThanOneRequestTakes(t *testing.T) {
	t.Parallel()
	const stuck = 560
	s := memorystore.New()
	at := time.Now().Add(-time.Hour).UTC()
	for i := range stuck {
		r := store.Record{Instance: fmt.Sprintf("tenant-%03d", i), ExecutionID: 1, Name: "Migrate", Status: store.StatusStuck, CreatedAt: at, UpdatedAt: at,
			Problem: &store.Problem{Kind: "panic", Message: "boom", EventID: 3}}
		if err := s.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Store: s, Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c, console.AllowActions())
	if err != nil {
		t.Fatal(err)
	}
	served := serve(t, "/", h)
	b := served.open("#/stuck", browser.View{})
	b.settled()
	b.click(`.card[data-kind="panic"] button`, fmt.Sprintf("Wake all %d", stuck))
	mark := served.mark()
	b.click("dialog button", "Wake")
	b.shows(fmt.Sprintf("Wake-up sent to %d instances.", stuck))
	posts := 0
	for _, a := range served.answered(mark) {
		if a.method == "POST" && strings.HasSuffix(a.path, "/wake") {
			posts++
		}
	}
	woken := map[string]int{}
	for _, m := range q.Peek() {
		woken[m.Group]++
	}
	if posts != 2 || len(woken) != stuck || len(q.Peek()) != stuck {
		t.Errorf("%d requests woke %d instances with %d messages; want 2, %d and as many", posts, len(woken), len(q.Peek()), stuck)
	}
}

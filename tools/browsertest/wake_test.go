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
	q, served := serveStuck(t, stuck, func(int) *store.Problem { return &store.Problem{Kind: "panic", Message: "boom", EventID: 3} })
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

// One changed line is one card, whatever the inputs: it shows an example and has the list.
func TestInstancesThatOneLineHasStoppedAreOneCard(t *testing.T) {
	t.Parallel()
	_, served := serveStuck(t, 13, func(i int) *store.Problem {
		input := fmt.Sprintf(`{"tenant":"acme %c"}`, 'a'+i)
		return &store.Problem{Kind: "nondeterminism", EventID: 2, Message: "history and code disagree about " + input, SinceMS: time.Now().UnixMilli(),
			Diff: &store.ProblemDiff{Have: `ActivityScheduled("Copy", input ` + input + `)`, Did: `started ActivityScheduled("Check", input ` + input + `) (name differs)`, At: "migrate.go:41"}}
	})
	for _, view := range []browser.View{{}, {Width: 400, Height: 800, Dark: true}} {
		b := served.open("#/stuck", view)
		b.settled()
		b.shows("For example", "13 instances", "In migrate.go:41")
		if n := eval[int](b, `document.querySelectorAll(".card.group").length`); n != 1 {
			t.Errorf("there are %d cards", n)
		}
		if n := eval[int](b, `document.querySelectorAll(".members li").length`); n != 13 {
			t.Errorf("%d instances are listed", n)
		}
		b.axeFinds("the card")
	}
}

// serveStuck serves the console of so many stuck instances, and returns its queue.
func serveStuck(t *testing.T, n int, problem func(int) *store.Problem) (*memory.Queue, *site) {
	t.Helper()
	s := memorystore.New()
	at := time.Now().Add(-time.Hour).UTC()
	for i := range n {
		r := store.Record{Instance: fmt.Sprintf("tenant-%03d", i), ExecutionID: 1, Name: "Migrate", Status: store.StatusStuck, CreatedAt: at, UpdatedAt: at, Problem: problem(i)}
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
	return q, serve(t, "/", h)
}

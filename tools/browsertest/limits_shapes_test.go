package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/limits/limitstest"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// serveManyLimits serves a console over so many limits of attempts, of which the first is closed, and
// over gates, if there are any: one of a long line, and one that is stuck and has a long key.
func serveManyLimits(t *testing.T, keys int) *site {
	t.Helper()
	activities, instances := memory.NewActivities(time.Now), memory.New()
	q, err := queuememory.New(queuememory.Options{Name: "orchestrator", FIFO: true, Clock: clock.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	startedAt := time.Now().Add(-90 * time.Second)
	for n := range keys {
		key := fmt.Sprintf("customer %04d", n)
		attempt := func(m int) []limits.Who {
			return []limits.Who{{ActivityKey: store.ActivityKey{Instance: fmt.Sprintf("order-%d-%d", n, m), ExecutionID: 1, EventID: 2}, Attempt: 1}}
		}
		l := limitstest.Limit{N: 1, Held: attempt(0), Waiting: attempt(1), Lasts: time.Hour}
		if n == 0 {
			l.Set = limits.Closed
		}
		limitstest.Put(t, activities, key, l, startedAt)
	}
	coordinator := func(key string, status store.Status) {
		line := coordination.State{Key: key, N: 10, Declared: 10, Length: 900}
		for n := range 60 {
			place := coordination.Request{Instance: fmt.Sprintf("import-%s-%d", strings.Repeat("x", 40), n), ExecutionID: 1, EventID: 2, SinceMS: startedAt.UnixMilli()}
			if n < 10 {
				line.Running = append(line.Running, place)
			} else {
				line.Waiting = append(line.Waiting, place)
			}
		}
		shown, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		r := store.Record{Instance: coordination.InstanceID(key), ExecutionID: 1, FirstExecution: 1, Name: coordination.Orchestration, Status: status, CreatedAt: startedAt, UpdatedAt: startedAt, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: shown}})}
		if status == store.StatusStuck {
			r.Problem = &store.Problem{Kind: "panic", Message: "it broke"}
		}
		err = instances.Commit(t.Context(), store.Commit{Record: &store.RecordChange{Create: &r, UpdatedAt: startedAt}, Turns: []store.Turn{{Instance: r.Instance, ExecutionID: 1, Token: "t",
			Events: []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Name: r.Name, AtMS: startedAt.UnixMilli(), Start: &history.Start{ExecutionID: 1}}}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if keys > 0 {
		coordinator("import "+strings.Repeat("of a customer with a long name ", 7), store.StatusStuck)
		coordinator("imports", store.StatusRunning)
	}
	c, err := client.New(client.Config{Store: instances, Activities: activities, Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c, console.AllowActions())
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, "/", h)
}

// What the view of limits shows of none, of a thousand, of closed ones and of long lines fits every
// window, and the longest lines stand first.
func TestLimitsOfEveryShapeAreSeen(t *testing.T) {
	t.Parallel()
	none, many := serveManyLimits(t, 0), serveManyLimits(t, 1000)
	for _, look := range []browser.View{{Width: 1600, Height: 900}, {Width: 400, Height: 800, Dark: true}} {
		b := none.open("#/queues", look)
		b.settled()
		b.shows("Nothing has waited for a limit")
		b.axeFinds("no limits")
		b = many.open("#/queues", look)
		b.settled()
		b.shows("1,002 limits", "imports", "10 of 10 permits held, 900 waiting", "Show the first 50 of 900", "coordinator is stuck", "Show 50 more of 1,002")
		b.axeFinds("many limits")
		if first := eval[string](b, `document.querySelector(".limit h3").textContent`); !strings.HasPrefix(first, "import") {
			t.Errorf("%d px: the first limit is %q, and 900 wait for another", look.Width, first)
		}
		if over := eval[float64](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d px: the page is %v px wider than the window", look.Width, over)
		}
		if gap := eval[float64](b, `(() => { const head = document.querySelector(".limit .view-head").getBoundingClientRect(); return head.right - document.querySelector(".limit .view-head button").getBoundingClientRect().right; })()`); gap > 1 {
			t.Errorf("%d px: the button of a limit stands %v px left of the end of its line", look.Width, gap)
		}
		if n := eval[int](b, `document.querySelectorAll("*").length`); n > 4000 {
			t.Errorf("1,002 limits are %d elements", n)
		}
	}
	b := many.open("#/queues", browser.View{})
	b.settled()
	b.click(".limits .pager button", "Show 50 more of 1,002")
	b.wait(`document.querySelectorAll(".limit").length === 100`)
	b.click(`.limits input[type="search"]`, "")
	b.write("customer 0000")
	b.shows("1 of 1,002 limits", "1 permit held, 1 waiting", "closed, the code declares 1", "Set by ada")
}

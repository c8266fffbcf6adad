package guide_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	prices "github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// What comes for a suspended instance is recorded; the resume delivers all of it, in its order.
// With TURNSTILE_SUSPEND_EVENTS=50000 as many come, more than a history may have by default.
func TestThousandsOfEventsForASuspendedInstanceArriveInTheirOrder(t *testing.T) {
	t.Parallel()
	many := 5000
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_SUSPEND_EVENTS")); err == nil {
		many = n
	}
	var (
		page = turnstile.NewEvent[int]("page")
		book = turnstile.NewOrchestration[int, int]("Book")
	)
	env := turnstiletest.New(t, turnstile.NewApp(book.Implement(func(ctx turnstile.Context, pages int) (int, error) {
		inOrder := 0
		for n := range pages {
			got, err := page.Wait(ctx)
			if err != nil {
				return 0, err
			}
			if got == n {
				inOrder++
			}
		}
		return inOrder, nil
	})), turnstiletest.KeepWarm(), turnstiletest.WithSettings(host.Settings{Limits: host.LimitSettings{Events: 2*many + 10_000}}))
	c := env.Client()
	run := turnstiletest.Start(env, book, many, client.WithInstanceID("b"))
	env.Run()
	if err := c.Suspend(t.Context(), "b", ""); err != nil {
		t.Fatal(err)
	}
	env.Run()
	before, startedAt := env.Bill(), time.Now()
	for n := range many {
		if err := client.Raise(t.Context(), c, page, "b", n); err != nil {
			t.Fatal(err)
		}
	}
	env.Run()
	recorded, resumes := env.Bill(), time.Now()
	if err := c.Resume(t.Context(), "b", ""); err != nil {
		t.Fatal(err)
	}
	got, err := run.Wait()
	after := env.Bill()
	for what, b := range map[string]prices.Bill{"recorded": recorded.Minus(before), "resumed": after.Minus(recorded)} {
		t.Logf("%d events %s: %d requests, %.1f units written, %.1f read, $%.6f", many, what, b.Requests(), b.Of(prices.WriteUnits), b.Of(prices.ReadUnits), b.Dollars())
	}
	t.Logf("recorded in %s, resumed in %s", resumes.Sub(startedAt), time.Since(resumes))
	if err != nil || got != many {
		t.Errorf("%d of %d came in their order, %v", got, many, err)
	}
}

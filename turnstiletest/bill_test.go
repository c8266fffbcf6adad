package turnstiletest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestAScenarioHasABill(t *testing.T) {
	t.Parallel()
	step := turnstile.NewActivity[int, int]("Step")
	flow := turnstile.NewOrchestration[int, int]("Flow")
	env := turnstiletest.New(t, turnstile.NewApp(
		step.Implement(func(_ context.Context, n int) (int, error) { return n + 1, nil }),
		flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			n, err := step.Call(ctx, n)
			if err != nil {
				return 0, err
			}
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return 0, err
			}
			return n, nil
		})), turnstiletest.KeepWarm())
	if _, err := turnstiletest.Start(env, flow, 1).Wait(); err != nil {
		t.Fatal(err)
	}
	got := env.Bill()
	for item, want := range map[bill.Item]float64{
		// The start, the result, and the timer: sent, received, deleted.
		bill.FIFO: 9,
		// The attempt: sent, received, deleted.
		bill.Standard: 3,
		// The fired schedule.
		bill.Schedules: 1,
		// Three turns and an attempt.
		bill.Invocations: 4,
		// The start creates the record and three index entries, in a transaction; the end moves one
		// of them.
		bill.WriteUnits: 2*(1+1+3) + 1 + 2*(1+1+2),
		// The start checks whether the instance exists. An hour later the entry in the process's
		// cache is too old, and the history is read.
		bill.ReadUnits: 2,
	} {
		if n := got.Of(item); n != want {
			t.Errorf("%v %s of %s, want %v", n, item.Unit(), item.Service(), want)
		}
	}
	if got.Dollars() < 1e-5 || got.Dollars() > 1e-4 || got.Requests() < 20 {
		t.Errorf("%d requests, $%f", got.Requests(), got.Dollars())
	}
	if text := got.String(); !strings.Contains(text, "FIFO requests") || !strings.Contains(text, "together") {
		t.Errorf("the bill reads\n%s", text)
	}
	before := got
	if _, err := turnstiletest.Start(env, flow, 2).Wait(); err != nil {
		t.Fatal(err)
	}
	if again := env.Bill().Minus(before); again.Of(bill.FIFO) != 9 || again.Requests() != before.Requests() {
		t.Errorf("the second run cost\n%s, the first\n%s", again, before)
	}
	t.Logf("\n%s", before)
}

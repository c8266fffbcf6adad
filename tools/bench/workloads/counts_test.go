package workloads_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/tools/bench/document"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

var update = flag.Bool("update", false, "write the table of docs/internal/performance.md anew")

// count is what a workload takes on a stack.
type count struct {
	bill            bill.Bill
	turns, messages int
}

// measure runs a workload on a stack of its own.
func measure(t *testing.T, run func(ctx context.Context, s *stack.Stack, agency *workloads.Agency) error) (c count) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		agency := &workloads.Agency{}
		app := workloads.App(agency)
		s := stack.New(t, stack.Setting{}, app.Orchestrations(), app.Activities())
		if err := run(t.Context(), s, agency); err != nil {
			t.Fatal(err)
		}
		c = count{s.Bill(), s.Turns(), s.Messages()}
	})
	return c
}

// pairs are transfers between accounts of their own, as Netherite's Bank has them.
func pairs(n int) []workloads.Movement {
	transfers := make([]workloads.Movement, n)
	for i := range transfers {
		transfers[i] = workloads.Movement{From: 2 * i, To: 2*i + 1, Amount: 10}
	}
	return transfers
}

// What each workload costs, one of it alone and a hundred at once, warm.
func TestTheTableOfWorkloads(t *testing.T) {
	var table strings.Builder
	table.WriteString("| | unit | concurrent | turns | messages | write units | read units | requests | DynamoDB | SQS | Lambda | logs | **per million** |\n")
	table.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, l := range []struct {
		name, unit string
		most       int
		run        func(ctx context.Context, s *stack.Stack, agency *workloads.Agency, n int) error
		// without is what is not counted; nil for nothing.
		without func(ctx context.Context, s *stack.Stack, n int) error
	}{
		{name: "HelloSequence5", unit: "sequence", most: 100, run: func(ctx context.Context, s *stack.Stack, _ *workloads.Agency, n int) error {
			return workloads.Hello(ctx, s.Client, "hello", n)
		}},
		{name: "FanOutFanIn/1000", unit: "fan-out", most: 5, run: func(ctx context.Context, s *stack.Stack, _ *workloads.Agency, n int) error {
			return workloads.FanOut(ctx, s.Client, "fan-out", n, 1000)
		}},
		{name: "Bank", unit: "transfer", most: 100, run: func(ctx context.Context, s *stack.Stack, _ *workloads.Agency, n int) error {
			_, _, err := workloads.Bank(ctx, s.Client, "bank", 2*n, pairs(n))
			return err
		}, without: func(ctx context.Context, s *stack.Stack, n int) error {
			_, _, err := workloads.Bank(ctx, s.Client, "bank", 2*n, nil)
			return err
		}},
		{name: "Trip, booked", unit: "trip", most: 100, run: func(ctx context.Context, s *stack.Stack, agency *workloads.Agency, n int) error {
			return workloads.Trips(ctx, s.Client, agency, "trip", n, "")
		}},
		{name: "Trip, no car available", unit: "trip", most: 100, run: func(ctx context.Context, s *stack.Stack, agency *workloads.Agency, n int) error {
			return workloads.Trips(ctx, s.Client, agency, "trip", n, "car")
		}},
	} {
		for _, n := range []int{1, l.most} {
			c := measure(t, func(ctx context.Context, s *stack.Stack, agency *workloads.Agency) error {
				return l.run(ctx, s, agency, n)
			})
			if l.without != nil {
				rest := measure(t, func(ctx context.Context, s *stack.Stack, _ *workloads.Agency) error { return l.without(ctx, s, n) })
				c = count{c.bill.Minus(rest.bill), c.turns - rest.turns, c.messages - rest.messages}
			}
			of := func(items ...bill.Item) (dollars float64) {
				for _, i := range items {
					dollars += c.bill.Of(i) * i.Price()
				}
				return dollars / float64(n)
			}
			fmt.Fprintf(&table, "| %s | %s | %d | %s | %s | %s | %s | %s | $%.2f | $%.2f | $%.2f | $%.2f | **$%.2f** |\n", l.name, l.unit, n,
				short(c.turns, n), short(c.messages, n), short(c.bill.Of(bill.WriteUnits), n), short(c.bill.Of(bill.ReadUnits), n), short(c.bill.Requests(), n),
				of(bill.WriteUnits, bill.ReadUnits), of(bill.FIFO, bill.Standard), of(bill.Invocations, bill.GBSeconds), of(bill.LogBytes), of(bill.Items()...))
		}
	}
	t.Logf("\n%s", table.String())
	document.HoldAbout(t, "../../../docs/internal/performance.md", "workloads", "go -C tools/bench test ./workloads -update", table.String(), 0.02, *update)
}

// short is a quotient in few digits.
func short[N int | float64](sum N, n int) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(sum)/float64(n)), "0"), ".")
}

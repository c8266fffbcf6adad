package bill

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Bill is what was counted. The zero value is an empty bill.
type Bill struct {
	counts   [itemEnd]float64
	requests int
}

// Of returns the count of an item.
func (b Bill) Of(i Item) float64 { return b.counts[i] }

// Requests returns the number of calls to SQS, DynamoDB and EventBridge Scheduler, however
// each is charged, plus the invocations of functions.
func (b Bill) Requests() int { return b.requests }

// Dollars returns the cost, estimated at list prices (Item.Price).
func (b Bill) Dollars() float64 {
	sum := 0.0
	for i, n := range b.counts {
		sum += n * prices[i] / 1e6
	}
	return sum
}

// Minus returns what was counted since before.
func (b Bill) Minus(before Bill) Bill {
	for i := range b.counts {
		b.counts[i] -= before.counts[i]
	}
	b.requests -= before.requests
	return b
}

// String returns a table with a line for each item whose count is not 0, and the sum.
func (b Bill) String() string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for i, n := range b.counts {
		if n != 0 {
			fmt.Fprintf(w, "%s\t%s\t$%s a million\t$%.9f\t%s\t\n", number(n), names[i].unit, price(prices[i]), n*prices[i]/1e6, names[i].service)
		}
	}
	fmt.Fprintf(w, "%d\trequests\tlist prices\t$%.9f\ttogether\t\n", b.requests, b.Dollars())
	_ = w.Flush()
	return text.String()
}

func number(n float64) string {
	if n == float64(int64(n)) {
		return fmt.Sprintf("%d", int64(n))
	}
	return fmt.Sprintf("%.4f", n)
}

func price(p float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", p), "0"), ".")
}

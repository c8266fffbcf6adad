package views

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// Bill prints the cost of an instance, with a line for each service, and for people also what is
// left out.
func Bill(screen *term.Screen, bill *timeline.Bill) {
	rows := term.NewTable("SERVICE", "COUNT", "$", "FOR")
	for _, l := range bill.Lines {
		rows.Row(term.Text(l.Service), term.Text(number(l.Count)+" "+l.Unit), term.Text(dollars(l.Dollars)), term.Text(l.What))
	}
	rows.Row(term.Styled(term.Bold, "total"), term.Text(""), term.Styled(term.Bold, dollars(bill.Dollars)), term.Text(""))
	rows.Print(screen)
	if !screen.Person {
		return
	}
	if bill.Hypothetical {
		fmt.Fprintln(screen, "\nThis instance runs on one machine, so nothing is charged: this is what it would cost on AWS.")
	}
	if bill.Dollars > 0 {
		fmt.Fprintf(screen, "\nA million instances like this one would cost $%.2f.\n", bill.Dollars*1e6)
	}
	fmt.Fprintln(screen, "\nNot included:")
	for _, left := range bill.LeftOut {
		fmt.Fprintln(screen, "  "+strings.Join(term.Wrap(left, screen.Columns()-2), "\n  "))
	}
}

// number formats a count without trailing zeros.
func number(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
}

// dollars formats an amount that may be small.
func dollars(f float64) string { return strconv.FormatFloat(f, 'f', 9, 64) }

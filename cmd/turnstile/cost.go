package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

func costCommand() *command {
	return &command{
		name: "cost", operands: "INSTANCE", least: 1, most: 1, also: []string{"bill", "price"}, words: firstInstance(),
		short: "estimate what an instance costs on AWS",
		long: paragraph(
			"Estimates from the history the requests of its turns and attempts, as if nothing was",
			"repeated, at list prices of us-east-1, and lists what the history does not show. Children",
			"are not included: ask for each. --output json is the bill of the API."),
		examples: []string{"turnstile cost order-17", "turnstile cost order-17 --output json | jq .dollars"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			executions := flags.Int("executions", 10, "`N` executions, the newest; at most 100")
			return func(ctx context.Context, operands []string) error {
				if *executions < 1 || *executions > maxExecutions {
					return usagef("--executions %d: 1 to %d", *executions, maxExecutions)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				t, err := cl.Timeline(ctx, operands[0], *executions, "")
				if err != nil {
					return err
				}
				if t.Bill == nil {
					return fmt.Errorf("this console does not count costs: it is of another version")
				}
				if c.json() {
					return c.printJSON(t.Bill)
				}
				screen := c.screen(c.out)
				rows := term.NewTable("SERVICE", "COUNT", "$", "FOR")
				for _, l := range t.Bill.Lines {
					rows.Row(term.Text(l.Service), term.Text(number(l.Count)+" "+l.Unit), term.Text(dollars(l.Dollars)), term.Text(l.What))
				}
				rows.Row(term.Styled(term.Bold, "all"), term.Text(""), term.Styled(term.Bold, dollars(t.Bill.Dollars)), term.Text(""))
				rows.Print(screen)
				if !screen.Person {
					return nil
				}
				if t.Bill.Hypothetical {
					fmt.Fprintln(c.out, "\nIt runs on one machine, so nobody is charged: this is what it would cost on AWS.")
				}
				if t.Bill.Dollars > 0 {
					fmt.Fprintf(c.out, "\nA million such instances: $%.2f.\n", t.Bill.Dollars*1e6)
				}
				fmt.Fprintln(c.out, "\nLeft out:")
				for _, left := range t.Bill.LeftOut {
					fmt.Fprintln(c.out, "  "+strings.Join(term.Wrap(left, screen.Columns()-2), "\n  "))
				}
				return nil
			}
		},
	}
}

// number writes a count without zeros behind its point.
func number(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0"), ".")
}

// dollars writes an amount that may be small.
func dollars(f float64) string { return strconv.FormatFloat(f, 'f', 9, 64) }

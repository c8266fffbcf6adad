package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
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
				views.Bill(c.screen(c.out), t.Bill)
				return nil
			}
		},
	}
}

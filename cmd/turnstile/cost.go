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
			"Estimates the requests of the instance's turns and attempts from its history, at us-east-1 list",
			"prices and without redeliveries, and lists the costs that a history does not show. Children are",
			"not included: run cost for each child. --output json prints the bill in the API's format."),
		examples: []string{"turnstile cost order-17", "turnstile cost order-17 --output json | jq .dollars"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			executions := flags.Int("executions", 10, "include the newest `N` executions, at most 100")
			return func(ctx context.Context, operands []string) error {
				if *executions < 1 || *executions > maxExecutions {
					return usagef("--executions %d: must be 1 to %d", *executions, maxExecutions)
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
					return fmt.Errorf("this console does not estimate costs, because it runs a different version of Turnstile")
				}
				return c.show(t.Bill, func() { views.Bill(c.screen(c.out), t.Bill) })
			}
		},
	}
}

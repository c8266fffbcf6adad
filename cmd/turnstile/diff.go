package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
)

func diffCommand() *command {
	return &command{
		name: "diff", operands: "INSTANCE [OTHER]", least: 1, most: 2, also: []string{"compare"}, words: instanceIDs(),
		short: "compare two instances, or two executions of one, operation by operation",
		long: paragraph(
			"Aligns the operations of both by kind and name, and shows the differences: inputs, results,",
			"failures, states, attempts, timers, and operations that only one side has. Consecutive equal",
			"operations are folded into one row. Diff does not compare times, instance ids in errors, or",
			"values that the code read from the clock. With one operand it compares the last two executions,",
			"or those of --executions. It reads both histories. In a pipe, each row is a line: = (equal), ~,",
			"< or >, kind, name, difference, event of each side, label."),
		examples: []string{
			"turnstile diff order-17 order-18",
			"turnstile diff report-nightly --executions 3,4",
			"turnstile diff order-17 order-18 --all",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			executions := flags.String("executions", "", "compare executions `A,B` of the first and second; default the current ones")
			all := flags.Bool("all", false, "show each equal operation in a row of its own")
			return func(ctx context.Context, operands []string) error {
				a, b, err := twoExecutions(*executions)
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				other := operands[0]
				switch {
				case len(operands) > 1:
					other = operands[1]
				case a == 0:
					d, err := cl.Describe(ctx, other)
					if err != nil {
						return err
					}
					kept := slices.Collect(d.Executions())
					if len(kept) < 2 {
						return usagef("%s has only one execution: name another instance to compare it with", other)
					}
					a, b = kept[len(kept)-2], kept[len(kept)-1]
				}
				d, err := cl.Difference(ctx, operands[0], a, other, b, *all)
				if err != nil {
					return err
				}
				return c.show(d, func() { views.Difference(c.screen(c.out), &d) })
			}
		},
	}
}

// twoExecutions parses the numbers of two executions. It returns 0, 0 for an empty text.
func twoExecutions(text string) (a, b int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, two := strings.Cut(text, ",")
	a, errA := strconv.ParseInt(first, 10, 64)
	b, errB := strconv.ParseInt(second, 10, 64)
	if !two || errA != nil || errB != nil || a < 1 || b < 1 {
		return 0, 0, usagef("--executions %s: must be two numbers from 1, such as 3,4", text)
	}
	return a, b, nil
}

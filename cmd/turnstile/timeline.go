package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/picture"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// maxExecutions is how many executions a timeline has at most.
const maxExecutions = 100

func timelineCommand() *command {
	return &command{
		name: "timeline", operands: "[INSTANCE]", most: 1, also: []string{"gantt", "chart", "trace"}, words: firstInstance(),
		short: "draw what an instance did, and when: a row for each operation",
		long: paragraph(
			"Draws the newest execution, or several. Each activity, timer, event and child is a row with",
			"a bar that shows when it waited and ran, and the reason if it failed; ticks are turns. Long",
			"waits are shortened, so that short operations remain visible; the timeline says so. Eight or",
			"more operations of one name that ran side by side share a row: how many ran at a time, how",
			"long they took, what failed, and the slowest. In a pipe, each row is a line: execution,",
			"event, kind, name, state, begin, end, duration, attempt, failure. With --at it is drawn as it",
			"stood after an event.",
			"",
			chosenHelp),
		examples: []string{
			"turnstile timeline order-17",
			"turnstile timeline order-17 --executions 5 --linear",
			"turnstile timeline order-17 --at 12",
			"turnstile timeline order-17 --output json | jq .rows",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			executions := flags.Int("executions", 1, "`N` executions, the newest; at most 100")
			rows := flags.Int("rows", 200, "draw `N` rows of each execution; 0 for all")
			linear := flags.Bool("linear", false, "draw time to scale")
			all := flags.Bool("all", false, "give each operation that ran side by side with others its own row")
			calls := flags.Bool("calls", false, "draw system calls too: times, ids, side effects, patches")
			at := flags.String("at", "", "show it as it stood after `EVENT` of the current execution, or EXECUTION.EVENT")
			var which chosen
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				if err := which.check(c, "timeline", operands); err != nil {
					return err
				}
				switch {
				case *executions < 1 || *executions > maxExecutions:
					return usagef("--executions %d: 1 to %d", *executions, maxExecutions)
				case *rows < 0:
					return usagef("--rows %d: a number of rows, or 0 for all", *rows)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				instance, err := which.instance(ctx, c, cl, operands)
				if err != nil {
					return err
				}
				t, err := cl.Timeline(ctx, instance, *executions, *at)
				if err != nil {
					return err
				}
				if c.json() {
					return c.printJSON(t)
				}
				screen := c.screen(c.out)
				if !screen.Person {
					picture.Rows(screen, &t)
					return nil
				}
				fmt.Fprintf(c.out, "%s\n", screen.In(term.Bold, printable.Line(t.Instance)))
				picture.Draw(screen, &t, picture.Options{Linear: *linear, All: *all, Rows: *rows, Calls: *calls, Span: plain.Span})
				return nil
			}
		},
	}
}

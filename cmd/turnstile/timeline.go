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

// maxExecutions is the largest number of executions in a timeline.
const maxExecutions = 100

func timelineCommand() *command {
	return &command{
		name: "timeline", operands: "[INSTANCE]", most: 1, also: []string{"gantt", "chart", "trace"}, words: firstInstance(),
		short: "draw the timeline of an instance, one row for each operation",
		long: paragraph(
			"Draws the newest execution or several. Each activity, timer, event and child is a row with a bar",
			"for the time that it waited and ran, and the reason if it failed; ticks mark turns. Long waits are",
			"shortened and marked, so that short operations stay visible. Eight or more concurrent operations",
			"with the same name share a row, which shows how many ran at a time, their durations, the failures",
			"and the slowest. In a pipe, each row is a line: execution, event, kind, name, state, start, end,",
			"duration, attempt, failure. --at draws the state after an event.",
			"",
			chosenHelp),
		examples: []string{
			"turnstile timeline order-17",
			"turnstile timeline order-17 --executions 5 --linear",
			"turnstile timeline order-17 --at 12",
			"turnstile timeline order-17 --output json | jq .rows",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			executions := flags.Int("executions", 1, "draw the newest `N` executions, at most 100")
			rows := flags.Int("rows", 200, "draw `N` rows of each execution; 0 for all")
			linear := flags.Bool("linear", false, "draw time to scale")
			all := flags.Bool("all", false, "draw each concurrent operation in a row of its own")
			calls := flags.Bool("calls", false, "also draw system calls: times, ids, side effects, patches")
			at := flags.String("at", "", "draw the state after `EVENT` of the current execution, or after EXECUTION.EVENT")
			var which chosen
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				switch {
				case *executions < 1 || *executions > maxExecutions:
					return usagef("--executions %d: must be 1 to %d", *executions, maxExecutions)
				case *rows < 0:
					return usagef("--rows %d: must be a number of rows, or 0 for all", *rows)
				}
				cl, instance, err := which.open(ctx, c, "timeline", operands)
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

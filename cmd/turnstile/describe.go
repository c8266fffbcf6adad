package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func describeCommand() *command {
	return &command{
		name: "describe", also: []string{"show", "get", "status", "inspect", "info"}, words: firstInstance(), operands: "[INSTANCE]", most: 1,
		short: "show the state of an instance",
		long: paragraph(
			"Shows the instance as of its last committed turn: status, times, search attributes, custom",
			"status, output or failure. A running instance: what it waits for, down to a stuck child, and",
			"the events that no wait has taken, or that a wait rejected, with the reason. A stuck or",
			"corrupt instance: why, where, and what to do.",
			"",
			chosenHelp),
		examples: []string{
			"turnstile describe order-17",
			`turnstile describe --status failed --where 'customer = "c-1"' --since yesterday`,
			"turnstile --local describe order-17 --code",
			"turnstile describe order-17 --output json | jq .problem",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			code := flags.Bool("code", false, "say at which line the code waits; needs the code: --local, or --console of a program that has it")
			var which chosen
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				if err := which.check(c, "describe", operands); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				instance, err := which.instance(ctx, c, cl, operands)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, instance)
				if err != nil {
					return err
				}
				// A history that can't be read is told by the record's problem.
				waiting, unread := cl.Waiting(ctx, instance)
				var where *api.CodeWaits
				if *code {
					w, err := cl.Code(ctx, instance)
					if err != nil {
						return err
					}
					where = &w
				}
				if c.json() {
					out := api.InstanceOf(&d)
					out.Code = where
					out.WaitingFor, out.Untaken = api.PendingOperationsOf(waiting.Open), api.UntakenEventsOf(waiting.Untaken)
					return c.printJSON(out)
				}
				views.Instance(c.out, c.now(), &d, &waiting, keyfile.Advice)
				if where != nil && (len(where.Branches) > 0 || where.Problem != "") {
					fmt.Fprintln(c.out, "\ncode")
					views.CodeWaits(c.out, where)
				}
				if unread != nil && d.Problem == nil {
					fmt.Fprintf(c.err, "what it waits for can't be read: %s\n", plain.Message(unread))
				}
				return nil
			}
		},
	}
}

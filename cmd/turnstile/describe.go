package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func describeCommand() *command {
	return &command{
		name: "describe", also: []string{"show", "get", "status", "inspect", "info"}, words: firstInstance(), operands: "[INSTANCE]", most: 1,
		short: "show the state of an instance",
		long: paragraph(
			"Shows the instance as of its last committed turn: status, times, search attributes, states,",
			"output or failure. For a running instance, it shows pending operations (down to a stuck",
			"child), the actor who paused an activity's queue, unconsumed or rejected events with the",
			"reason, and updates that are not answered. For a stuck or corrupt instance, it shows the cause, the position and what to do.",
			"",
			chosenHelp),
		examples: []string{
			"turnstile describe order-17",
			`turnstile describe --status failed --where 'customer = "c-1"' --since yesterday`,
			"turnstile --local describe order-17 --code",
			"turnstile describe order-17 --output json | jq .problem",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			code := flags.Bool("code", false, "show the line at which the code waits; requires --local, or --console of a program that has the code")
			var which chosen
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				cl, instance, err := which.open(ctx, c, "describe", operands)
				if err != nil {
					return err
				}
				d, err := cl.Describe(ctx, instance)
				if err != nil {
					return err
				}
				// The record's problem already reports a history that can't be read.
				waiting, unread := cl.Pending(ctx, instance)
				var paused []api.PausedQueue
				if !d.Status.Terminal() {
					paused, _ = cl.PausedQueues(ctx) // Without permission to read the pauses, all else is still shown.
				}
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
					out.PendingOperations, out.UnconsumedEvents, out.Updates = api.PendingOperationsOf(waiting.Operations, paused), waiting.UnconsumedEvents, waiting.Updates
					return c.printJSON(out)
				}
				var plan *client.Redriven
				if d.Status == client.StatusFailed {
					// A read-only console does not plan redrives.
					if p, err := acts.Redrive.Call(ctx, cl, instance, client.RedriveRequest{DryRun: true}); err == nil {
						plan = &p
					}
				}
				views.Instance(c.out, c.now(), &d, &waiting, paused, plan, keyfile.Advice)
				if where != nil && (len(where.Branches) > 0 || where.Problem != "") {
					fmt.Fprintln(c.out, "\ncode")
					views.CodeWaits(c.out, where)
				}
				if unread != nil && d.Problem == nil {
					fmt.Fprintf(c.err, "cannot read the pending operations: %s\n", plain.Message(unread))
				}
				return nil
			}
		},
	}
}

package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func purgeCommand() *command {
	return &command{
		name: "purge", also: []string{"rm", "remove", "delete"}, operands: manyInstances, most: -1, words: instanceIDs(),
		short: "delete instances that have ended",
		long: paragraph(
			"Hides the instance immediately, and deletes its histories an hour after it ended or later. This",
			"cannot be undone. The id cannot be reused for 15 days, because messages for the old instance",
			"may still be queued; use another id to start again sooner. If the histories remain because a",
			"scheduled deletion was lost, repeat the purge: it deletes them an hour later. Children and their",
			"inputs are kept unless you pass --children; --dry-run and the result list them.",
			"",
			bulkHelp),
		examples: []string{
			"turnstile purge order-17",
			"turnstile purge order-17 --force",
			"turnstile purge order-17 --dry-run",
			"turnstile purge order-17 --children",
			"turnstile purge --status completed --until 30d --dry-run",
			"turnstile purge --status completed --until 30d --yes any --rate 20",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			ended := []client.Status{client.StatusCompleted, client.StatusFailed, client.StatusCancelled, client.StatusTerminated}
			b := bulk{verb: "purge", on: ended}
			b.do = func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
				if b.left != nil {
					b.left.look(ctx, cl, instance)
				}
				_, err := acts.Purge.Call(ctx, cl, instance, api.Purge{Force: j.Force, Children: j.Children})
				return err
			}
			b.declare(flags)
			c.settings.declareActor(flags)
			flags.BoolVar(&b.force, "force", false, "also purge running instances, after terminating them")
			flags.BoolVar(&b.children, "children", false, "also purge the children and their children, before the instance; detached instances are not children")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				if b.force {
					b.on = allStatuses()
				}
				if !b.children {
					b.left = &leftChildren{}
				}
				if len(operands) > 0 && b.dryRun && !b.given() && b.yes == "" {
					return c.planPurges(ctx, &b, operands)
				}
				return run(ctx, operands)
			}
		},
	}
}

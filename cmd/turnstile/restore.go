package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/restoring"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func restoreCommand() *command {
	return &command{
		name: "restore", most: 0, also: []string{"recover"},
		short: "restore the stack's tables to an earlier time",
		long: paragraph(
			"Restores the history, instances and activities tables to a second in the last 35 days, with",
			"point-in-time recovery. It pauses the stack, restores each table under a temporary name, empties",
			"the queues, replaces the tables by the restored ones, unpauses the stack and wakes all instances",
			"that have not ended. This takes from half an hour to many hours, during which the stack is paused.",
			"",
			"Without --yes it only prints the steps, what is lost and the permissions that it needs. If it is",
			"interrupted, run it again with the same --to: it continues with the next step.",
			"See docs/operations.md."),
		examples: []string{
			"turnstile restore --stack shop --to 2026-11-22T03:00:00Z",
			"turnstile restore --stack shop --to 2026-11-22T03:00:00Z --yes shop",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			to := flags.String("to", "", "`TIME` to restore to, in whole seconds: 2026-01-31T12:00:00Z")
			yes := flags.String("yes", "", "confirm the restore with the `NAME` of the stack")
			return func(ctx context.Context, _ []string) error {
				at, err := time.Parse(time.RFC3339, *to)
				switch {
				case *to == "":
					return usagef("restore needs --to TIME, such as --to 2026-01-31T12:00:00Z")
				case err != nil || !at.Equal(at.Truncate(time.Second)):
					return usagef("--to %q: must be a time in whole seconds like 2026-01-31T12:00:00Z, with which an interrupted restore continues", *to)
				case c.json():
					return usagef("restore prints only text: leave out --output")
				case c.settings.Stack == "":
					return usagef("restore needs --stack NAME")
				case *yes != "" && *yes != c.settings.Stack:
					return usagef("--yes %s, but the stack is %s: nothing was done", *yes, c.settings.Stack)
				}
				return c.restore(ctx, at.UTC(), *yes != "")
			}
		},
	}
}

func (c *cli) restore(ctx context.Context, to time.Time, do bool) error {
	b, ok := c.backend().(interface {
		Cloud(ctx context.Context) (restoring.Cloud, error)
	})
	if !ok {
		return fmt.Errorf("%s is not a stack on AWS: restore a copy of its database; see docs/guide/one-machine.md", c.settings.Where())
	}
	cloud, err := b.Cloud(ctx)
	if err != nil {
		return err
	}
	stack, err := c.backend().Stack(ctx)
	if err != nil {
		return err
	}
	r := &restoring.Restore{Cloud: cloud, Stack: stack, To: to, Wake: c.wakeAll, Notes: c.screen(c.err), Sleep: c.sleep, Now: c.now}
	command := fmt.Sprintf("turnstile%s restore --to %s --yes %s", c.settings.Words(), to.Format(time.RFC3339), c.settings.Stack)
	s, err := r.State(ctx)
	if err != nil {
		return err
	}
	if err := r.Check(ctx, &s); err != nil {
		return err
	}
	if do {
		if err := r.Run(ctx); err != nil {
			return fmt.Errorf("%w\nThe restore is not complete. To continue:\n  %s", err, command)
		}
		fmt.Fprintf(c.err, "restored to %s. Resend the messages that were sent after that time; `turnstile%s doctor` shows stuck and corrupt instances\n", to.Format(time.RFC3339), c.settings.Words())
		return nil
	}
	fmt.Fprintf(c.out, "A restore of stack %s to %s:\n", c.settings.Stack, to.Format(time.RFC3339))
	for n, step := range r.Plan(&s) {
		fmt.Fprintf(c.out, "  %d. %s\n", n+1, step)
	}
	fmt.Fprintf(c.out, "\n%s\n\n%s\n\nNothing was done. To restore:\n  %s\n", strings.TrimRight(restoreLoses, "\n"), strings.TrimRight(restoreRights, "\n"), command)
	return nil
}

// restoreLoses describes what a restore loses.
const restoreLoses = `What is lost:
  - all changes of instances after that time: starts, results, events, cancels. Resend the ones that matter. Instances
    repeat their later work, and activities run again with the same idempotency keys; an at-most-once activity that
    started after that time runs a second time.
  - all messages in the queues named above, including those from before that time.
What is kept: completion tokens and timers of operations that were pending at that time; dead letters; the keys of
tokens; messages that are sent after step 3, while the stack is paused.
`

// restoreRights lists the permissions that the caller needs.
const restoreRights = `It requires the policy in the stack output OperatePolicyArn and these permissions:
  on the three tables: dynamodb:DescribeTable, DescribeContinuousBackups, RestoreTableToPointInTime, UpdateTable,
    DeleteTable, UpdateContinuousBackups, DescribeTimeToLive, UpdateTimeToLive
  on the three tables and on TABLE-restored-*: dynamodb:DescribeTable, CreateBackup, DeleteTable, RestoreTableFromBackup,
    BatchWriteItem, GetItem, PutItem, UpdateItem, DeleteItem, Query, Scan
  on their backups: dynamodb:RestoreTableFromBackup, DeleteBackup; on all: dynamodb:ListBackups
  on the queues named above: sqs:PurgeQueue
  with a customer key: kms:Decrypt, kms:GenerateDataKey, kms:DescribeKey, kms:CreateGrant
`

// wakeAll wakes all instances that have not ended. Each resends its pending operations.
func (c *cli) wakeAll(ctx context.Context) error {
	cl, err := c.client(ctx)
	if err != nil {
		return err
	}
	place, err := c.backend().Place(ctx)
	if err != nil {
		return err
	}
	b := bulk{verb: "wake", on: notEnded, yes: "any", rate: batchRate,
		do: func(ctx context.Context, cl backend.Instances, _ *batch.Job, instance string) error {
			_, err := acts.Wake.Call(ctx, cl, instance, api.Nothing{})
			return err
		}}
	r := bulkRun{cli: c, Instances: cl, bulk: &b, folder: c.batches(), place: place}
	return r.begin(ctx)
}

package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func wakeCommand() *command {
	return &command{
		name: "wake", also: []string{"retry", "unstick", "kick"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusStuck, client.StatusCorrupt, client.StatusRunning),
		short: "let stuck instances try again, and send again what instances have open",
		long: paragraph(
			"A stuck instance tries again at once; without wake it does so within the hour. An instance",
			"that waits for a lost message sends again all that it has open: activities, timers,",
			"children. This is harmless, but an activity that is running may run twice. An instance",
			"that has ended sends its end again to its parent.",
			"",
			bulkHelp,
			"Without --status, wake selects stuck and corrupt instances."),
		examples: []string{
			"turnstile wake order-17",
			"turnstile wake --status stuck --name Fulfil --problem nondeterminism",
			`turnstile wake --where 'customer = "c-1"' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "wake", on: []client.Status{client.StatusStuck, client.StatusCorrupt},
				do: func(ctx context.Context, cl backend.Instances, _ *batch.Job, instance string) error {
					return cl.Wake(ctx, instance)
				}}
			b.declare(flags)
			flags.StringVar(&b.problem, "problem", "", "only instances stuck for this `KIND` of problem, such as nondeterminism, panic, not_registered")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				if b.status == string(client.StatusRunning) {
					b.on = append(b.on, client.StatusRunning)
				}
				return run(ctx, operands)
			}
		},
	}
}

func cancelCommand() *command {
	return &command{
		name: "cancel", also: []string{"stop", "abort"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(notEnded...),
		short: "ask instances to stop; their code decides how",
		long: paragraph(
			"Every operation that the instance waits for returns a CancelledError, and its code can",
			"still clean up. The cancel reaches children and running activities. Only the first cancel",
			"counts. Use terminate for an instance that cannot run its code.",
			"",
			bulkHelp),
		examples: []string{
			`turnstile cancel order-17 --reason 'customer called'`,
			`turnstile cancel --where 'customer = "c-1"' --since 7d --reason 'account closed'`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "cancel", on: []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusCorrupt},
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					return cl.Cancel(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			c.settings.declareActor(flags)
			return b.action(c)
		},
	}
}

func terminateCommand() *command {
	return &command{
		name: "terminate", also: []string{"kill", "end"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(notEnded...),
		short: "end instances without running their code",
		long: paragraph(
			"Ends the instance at once, even if it is stuck. Its code does not run, so nothing is",
			"compensated. The terminate reaches children and running activities. A corrupt instance",
			"cannot be terminated: use purge --force.",
			"",
			bulkHelp),
		examples: []string{
			`turnstile terminate order-17 --reason 'see incident 12'`,
			`turnstile terminate --status stuck --name Fulfil --until 30d --reason 'given up' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "terminate", on: []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued},
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					return cl.Terminate(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			c.settings.declareActor(flags)
			return b.action(c)
		},
	}
}

func purgeCommand() *command {
	return &command{
		name: "purge", also: []string{"rm", "remove", "delete"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(),
		short: "remove instances that have ended",
		long: paragraph(
			"Hides the instance at once and deletes its histories an hour after its end or later. This",
			"cannot be undone. The id refuses every start for 15 days, because messages for the old",
			"instance may still be queued; to start again at once, choose another id. Repeat the purge",
			"if a lost schedule has left the histories: they are deleted an hour later.",
			"",
			bulkHelp),
		examples: []string{
			"turnstile purge order-17",
			"turnstile purge order-17 --force",
			"turnstile purge order-17 --children",
			"turnstile purge --status completed --until 30d --dry-run",
			"turnstile purge --status completed --until 30d --yes any --rate 20",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			ended := []client.Status{client.StatusCompleted, client.StatusFailed, client.StatusCancelled, client.StatusTerminated}
			b := bulk{verb: "purge", on: ended,
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					return cl.Purge(ctx, instance, api.Purge{Force: j.Force, Children: j.Children})
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			flags.BoolVar(&b.force, "force", false, "purge running instances too: terminate them first")
			flags.BoolVar(&b.children, "children", false, "purge the children first, and their children; detached instances are not children")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				if b.force {
					b.on = allStatuses()
				}
				return run(ctx, operands)
			}
		},
	}
}

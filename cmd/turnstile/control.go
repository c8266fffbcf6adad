package main

import (
	"context"
	"errors"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func wakeCommand() *command {
	return &command{
		name: "wake", also: []string{"retry", "unstick", "kick"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusStuck, client.StatusCorrupt, client.StatusRunning),
		short: "let instances try again, and send again what they have open",
		long: paragraph(
			"For an instance that was stuck and whose code is right now: it would try again by",
			"itself, within the hour. For one that waits for something that was lost: all that it",
			"has open (activities, timers, children) is sent again, which is harmless.",
			"",
			bulkHelp,
			"Without --status those are meant that are stuck or corrupt."),
		examples: []string{
			"turnstile wake order-17",
			"turnstile wake --status stuck --name Fulfil --problem nondeterminism",
			`turnstile wake --where 'customer = "c-1"' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "wake", on: []client.Status{client.StatusStuck, client.StatusCorrupt},
				do: func(ctx context.Context, cl instances, _ *batch.Job, instance string) error {
					return cl.Wake(ctx, instance)
				}}
			b.declare(flags)
			flags.StringVar(&b.problem, "problem", "", "only those that are stuck for a problem of this `KIND`, such as nondeterminism, panic, not_registered")
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
			"What the instance waits for returns an error that says it was cancelled, and its code",
			"can still clean up. It reaches children and running activities. Only the first cancel",
			"counts. For an instance that cannot run its code there is terminate.",
			"",
			bulkHelp),
		examples: []string{
			`turnstile cancel order-17 --reason 'customer called'`,
			`turnstile cancel --where 'customer = "c-1"' --since 7d --reason 'account closed'`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "cancel", on: []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusCorrupt},
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
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
			"Ends the instance at once, a stuck one too; nothing of its code runs, so nothing is",
			"compensated. It reaches children and running activities. One whose history is",
			"corrupt has no history to end: purge it with --force.",
			"",
			bulkHelp),
		examples: []string{
			`turnstile terminate order-17 --reason 'see incident 12'`,
			`turnstile terminate --status stuck --name Fulfil --until 30d --reason 'given up' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "terminate", on: []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled},
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
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
			"Hides the instance at once and deletes its histories no sooner than an hour after its",
			"end. This cannot be undone. The id refuses every start for 15 days, longer than any",
			"message for the instance lives; to begin anew at once, choose another id. Of an",
			"instance that is purged already, the histories are deleted an hour from now, where",
			"a lost schedule has left them.",
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
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
					return cl.Purge(ctx, instance, api.Purge{Force: j.Force, Children: j.Children})
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			flags.BoolVar(&b.force, "force", false, "take running instances too: they are terminated first")
			flags.BoolVar(&b.children, "children", false, "take the children of each first, and theirs; detached instances are none")
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

// each does something to each of the instances that are named; one that fails does
// not keep it from the others.
func (c *cli) each(ctx context.Context, cl instances, b *bulk, named []string) error {
	var failed []error
	j := batch.Job{Verb: b.verb, Reason: b.reason, Force: b.force, Children: b.children}
	for _, instance := range named {
		err := b.do(ctx, cl, &j, instance)
		switch {
		case errors.Is(err, client.ErrNoRecord):
			fmt.Fprintf(c.err, "sent: %s for %s, which has no record yet: it counts only if a start is queued\n", b.verb, printable.Line(instance))
		case err != nil:
			failed = append(failed, err)
		default:
			fmt.Fprintf(c.err, "sent: %s for %s\n", b.verb, printable.Line(instance))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

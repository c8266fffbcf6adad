package main

import (
	"context"
	"errors"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
)

func wakeCommand() *command {
	return &command{
		name: "wake", also: []string{"retry", "unstick", "kick"}, operands: "INSTANCE…", least: 1, most: -1, words: instanceIDs(client.StatusStuck, client.StatusCorrupt, client.StatusRunning),
		short: "let instances try again, and send again what they have open",
		long: paragraph(
			"For an instance that was stuck and whose code is right now: it would try again by",
			"itself, within the hour. For one that waits for something that was lost: all that it",
			"has open (activities, timers, children) is sent again, which is harmless."),
		examples: []string{
			"turnstile wake order-17",
			"turnstile list --status stuck --ids | xargs turnstile wake",
		},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return c.each("wake", func(ctx context.Context, cl instances, instance string) error {
				return cl.Wake(ctx, instance)
			})
		},
	}
}

func cancelCommand() *command {
	return &command{
		name: "cancel", also: []string{"stop", "abort"}, operands: "INSTANCE…", least: 1, most: -1, words: instanceIDs(notEnded...),
		short: "ask instances to stop; their code decides how",
		long: paragraph(
			"What the instance waits for returns an error that says it was cancelled, and its code",
			"can still clean up. It reaches children and running activities. Only the first cancel",
			"counts. For an instance that cannot run its code there is terminate."),
		examples: []string{`turnstile cancel order-17 --reason 'customer called'`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			reason := flags.String("reason", "", "`TEXT` for the history")
			return c.each("cancel", func(ctx context.Context, cl instances, instance string) error {
				return cl.Cancel(ctx, instance, *reason)
			})
		},
	}
}

func terminateCommand() *command {
	return &command{
		name: "terminate", also: []string{"kill", "end"}, operands: "INSTANCE…", least: 1, most: -1, words: instanceIDs(notEnded...),
		short: "end instances without running their code",
		long: paragraph(
			"Ends the instance at once, a stuck one too; nothing of its code runs, so nothing is",
			"compensated. It reaches children and running activities. One whose history is",
			"corrupt has no history to end: purge it with --force."),
		examples: []string{`turnstile terminate order-17 --reason 'see incident 12'`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			reason := flags.String("reason", "", "`TEXT` for the history")
			return c.each("terminate", func(ctx context.Context, cl instances, instance string) error {
				return cl.Terminate(ctx, instance, *reason)
			})
		},
	}
}

func purgeCommand() *command {
	return &command{
		name: "purge", also: []string{"rm", "remove", "delete"}, operands: "INSTANCE…", least: 1, most: -1, words: instanceIDs(),
		short: "remove instances that have ended",
		long: paragraph(
			"Hides the instance at once and deletes its histories no sooner than an hour after its",
			"end. What stays is a tombstone, by which late messages are recognised. The id can be",
			"started again. This cannot be undone."),
		examples: []string{
			"turnstile purge order-17",
			"turnstile purge order-17 --force",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			force := flags.Bool("force", false, "take running instances too: they are terminated first")
			return c.each("purge", func(ctx context.Context, cl instances, instance string) error {
				return cl.Purge(ctx, instance, *force)
			})
		},
	}
}

// each does something to each of the instances; one that fails does not keep
// it from the others.
func (c *cli) each(what string, do func(context.Context, instances, string) error) action {
	return func(ctx context.Context, instances []string) error {
		cl, err := c.client(ctx)
		if err != nil {
			return err
		}
		var failed []error
		for _, instance := range instances {
			err := do(ctx, cl, instance)
			switch {
			case errors.Is(err, client.ErrNoRecord):
				fmt.Fprintf(c.err, "sent: %s for %s, which has no record yet: it counts only if a start is queued\n", what, printable(instance))
			case err != nil:
				failed = append(failed, err)
			default:
				fmt.Fprintf(c.err, "sent: %s for %s\n", what, printable(instance))
			}
			if ctx.Err() != nil {
				break
			}
		}
		return errors.Join(failed...)
	}
}

package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
)

func suspendCommand() *command {
	return &command{
		name: "suspend", also: []string{"hold", "freeze"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusRunning, client.StatusStuck),
		short: "have instances run no code until they are resumed",
		long: paragraph(
			"What comes for a suspended instance is recorded, and its code takes it in its order when",
			"it is resumed. Activities that were begun go on, and so do their retries; timers fire",
			"and are recorded. Terminate ends it at once, and a cancel takes effect at the resume.",
			"To stop a whole stack there is pause.",
			"",
			bulkHelp,
			"Without --status those are meant that run or are stuck."),
		examples: []string{
			`turnstile suspend order-17 --reason 'the customer asked us to wait'`,
			`turnstile suspend --name Transfer --where 'bank = "b-1"' --reason 'the bank is down' --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "suspend", on: []client.Status{client.StatusRunning, client.StatusStuck},
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
					return cl.Suspend(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history, and for who looks at the instance")
			c.settings.declareActor(flags)
			return b.action(c)
		},
	}
}

func resumeCommand() *command {
	return &command{
		name: "resume", also: []string{"unsuspend", "release", "continue"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(client.StatusSuspended),
		short: "let suspended instances go on",
		long: paragraph(
			"The code of the instance takes what came while it was suspended, in its order. One",
			"resume ends every suspend before it. A stack that is paused goes on with unpause.",
			"",
			bulkHelp,
			"Without --status those are meant that are suspended."),
		examples: []string{
			"turnstile resume order-17",
			`turnstile resume --where 'bank = "b-1"' --rate 10 --dry-run`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			b := bulk{verb: "resume", on: []client.Status{client.StatusSuspended},
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
					return cl.Resume(ctx, instance, j.Reason)
				}}
			b.declare(flags)
			flags.StringVar(&b.reason, "reason", "", "`TEXT` for the history")
			c.settings.declareActor(flags)
			return b.action(c)
		},
	}
}

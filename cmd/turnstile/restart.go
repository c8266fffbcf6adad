package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/internal/console/acts"
)

// ended lists the statuses of ended instances.
var ended = []client.Status{client.StatusFailed, client.StatusTerminated, client.StatusCancelled, client.StatusCompleted}

func restartCommand() *command {
	return &command{
		name: "restart", also: []string{"rerun", "again"}, operands: manyInstances, most: -1, words: instanceIDs(ended...),
		short: "restart ended instances from the beginning",
		long: paragraph(
			"The instance starts its next execution from the beginning, under the same id, with the input (or",
			"--input), headers and search attributes of its last execution. Completed operations run again. A",
			"parent that waited for the instance already has the earlier result; it is not notified again.",
			"Earlier histories are kept until a purge.",
			"",
			bulkHelp,
			"Without --status, restart selects failed instances. --resume does not restart an instance twice."),
		examples: []string{
			"turnstile restart order-17",
			`turnstile restart order-17 --input '{"id":"order-17","lane":2}'`,
			"turnstile restart --status failed --name Fulfil --since 1d --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.RestartRequest
			b := bulk{verb: "restart", on: ended[:1], alsoOn: ended[1:],
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					one := r
					if j.ID != "" {
						one.DeduplicationID, one.Version = j.ID, j.Version
					}
					_, err := acts.Restart.Call(ctx, cl, instance, one)
					return err
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			var check checks
			check.declare(flags)
			input := flags.String("input", "", "input as `JSON`, @FILE, or - for standard input; default each instance's last input")
			flags.StringVar(&r.Version, "version", "", "`VERSION` of the orchestration; default the newest deployed version")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				var err error
				if r.Input, err = c.readPayload("--input", *input); err != nil {
					return err
				}
				if b.resume != "" && (*input != "" || r.Version != "") || len(operands) == 0 && *input != "" {
					return usagef("--input needs INSTANCE…, and --resume cannot be combined with --input or --version")
				}
				b.version = r.Version
				if *input != "" {
					cl, err := c.client(ctx)
					if err != nil {
						return err
					}
					check.restart(ctx, cl, &r, operands)
					if err := check.passed(c); err != nil {
						return err
					}
				}
				return run(ctx, operands)
			}
		},
	}
}

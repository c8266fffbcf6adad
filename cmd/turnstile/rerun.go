package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
)

// ended are the statuses of instances that have ended.
var ended = []client.Status{client.StatusFailed, client.StatusTerminated, client.StatusCancelled, client.StatusCompleted}

func rerunCommand() *command {
	return &command{
		name: "rerun", also: []string{"restart", "again"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(ended...),
		short: "start ended instances again from the beginning",
		long: paragraph(
			"The instance begins its next execution from the beginning, under its id, with the input,",
			"headers and search attributes of its last execution, or with --input. Completed operations",
			"run again. A parent that waited for it has its outcome already, and gets no other. Earlier",
			"histories stay until a purge.",
			"",
			bulkHelp,
			"Without --status, rerun selects failed instances. --resume begins no",
			"instance twice."),
		examples: []string{
			"turnstile rerun order-17",
			`turnstile rerun order-17 --input '{"id":"order-17","lane":2}'`,
			"turnstile rerun --status failed --name Fulfil --since 1d --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.RerunRequest
			b := bulk{verb: "rerun", on: ended[:1],
				do: func(ctx context.Context, cl backend.Instances, j *batch.Job, instance string) error {
					one := r
					if one.Instance = instance; j.ID != "" {
						one.DeduplicationID, one.Version = j.ID, j.Version
					}
					_, err := cl.Rerun(ctx, one)
					return err
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			input := flags.String("input", "", "input `JSON`, @FILE, or - for standard input; default the last input of each")
			flags.StringVar(&r.Version, "version", "", "`VERSION` of the orchestration; default the newest that is deployed")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				var err error
				if r.Input, err = c.readPayload("input", *input); err != nil {
					return err
				}
				if b.resume != "" && (*input != "" || r.Version != "") || len(operands) == 0 && *input != "" {
					return usagef("--input needs INSTANCE…, and --resume keeps the --version of its selection: leave them out")
				}
				if b.status != "" {
					b.on = ended
				}
				b.version = r.Version
				if *input != "" {
					c.warnOfRerun(ctx, &r, operands)
				}
				return run(ctx, operands)
			}
		},
	}
}

package main

import (
	"context"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
)

// ended are the statuses of instances that have ended.
var ended = []client.Status{client.StatusFailed, client.StatusTerminated, client.StatusCancelled, client.StatusCompleted}

func rerunCommand() *command {
	return &command{
		name: "rerun", also: []string{"restart", "again"}, operands: "[INSTANCE…]", most: -1, words: instanceIDs(ended...),
		short: "have instances that have ended begin again",
		long: paragraph(
			"The instance begins its next execution from the beginning, under its id: with the",
			"input, headers and search attributes that its last execution began with, or with",
			"--input. What was completed runs again. A parent that waited for it has been told how",
			"it ended, and is told nothing more. The histories before stay; a purge removes all.",
			"",
			bulkHelp,
			"Without --status those are meant that have failed. What was interrupted begins no",
			"instance twice when it goes on."),
		examples: []string{
			"turnstile rerun order-17",
			`turnstile rerun order-17 --input '{"id":"order-17","lane":2}'`,
			"turnstile rerun --status failed --name Fulfil --since 1d --dry-run",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var r client.RerunRequest
			b := bulk{verb: "rerun", on: ended[:1],
				do: func(ctx context.Context, cl instances, j *batch.Job, instance string) error {
					one := r
					if one.Instance = instance; j.ID != "" {
						one.DeduplicationID = j.ID
					}
					_, err := cl.Rerun(ctx, one)
					return err
				}}
			b.declare(flags)
			c.settings.declareActor(flags)
			input := flags.String("input", "", "`JSON` that they begin with, @FILE, or - for standard input; default what each began with last")
			flags.StringVar(&r.Version, "version", "", "`VERSION` of the orchestration; default the newest that is deployed")
			run := b.action(c)
			return func(ctx context.Context, operands []string) error {
				var err error
				if r.Input, err = c.readPayload("input", *input); err != nil {
					return err
				}
				if b.resume != "" && (*input != "" || r.Version != "") || len(operands) == 0 && *input != "" {
					return usagef("--input is for instances that are named, and --version is not given again with --resume: rerun those of one version together")
				}
				if b.status != "" {
					b.on = ended
				}
				return run(ctx, operands)
			}
		},
	}
}

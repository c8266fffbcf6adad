package main

import (
	"context"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/follow"
)

func watchCommand() *command {
	return &command{
		name: "watch", operands: "INSTANCE", least: 1, most: 1, also: []string{"follow", "tail", "attach"}, words: firstInstance(notEnded...),
		short: "follow an instance turn by turn until it has ended",
		long: paragraph(
			"Prints each committed turn: the incoming events, and the operations that the code then scheduled.",
			"It also prints when and why the instance gets stuck, and when it continues. It starts with the",
			"current execution (with --new, at the next turn) and follows continue-as-new. It waits for an",
			"instance that does not exist yet. It ends when the instance ends, with the exit status of wait;",
			"Ctrl-C ends only the command. Each poll reads the record, and the history if it may have grown."),
		examples: []string{"turnstile watch order-17", "turnstile watch order-17 --new --every 5s", "turnstile watch order-17 --output json | jq .kind"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var f follow.Follower
			var timeout time.Duration
			flags.DurationVar(&f.Every, "every", time.Second, "`TIME` between two reads, at least 200ms")
			flags.DurationVar(&timeout, "timeout", 0, "stop after this `TIME`; default never")
			flags.BoolVar(&f.OnlyNew, "new", false, "omit turns that are already committed")
			return func(ctx context.Context, operands []string) error {
				if f.Every < 200*time.Millisecond {
					return usagef("--every %s: must be at least 200ms", f.Every)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				ctx, cancel := bound(ctx, timeout)
				defer cancel()
				f.Instances, f.Instance, f.Out, f.Notes, f.Sleep, f.Now = cl, operands[0], c.screen(c.out), c.err, c.sleep, c.now
				if c.json() {
					f.Line = c.printLine
				}
				d, err := f.Run(ctx)
				if err == nil && d.Status != client.StatusCompleted {
					err = badEndError{endedBadly(&d)}
				}
				return err
			}
		},
	}
}

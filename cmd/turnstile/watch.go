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
		short: "show an instance at work, turn by turn, until it has ended",
		long: paragraph(
			"Shows each turn as it is committed: what arrived, and what the code then asked for. Shows",
			"when the instance gets stuck, and why, and when it goes on. It begins with the current",
			"execution (--new: with the next turn), follows continue-as-new, waits for an instance that",
			"has no record yet, and ends with the instance and the exit status of wait. Ctrl-C ends only",
			"the command. It polls: each time it reads the record, and the history if that may have grown."),
		examples: []string{"turnstile watch order-17", "turnstile watch order-17 --new --every 5s", "turnstile watch order-17 --output json | jq .kind"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var f follow.Follower
			var timeout time.Duration
			flags.DurationVar(&f.Every, "every", time.Second, "the `TIME` between two reads, 200ms or more")
			flags.DurationVar(&timeout, "timeout", 0, "give up after this `TIME`; default never")
			flags.BoolVar(&f.OnlyNew, "new", false, "leave out what has happened so far")
			return func(ctx context.Context, operands []string) error {
				if f.Every < 200*time.Millisecond {
					return usagef("--every %s: at least 200ms", f.Every)
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

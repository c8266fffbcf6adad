package main

import (
	"context"
	"fmt"
	"strconv"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func fireCommand() *command {
	return &command{
		name: "fire", also: []string{"skip", "timer"}, operands: "INSTANCE EVENT", least: 2, most: 2, words: firstInstance(client.StatusRunning, client.StatusStuck, client.StatusSuspended),
		short: "fire a timer before it is due",
		long: paragraph(
			"EVENT is the number of the timer's event; describe and timeline show it. A sleep returns, a",
			"wait with a timeout runs out. The history says that the timer was fired early. The clock of",
			"the instance does not move."),
		examples: []string{"turnstile fire order-17 12 --dry-run", `turnstile fire order-17 12 --reason 'the customer has paid by phone'`},
		declare: func(c *cli, flags *flag.FlagSet) action {
			reason := flags.String("reason", "", "`TEXT` for the history")
			dryRun := flags.Bool("dry-run", false, "send nothing, and say when the timer is due")
			c.settings.declareActor(flags)
			return func(ctx context.Context, operands []string) error {
				event, err := eventNumber(operands[1])
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				of := fmt.Sprintf("timer %d of %s", event, printable.Line(operands[0]))
				if *dryRun {
					timer, err := cl.OpenTimer(ctx, operands[0], event)
					if err == nil {
						fmt.Fprintf(c.out, "dry run: %s would fire now; it is due %s\n", of, plain.Moment(timer.DueAt))
					}
					return err
				}
				if err := cl.FireTimer(ctx, operands[0], event, *reason); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: %s fires now\n", of)
				return nil
			}
		},
	}
}

// eventNumber reads the number of an event.
func eventNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0, usagef("%q is not the number of an event: give a number from 1, as describe or timeline show it", s)
	}
	return n, nil
}

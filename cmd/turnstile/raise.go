package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
)

func raiseCommand() *command {
	return &command{
		name: "raise", also: []string{"signal", "event", "send"}, words: firstInstance(notEnded...), operands: "INSTANCE EVENT", least: 2, most: 2,
		short: "raise an external event for an instance",
		long: paragraph(
			"Sends the event. One for an instance that has not started waits for it a quarter of",
			"an hour by default, then it is a dead letter. One for an instance that has ended has",
			"no effect. Names of events are case-sensitive."),
		examples: []string{
			`turnstile raise order-17 approved --data '{"by":"ada","approved":true}'`,
			`turnstile raise order-17 approved --data @approval.json --id mail-4711`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			data := flags.String("data", "", "`JSON` that it carries, @FILE, or - for standard input")
			id := flags.String("id", "", "`ID` that tells a repeat of this event from another one; default a random one")
			return func(ctx context.Context, operands []string) error {
				r := client.RaiseRequest{Instance: operands[0], Name: operands[1], SenderID: *id}
				var err error
				if r.Data, err = c.readPayload("data", *data); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				if err := cl.Raise(ctx, r); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: event %s for %s\n", printable(r.Name), printable(r.Instance))
				return nil
			}
		},
	}
}

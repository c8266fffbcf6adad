package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// defaultUpdateWait is the default of update --wait.
const defaultUpdateWait = time.Minute

func updateCommand() *command {
	return &command{
		name: "update", words: updated, operands: "INSTANCE [NAME [INPUT]]", least: 1, most: 3,
		short: "send an update to an instance, which accepts or rejects it and answers",
		long: paragraph(
			"Sends the update NAME to the instance, waits for the answer, and prints the output of the handler",
			"as JSON. INPUT is JSON, @FILE, or - for standard input. If the instance does not exist or has ended,",
			"update fails and sends nothing. If the command knows the code, it rejects an update name or an input",
			"that the code does not accept, unless --anyway is given.",
			"",
			"The exit status is 4 if the instance rejected the update or its handler failed, and 5 if --wait",
			"passed before the answer. The update stays sent: to continue the wait, or to see how far an earlier",
			"update has come, pass its id without NAME. A repeat with the same id gets the same answer."),
		examples: []string{
			`turnstile update order-17 change-address '{"street":"Main St 1"}'`,
			`turnstile update order-17 change-address @address.json --id mail-4711 --expires 10m`,
			"turnstile update order-17 --id mail-4711 --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			id := flags.String("id", "", "`ID` of the update: repeats with the same ID have no further effect and get the same answer; default random")
			wait := flags.Duration("wait", defaultUpdateWait, "`TIME` to wait for the answer, such as 90s; 0 to return when the update is sent")
			expires := flags.Duration("expires", 0, "`TIME` after which the instance rejects the update if it has not decided about it; default never")
			c.settings.declareActor(flags)
			var check checks
			check.declare(flags)
			return func(ctx context.Context, operands []string) error {
				instance, r := operands[0], client.UpdateRequest{DeduplicationID: *id}
				switch {
				case len(operands) == 1 && *id == "":
					return usagef("update needs INSTANCE NAME, or INSTANCE and --id for the status of an update that was sent")
				case len(operands) == 1 && *expires != 0:
					return usagef("--expires needs NAME: it applies when the update is sent")
				case *wait < 0 || *expires < 0:
					return usagef("--wait and --expires must not be negative")
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				s := client.UpdateStatus{Instance: instance, ID: *id}
				if len(operands) > 1 {
					r.Name = operands[1]
					if len(operands) == 3 {
						if r.Input, err = c.readPayload("INPUT", operands[2]); err != nil {
							return err
						}
					}
					check.update(ctx, cl, r.Name, r.Input)
					if err := check.passed(c); err != nil {
						return err
					}
					if *expires > 0 {
						r.ExpiresAt = c.now().Add(*expires)
					}
					if s, err = acts.Update.Call(ctx, cl, instance, api.Update{UpdateRequest: r}); err != nil {
						return err
					}
				}
				if *wait > 0 {
					waiting, cancel := context.WithTimeout(ctx, *wait)
					defer cancel()
					s, err = cl.WaitUpdate(waiting, instance, s.ID, client.UpdateCompleted)
				} else if len(operands) == 1 {
					s, err = cl.UpdateStatus(ctx, instance, s.ID)
				}
				if err != nil {
					return err
				}
				return c.updateStatus(&s)
			}
		},
	}
}

// updateStatus prints how far an update has come.
func (c *cli) updateStatus(s *client.UpdateStatus) error {
	switch {
	case c.json():
		if err := c.printJSON(s); err != nil {
			return err
		}
	case s.Stage == client.UpdateCompleted:
		fmt.Fprintln(c.out, outputLine(s.Output))
	case s.Stage == client.UpdateSent:
		fmt.Fprintf(c.err, "sent: update %s; %s has not decided about it yet\n", printable.Line(s.ID), printable.Line(s.Instance))
	case s.Stage == client.UpdateAccepted:
		fmt.Fprintf(c.err, "%s has accepted update %s at %s; its handler has not returned\n", printable.Line(s.Instance), printable.Line(s.ID), plain.Moment(s.At))
	}
	if err := s.Err(); err != nil {
		return badEndError{err}
	}
	return nil
}

// updated completes an instance id, then the name of an update that the code declares.
var updated = inOrder(instanceIDs(notEnded...), known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	catalog, _ := cl.Catalog(ctx)
	for _, e := range catalog.Updates {
		offer(e.Name, "")
	}
}))

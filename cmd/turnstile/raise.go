package main

import (
	"context"
	"errors"
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

func raiseCommand() *command {
	return &command{
		name: "raise", also: []string{"signal", "event", "send"}, words: raised, operands: "[INSTANCE] EVENT", least: 1, most: 2, payload: "data",
		short: "raise an external event for an instance",
		long: paragraph(
			"Sends the event to an instance. If the instance has ended, or does not exist within a few",
			"seconds, raise fails and sends nothing. If the command knows the code, it rejects an event name or",
			"data that the code does not accept, unless --anyway is given. If the code has the event but the",
			"instance does not wait for it yet, raise sends it and prints a warning. With --early, raise does",
			"not check the instance: an event for an instance that has not started waits 15 minutes by default",
			"and then becomes a dead letter; an event for an ended instance has no effect. Event names are",
			"case-sensitive.",
			"",
			"Without INSTANCE, the selecting flags, which work as in list, choose the instance; several",
			"matches are an error."),
		examples: []string{
			`turnstile raise order-17 approved --data '{"by":"ada","approved":true}'`,
			`turnstile raise order-17 approved --data @approval.json --deduplication-id mail-4711`,
			`turnstile raise approved --status running --where 'customer = "c-1"' --data true`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			data := flags.String("data", "", "event data as `JSON`, @FILE, or - for standard input")
			c.settings.declareActor(flags)
			early := flags.Bool("early", false, "send the event without checking the instance, which may start later")
			id := flags.String("deduplication-id", "", "deduplication `ID`: repeats with the same ID have no effect; default random")
			var check checks
			check.declare(flags)
			which := chosen{alone: true}
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				named := operands[:len(operands)-1]
				r := client.RaiseRequest{Name: operands[len(operands)-1], DeduplicationID: *id}
				if len(named) == 0 && !which.given() {
					return usagef("raise needs INSTANCE EVENT, or EVENT and flags that select the instance, such as --where 'customer = \"c-1\"'")
				}
				err := which.check(c, "raise", named)
				if err != nil {
					return err
				}
				if *early && len(named) == 0 {
					return usagef("--early needs INSTANCE: flags cannot select an instance that does not exist yet")
				}
				if r.Data, err = c.readPayload("--data", *data); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				if r.Instance, err = which.instance(ctx, c, cl, named); err != nil {
					return err
				}
				if *early {
					if known, err := cl.Catalog(ctx); err == nil {
						check.event(ctx, cl, &known, r.Name, r.Data)
					}
				} else {
					if err := c.findRunning(ctx, cl, r.Instance); err != nil {
						return err
					}
					c.checkEvent(ctx, cl, r, &check)
				}
				if err := check.passed(c); err != nil {
					return err
				}
				sent, err := acts.Raise.Call(ctx, cl, r.Instance, api.Raise{Name: r.Name, Data: r.Data, SenderID: r.DeduplicationID})
				if err != nil {
					return err
				}
				return c.did(c.err, sent, fmt.Sprintf("sent: event %s for %s", printable.Line(r.Name), printable.Line(r.Instance)))
			}
		},
	}
}

// checkEvent checks the name and data of an event. If the instance does not wait for it yet, it only
// warns, because the instance keeps an event until its code waits for it.
func (c *cli) checkEvent(ctx context.Context, cl backend.Instances, r client.RaiseRequest, check *checks) {
	checked, err := acts.Raise.Call(ctx, cl, r.Instance, api.Raise{Name: r.Name, Data: r.Data, DryRun: true})
	switch {
	case err != nil:
		c.warn([]string{"cannot check whether the instance waits for the event: " + plain.Message(err)})
	case checked.Wrong:
		check.found = append(check.found, checked.Notes...)
	default:
		c.warn(checked.Notes)
	}
}

const (
	// startLooks is the number of reads for an instance whose start may still be queued, and
	// startPause the time between them.
	startLooks = 12
	startPause = 250 * time.Millisecond
)

// findRunning returns an error if the instance does not exist or has ended.
func (c *cli) findRunning(ctx context.Context, cl backend.Instances, instance string) error {
	for look := 1; ; look++ {
		d, err := cl.Describe(ctx, instance)
		switch {
		case err == nil && d.Status.Terminal():
			return fmt.Errorf("%w: the event was not sent, because it would have no effect", &client.EndedError{Instance: instance, Status: d.Status})
		case err == nil:
			return nil
		case !errors.Is(err, client.ErrNotFound):
			return err
		case look < startLooks && c.sleep(ctx, startPause):
			continue
		}
		return fmt.Errorf("%w; the event was not sent. To send it before an instance that starts within 15 minutes, pass --early; or send it with the start: turnstile start --event", err)
	}
}

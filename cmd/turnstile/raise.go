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
	"github.com/turnstile-go/turnstile/internal/printable"
)

func raiseCommand() *command {
	return &command{
		name: "raise", also: []string{"signal", "event", "send"}, words: raised, operands: "[INSTANCE] EVENT", least: 1, most: 2, payload: "data",
		short: "raise an external event for an instance",
		long: paragraph(
			"Sends the event to a running instance. If the instance does not exist within some",
			"seconds, or has ended, raise fails and sends nothing. If the instance does not wait for an",
			"event of that name, raise sends it and warns you; with --console it also checks the data",
			"against the declared type. --early skips these checks: an event for an instance that has",
			"not started waits for 15 minutes by default, then it becomes a dead letter; an event for",
			"an ended instance has no effect. Event names are case-sensitive.",
			"",
			"In place of INSTANCE, flags select one, as for list; more than one is an error."),
		examples: []string{
			`turnstile raise order-17 approved --data '{"by":"ada","approved":true}'`,
			`turnstile raise order-17 approved --data @approval.json --deduplication-id mail-4711`,
			`turnstile raise approved --status running --where 'customer = "c-1"' --data true`,
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			data := flags.String("data", "", "`JSON` that it carries, @FILE, or - for standard input")
			c.settings.declareActor(flags)
			early := flags.Bool("early", false, "send it without looking at the instance, which may start later")
			id := flags.String("deduplication-id", "", "`ID` that tells a repeat of this event from another one; default a random one")
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
					return usagef("--early is for an instance that is not there yet: name it")
				}
				if r.Data, err = c.readPayload("data", *data); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				if r.Instance, err = which.instance(ctx, c, cl, named); err != nil {
					return err
				}
				if !*early {
					if err := c.findRunning(ctx, cl, r.Instance); err != nil {
						return err
					}
					c.warnOfEvent(ctx, cl, r)
				}
				if err := cl.Raise(ctx, r); err != nil {
					return err
				}
				fmt.Fprintf(c.err, "sent: event %s for %s\n", printable.Line(r.Name), printable.Line(r.Instance))
				return nil
			}
		},
	}
}

// warnOfEvent says what is odd about an event ahead of its sending: it may be
// right all the same, as an event is kept until the code waits for it.
func (c *cli) warnOfEvent(ctx context.Context, cl backend.Instances, r client.RaiseRequest) {
	notes, err := cl.CheckRaise(ctx, r)
	if err != nil {
		notes = []string{"whether the instance waits for the event is not known: " + plain.Message(err)}
	}
	for _, n := range notes {
		fmt.Fprintf(c.err, "warning: %s\n", printable.Line(n))
	}
}

const (
	// startLooks is how often an instance is looked for whose start may be queued,
	// startPause how long it is between two looks.
	startLooks = 12
	startPause = 250 * time.Millisecond
)

// findRunning returns an error if there is no instance that an event could be for.
func (c *cli) findRunning(ctx context.Context, cl backend.Instances, instance string) error {
	for look := 1; ; look++ {
		d, err := cl.Describe(ctx, instance)
		switch {
		case err == nil && d.Status.Terminal():
			return fmt.Errorf("%w: the event would have no effect, and was not sent", &client.EndedError{Instance: instance, Status: d.Status})
		case err == nil:
			return nil
		case !errors.Is(err, client.ErrNotFound):
			return err
		case look < startLooks && c.sleep(ctx, startPause):
			continue
		}
		return fmt.Errorf("%w; the event was not sent. If the instance starts within 15 minutes, --early sends the event before it; or send the event with the start: turnstile start --event", err)
	}
}

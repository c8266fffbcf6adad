package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// defaultWait is how long wait waits.
const defaultWait = 5 * time.Minute

func waitCommand() *command {
	return &command{
		name: "wait", also: []string{"result", "await"}, words: firstInstance(), operands: "INSTANCE", least: 1, most: 1,
		short: "wait for the end of an instance, print its output",
		long: paragraph(
			"Waits until the instance has ended and prints its output. The exit status is 4 if it",
			"failed, was cancelled or terminated, and 5 after --timeout. It also waits for an instance",
			"that has no record yet, and for a stuck one, which has not ended."),
		examples: []string{
			"turnstile wait order-17",
			"turnstile wait order-17 --timeout 1h --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			timeout := flags.Duration("timeout", defaultWait, "`TIME` to wait, such as 90s; 0 for no limit")
			return func(ctx context.Context, operands []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				ctx, cancel := bound(ctx, *timeout)
				defer cancel()
				return c.await(ctx, cl, operands[0])
			}
		},
	}
}

func bound(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

func (c *cli) await(ctx context.Context, cl backend.Instances, instance string) error {
	d, err := cl.Wait(ctx, instance)
	if err != nil {
		return err
	}
	if c.json() {
		if err := c.printJSON(api.InstanceOf(&d)); err != nil {
			return err
		}
	} else if d.Status == client.StatusCompleted && d.Sealed != nil {
		return fmt.Errorf("instance %q completed, and its output can't be shown: %w", d.Instance, d.Sealed)
	} else if d.Status == client.StatusCompleted {
		fmt.Fprintln(c.out, outputLine(d.Output))
	}
	if d.Status == client.StatusCompleted {
		return nil
	}
	return badEndError{endedBadly(&d)}
}

// outputLine is an output as a line; an absent one is null.
func outputLine(output []byte) string {
	if len(output) == 0 {
		return "null"
	}
	return plain.OneLine(output, 0)
}

func endedBadly(d *client.Description) error {
	why := ""
	if f := d.Failure; f != nil {
		why = ": " + f.Message
		if f.Source != "" && f.Source != d.Name {
			why = ": " + f.Source + why
		}
		if f.Kind != "" && f.Kind != string(d.Status) {
			why = fmt.Sprintf(" (%s)%s", f.Kind, why)
		}
	}
	return fmt.Errorf("instance %q %s%s; `turnstile history %s` shows how it came to that", d.Instance, d.Status, why, plain.ShellWord(d.Instance))
}

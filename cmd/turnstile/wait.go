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
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// defaultWait is the default of --timeout.
const defaultWait = 5 * time.Minute

func waitCommand() *command {
	return &command{
		name: "wait", also: []string{"result", "await"}, words: firstInstance(), operands: "INSTANCE", least: 1, most: 1,
		short: "wait for an instance to end and print its output",
		long: paragraph(
			"Waits until the instance has ended and prints its output. The exit status is 4 if the instance",
			"failed or was cancelled or terminated, 5 after --timeout, and 3 if the instance was purged. Wait",
			"also waits for an instance that does not exist yet, and for a stuck one."),
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
	if purged, ok := errors.AsType[*client.PurgedError](err); ok {
		return &client.NotFoundError{Instance: instance, FreeAt: purged.FreeAt}
	}
	if err != nil {
		return err
	}
	if c.json() {
		if err := c.printJSON(api.InstanceOf(&d)); err != nil {
			return err
		}
	} else if d.Status == client.StatusCompleted && d.DecodeError != nil {
		return fmt.Errorf("instance %q completed, but its output cannot be decoded: %w", d.Instance, d.DecodeError)
	} else if d.Status == client.StatusCompleted {
		fmt.Fprintln(c.out, outputLine(d.Output))
	}
	if d.Status == client.StatusCompleted {
		return nil
	}
	return badEndError{endedBadly(&d)}
}

// outputLine returns an output in one line; null for no output.
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
	return fmt.Errorf("instance %q %s%s; `turnstile history %s` shows its history", d.Instance, d.Status, why, plain.Operand(d.Instance))
}

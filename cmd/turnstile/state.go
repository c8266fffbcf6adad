package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func stateCommand() *command {
	return &command{
		name: "state", also: []string{"states", "progress"}, words: firstInstance(), operands: "INSTANCE [NAME]", least: 1, most: 2,
		short: "show the states that an instance has set",
		long: paragraph(
			"Shows the states that the code of the instance has set, each with its number and the time at",
			"which it was set. With NAME, prints the value of that state alone, as JSON. With --after, waits",
			"until the state NAME has a higher number or the instance has ended; the exit status is 5 after",
			"--timeout."),
		examples: []string{
			"turnstile state order-17",
			"turnstile state order-17 progress",
			"turnstile state order-17 progress --after 1.7 --timeout 1m --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			after := flags.String("after", "", "wait for a `NUMBER` higher than this, such as 1.7; 0.0 waits for the first value")
			timeout := flags.Duration("timeout", defaultWait, "`TIME` to wait, such as 90s; 0 for no limit")
			return func(ctx context.Context, operands []string) error {
				number, err := stateNumber(*after, len(operands) == 2)
				if err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				var d client.Description
				if number == nil {
					d, err = cl.Describe(ctx, operands[0])
				} else {
					waits, cancel := bound(ctx, *timeout)
					defer cancel()
					d, err = cl.WaitUntil(waits, operands[0], func(d *client.Description) bool {
						return d.States[operands[1]].Number.Compare(*number) > 0 || d.Status.Terminal() || d.DecodeError != nil
					})
				}
				if err != nil {
					return err
				}
				if d.DecodeError != nil {
					return fmt.Errorf("the states of instance %q cannot be decoded: %w", d.Instance, d.DecodeError)
				}
				shown := api.InstanceOf(&d).States
				if len(operands) == 2 {
					v, ok := d.States[operands[1]]
					switch {
					case !ok:
						return &client.StateNotSetError{Instance: d.Instance, Orchestration: d.Name, Status: d.Status, Name: operands[1], Set: slices.Sorted(maps.Keys(d.States))}
					case c.json():
						return c.printJSON(shown[operands[1]])
					}
					fmt.Fprintln(c.out, outputLine(v.Value))
					return nil
				}
				if c.json() {
					if shown == nil {
						shown = map[string]api.State{}
					}
					return c.printJSON(shown)
				}
				t := plain.NewTable()
				t.Row("STATE", "NUMBER", "SET", "VALUE")
				for _, name := range slices.Sorted(maps.Keys(d.States)) {
					v, at := d.States[name], ""
					if !v.At.IsZero() {
						at = plain.Ago(c.now(), v.At)
					}
					t.Row(printable.Line(name), v.Number.String(), at, outputLine(v.Value))
				}
				t.Print(c.out)
				return nil
			}
		},
	}
}

// stateNumber parses --after; nil if it is not given.
func stateNumber(text string, named bool) (*client.StateNumber, error) {
	if text == "" {
		return nil, nil
	}
	var n client.StateNumber
	if _, err := fmt.Sscanf(text, "%d.%d", &n.ExecutionID, &n.EventID); err != nil || n.String() != text {
		return nil, usagef("--after %q: must be the number of a value, such as 1.7 (execution and event)", text)
	}
	if !named {
		return nil, usagef("--after needs the NAME of the state to wait for")
	}
	return &n, nil
}

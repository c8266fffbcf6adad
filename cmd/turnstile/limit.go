package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	naming "github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func limitListCommand() *command {
	return &command{
		name: "limit list", also: []string{"limits", "concurrency", "permits"}, most: 0,
		short: "list limits, the longest lines first",
		long: paragraph(
			"Lists the keys of turnstile.Limit: of activities those for which an attempt has waited in the",
			"last two weeks, and those that limit set has changed, with at most 32 waiting attempts each;",
			"of orchestrations all. Rates (turnstile.Rate) have no line, and are not listed. It makes 16",
			"reads, one for each key of activities, and one for each page of gates."),
		examples: []string{"turnstile limit list", "turnstile limit list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, _ []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				all, err := cl.Limits(ctx)
				of, errOf := cl.InstanceLimits(ctx)
				if err != nil && len(of) == 0 {
					return err // Without the activities table it shows those of instances.
				}
				if errOf != nil {
					return errOf
				}
				return c.printLimits(append(all, of...))
			}
		},
	}
}

func (c *cli) printLimits(all []client.Limit) error {
	if c.json() {
		return c.printJSON(all)
	}
	if len(all) == 0 {
		fmt.Fprintln(c.err, "no limits of instances, and none for which an attempt has waited, or that was set")
		return nil
	}
	views.Limits(c.screen(c.out), c.now(), all)
	return nil
}

// onLimit is a command that takes the key of a limit.
func onLimit(verb, operands string, n int, short, long string, declare func(*cli, *flag.FlagSet), do func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error, example string) *command {
	return &command{
		name: "limit " + verb, operands: operands, least: n, most: n, short: short, long: long, examples: []string{example},
		declare: func(c *cli, flags *flag.FlagSet) action {
			if declare != nil {
				declare(c, flags)
			}
			return func(ctx context.Context, operands []string) error {
				if problem := naming.LimitKey(operands[0]); problem != "" {
					return usagef("the key of the limit %s", problem)
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return do(ctx, c, cl, operands)
			}
		},
	}
}

func limitShowCommand() *command {
	return onLimit("show", "KEY", 1, "show which attempts or instances hold a permit of a limit, and which wait",
		paragraph("Reads one item, and the record of the gate of instances with this key. An attempt whose",
			"process has died keeps its permit until the time shown. The line shows at most 32 waiting",
			"attempts, of which others ask again from time to time, and 50 waiting instances."),
		nil, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			all, err := limitsOf(ctx, cl, operands[0])
			switch {
			case err != nil:
				return err
			case len(all) == 0:
				return notThereError{fmt.Errorf("limit %q is not known: no attempt has asked for a permit in the last two weeks, and no instance ever", operands[0])}
			case c.json() && len(all) == 1:
				return c.printJSON(all[0])
			case c.json():
				return c.printJSON(all)
			}
			for i := range all {
				if i > 0 {
					fmt.Fprintln(c.out)
				}
				views.Limit(c.out, c.now(), &all[i])
			}
			return nil
		}, "turnstile limit show stripe")
}

// limitsOf are the limits with a key: of attempts, of instances, or both.
func limitsOf(ctx context.Context, cl backend.Instances, key string) ([]client.Limit, error) {
	var all []client.Limit
	l, errAttempts := cl.Limit(ctx, key)
	if errAttempts == nil && (l.Permits > 0 || !l.SetAt.IsZero()) {
		all = append(all, l)
	}
	l, err := cl.InstanceLimit(ctx, key)
	switch {
	case err == nil:
		return append(all, l), nil
	case !errors.Is(err, client.ErrNotFound):
		return nil, err
	}
	return all, errAttempts
}

// ofInstances declares the flag that says of which of the two limits with a key a command is.
func ofInstances(of *bool) func(*cli, *flag.FlagSet) {
	return func(c *cli, flags *flag.FlagSet) {
		c.settings.declareActor(flags)
		flags.BoolVar(of, "instances", false, "of the limit of instances with KEY, in place of that of attempts")
	}
}

func limitSetCommand() *command {
	of := new(bool)
	return onLimit("set", "KEY PERMITS", 2, "change how many attempts or instances with a key may run at a time, without a deployment",
		paragraph("Takes precedence over the number in the code, of this deployment and of later ones, until",
			"limit reset. What has a permit keeps it. 0 closes the limit: all others wait until",
			"another number is set, or limit reset. limit show tells who set it and when.",
			"Needs the policy of the output OperatePolicyArn."),
		ofInstances(of), func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			n, err := strconv.Atoi(operands[1])
			if err != nil {
				return usagef("PERMITS is %q, it must be a number from 0 to %d", operands[1], naming.MaxLimit)
			}
			if problem := naming.SetLimit(n); problem != "" {
				return usagef("PERMITS %s", problem)
			}
			set := cl.SetLimit
			if *of {
				set = cl.SetInstanceLimit
			}
			if err := set(ctx, operands[0], n); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "limit %s is %d now\n", printable.Line(operands[0]), n)
			return nil
		}, "turnstile limit set stripe 5")
}

func limitResetCommand() *command {
	of := new(bool)
	return onLimit("reset", "KEY", 1, "undo limit set",
		paragraph("The number in the code counts again. What has a permit keeps it."),
		ofInstances(of), func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			reset := cl.ResetLimit
			if *of {
				reset = cl.ResetInstanceLimit
			}
			if err := reset(ctx, operands[0]); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "limit %s is as the code says\n", printable.Line(operands[0]))
			return nil
		}, "turnstile limit reset stripe")
}

func limitFirstCommand() *command {
	return &command{
		name: "limit first", also: []string{"limit move"}, operands: "INSTANCE", least: 1, most: 1, words: firstInstance(client.StatusQueued),
		short: "make an instance that waits for its turn under a limit the first of those that wait",
		long: paragraph("It begins as soon as fewer instances run than the limit allows. resume lets it begin at once, whatever",
			"the limit; cancel and terminate take it out of the line. Needs the policy of the output OperatePolicyArn."),
		examples: []string{"turnstile limit first order-17"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			c.settings.declareActor(flags)
			return func(ctx context.Context, operands []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				if err := cl.MoveToFront(ctx, operands[0]); err != nil {
					return err
				}
				fmt.Fprintf(c.out, "%s becomes the first of those that wait\n", printable.Line(operands[0]))
				return nil
			}
		},
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
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
			"of orchestrations all. Rates (turnstile.Rate) are listed as those of activities are. It makes 16",
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
				all = append(all, of...)
				slices.SortStableFunc(all, func(a, b client.Limit) int { return max(b.Length, len(b.Waiting)) - max(a.Length, len(a.Waiting)) })
				return c.printLimits(all)
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
func onLimit(verb, operands string, n int, short, long string, declare func(*cli, *flag.FlagSet), do func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error, examples ...string) *command {
	return &command{
		name: "limit " + verb, operands: operands, words: limitKeys, least: n, most: n, short: short, long: long, examples: examples,
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

// limitKeys offers the keys of limits and rates, with how many run and wait.
func limitKeys(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := c.offering(ctx)
	defer cancel()
	cl, err := c.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := cl.Limits(ctx)
	of, _ := cl.InstanceLimits(ctx)
	var out []string
	for i := range all {
		if l := &all[i]; strings.HasPrefix(l.Key, prefix) {
			out = append(out, fmt.Sprintf("%s\t%d of %d, %d waiting", printable.Line(l.Key), len(l.Held), l.Permits, max(l.Length, len(l.Waiting))))
		}
	}
	for i := range of {
		if l := &of[i]; strings.HasPrefix(l.Key, prefix) {
			out = append(out, fmt.Sprintf("%s\t%d of %d instances, %d waiting", printable.Line(l.Key), len(l.Held), l.Permits, max(l.Length, len(l.Waiting))))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func limitShowCommand() *command {
	return onLimit("show", "KEY", 1, "show which attempts or instances hold a permit of a limit or a rate, and which wait",
		paragraph("Reads an item of each, and the record of the gate of instances with this key. An attempt whose",
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

// limitsOf are the limits with a key, of attempts and of instances, and the rate.
func limitsOf(ctx context.Context, cl backend.Instances, key string) ([]client.Limit, error) {
	var all []client.Limit
	l, errAttempts := cl.Limit(ctx, key)
	if errAttempts == nil && (l.Permits > 0 || !l.SetAt.IsZero()) {
		all = append(all, l)
	}
	if rate, err := cl.Rate(ctx, key); err == nil && (rate.Permits > 0 || !rate.SetAt.IsZero()) {
		all = append(all, rate)
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

// limitOf says of which of the limits with a key a command is.
type limitOf struct {
	instances, rate bool
	per             time.Duration
}

func (of *limitOf) declare(c *cli, flags *flag.FlagSet) {
	c.settings.declareActor(flags)
	flags.BoolVar(&of.instances, "instances", false, "of the limit of instances with KEY, in place of that of attempts")
	flags.BoolVar(&of.rate, "rate", false, "of the rate with KEY, in place of the limit")
}

// named is the limit in words.
func (of *limitOf) named(key string) string {
	if of.rate {
		return "rate " + printable.Line(key)
	}
	return "limit " + printable.Line(key)
}

func (of *limitOf) check() error {
	if of.instances && of.rate {
		return usagef("give --instances or --rate, not both: instances have no rate")
	}
	return nil
}

func limitSetCommand() *command {
	of := new(limitOf)
	return onLimit("set", "KEY PERMITS", 2, "change how many attempts or instances with a key may run at a time, or begin in a span, without a deployment",
		paragraph("Takes precedence over the number in the code, of this deployment and of later ones, until",
			"limit reset. What has a permit keeps it. 0 closes the limit: all others wait until",
			"another number is set, or limit reset. limit show tells who set it and when. Workers go by the",
			"number of a rate within 30 seconds; --per changes its span too.",
			"Needs the policy of the output OperatePolicyArn."),
		func(c *cli, flags *flag.FlagSet) {
			of.declare(c, flags)
			flags.DurationVar(&of.per, "per", 0, "of the rate with KEY: so many in this `TIME`, such as 1m; default the span in the code")
		}, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			n, err := strconv.Atoi(operands[1])
			if err != nil {
				return usagef("PERMITS is %q, it must be a number from 0 to %d", operands[1], naming.MaxLimit)
			}
			if problem := naming.SetLimit(n); problem != "" {
				return usagef("PERMITS %s", problem)
			}
			of.rate = of.rate || of.per != 0
			if err := of.check(); err != nil {
				return err
			}
			if of.per < 0 || of.per%time.Millisecond != 0 {
				return usagef("--per %s: whole milliseconds, more than 0", of.per)
			}
			set := cl.SetLimit
			switch {
			case of.instances:
				set = cl.SetInstanceLimit
			case of.rate:
				set = func(ctx context.Context, key string, n int) error { return cl.SetRate(ctx, key, n, of.per) }
			}
			if err := set(ctx, operands[0], n); err != nil {
				return err
			}
			within := ""
			if of.per > 0 {
				within = " in " + of.per.String()
			}
			fmt.Fprintf(c.out, "%s is %d%s now\n", of.named(operands[0]), n, within)
			return nil
		}, "turnstile limit set stripe 5", "turnstile limit set stripe 5 --per 1m")
}

func limitResetCommand() *command {
	of := new(limitOf)
	return onLimit("reset", "KEY", 1, "undo limit set",
		paragraph("The number in the code counts again. What has a permit keeps it."),
		of.declare, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			if err := of.check(); err != nil {
				return err
			}
			reset := cl.ResetLimit
			switch {
			case of.instances:
				reset = cl.ResetInstanceLimit
			case of.rate:
				reset = cl.ResetRate
			}
			if err := reset(ctx, operands[0]); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "%s is as the code says\n", of.named(operands[0]))
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

package main

import (
	"context"
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
		short: "list limits over instances, the longest lines first",
		long: paragraph(
			"Lists the keys of turnstile.Limit for which an attempt has waited in the last two weeks,",
			"and those that limit set has changed, with at most 32 waiting attempts each. Rates",
			"(turnstile.Rate) have no line, and are not listed. It makes 16 reads, and one for each key."),
		examples: []string{"turnstile limit list", "turnstile limit list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, _ []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				all, err := cl.Limits(ctx)
				if err != nil {
					return err
				}
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
		fmt.Fprintln(c.err, "no limits for which an attempt has waited, or that were set")
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

func actor(c *cli, flags *flag.FlagSet) { c.settings.declareActor(flags) }

func limitShowCommand() *command {
	return onLimit("show", "KEY", 1, "show which attempts hold a permit of a limit, and which wait",
		paragraph("Reads one item. An attempt whose process has died keeps its permit until the time shown. The",
			"line shows at most 32 waiting attempts; others ask again from time to time."),
		nil, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			l, err := cl.Limit(ctx, operands[0])
			switch {
			case err != nil:
				return err
			case l.Permits == 0 && l.SetAt.IsZero():
				return notThereError{fmt.Errorf("limit %q is not known: no attempt has asked for a permit in the last two weeks", l.Key)}
			case c.json():
				return c.printJSON(l)
			}
			views.Limit(c.out, c.now(), &l)
			return nil
		}, "turnstile limit show stripe")
}

func limitSetCommand() *command {
	return onLimit("set", "KEY PERMITS", 2, "change how many attempts with a key may run at a time, without a deployment",
		paragraph("Takes precedence over the number in the code, of this deployment and of later ones, until",
			"limit reset. Attempts that have a permit keep it. 0 closes the limit: all others wait until",
			"another number is set, or limit reset. limit show tells who set it and when.",
			"Needs the policy of the output OperatePolicyArn."),
		actor, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			n, err := strconv.Atoi(operands[1])
			if err != nil {
				return usagef("PERMITS is %q, it must be a number from 0 to %d", operands[1], naming.MaxLimit)
			}
			if problem := naming.SetLimit(n); problem != "" {
				return usagef("PERMITS %s", problem)
			}
			if err := cl.SetLimit(ctx, operands[0], n); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "limit %s is %d now\n", printable.Line(operands[0]), n)
			return nil
		}, "turnstile limit set stripe 5")
}

func limitResetCommand() *command {
	return onLimit("reset", "KEY", 1, "undo limit set",
		paragraph("The number in the code counts again. Attempts that have a permit keep it."),
		actor, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			if err := cl.ResetLimit(ctx, operands[0]); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "limit %s is as the code says\n", printable.Line(operands[0]))
			return nil
		}, "turnstile limit reset stripe")
}

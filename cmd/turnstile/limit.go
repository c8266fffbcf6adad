package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	naming "github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func limitListCommand() *command {
	return &command{
		name: "limit list", also: []string{"limits", "concurrency", "permits"}, most: 0,
		short: "list limits, longest waiting list first",
		long: paragraph(
			"Lists the limits (turnstile.Limit) of orchestrations, and the limits and rates (turnstile.Rate)",
			"of activities. A limit or rate of activities is listed if an attempt waited for it in the last",
			"two weeks or limit set changed it; at most 32 waiting attempts are shown for each. The command",
			"makes 16 reads, two more for each key of activities, and one for each page of coordinators."),
		examples: []string{"turnstile limit list", "turnstile limit list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, _ []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				all, err := cl.LimitList(ctx, "")
				switch {
				case err != nil:
					return err
				case c.json():
					return c.printJSON(all)
				case len(all.Limits) == 0:
					fmt.Fprintln(c.err, "no limits: no instance uses one, no attempt has waited for one, and limit set has changed none")
				default:
					views.Limits(c.screen(c.out), c.now(), all.Limits)
				}
				return nil
			}
		},
	}
}

// onLimit returns a command whose first operand is the key of a limit.
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

// limitKeys completes keys of limits and rates, with the numbers of running and waiting.
var limitKeys = inOrder(known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	all, _ := cl.LimitList(ctx, "")
	for i := range all.Limits {
		of, l := "", &all.Limits[i]
		if l.Instances {
			of = " instances"
		}
		offer(l.Key, fmt.Sprintf("%d of %d%s, %d waiting", l.Taken, l.Permits, of, max(l.Length, len(l.Waiting))))
	}
}))

func limitShowCommand() *command {
	return onLimit("show", "KEY", 1, "show the attempts or instances that hold or wait for a permit of a limit or rate",
		paragraph("Reads two items of the limit and of the rate, and the record of the coordinator for instances. An",
			"attempt whose process died keeps its permit until the time shown. Attempts are listed after they have",
			"held a permit for ten seconds or waited for two: at most 32 waiting attempts and 50 instances."),
		nil, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			all, err := cl.LimitList(ctx, operands[0])
			switch {
			case err != nil:
				return err
			case len(all.Limits) == 0:
				return notThereError{fmt.Errorf("limit %q does not exist: no attempt has waited for it in the last two weeks, and no instance has used it", operands[0])}
			case c.json():
				return c.printJSON(all)
			}
			for i := range all.Limits {
				if i > 0 {
					fmt.Fprintln(c.out)
				}
				views.Limit(c.out, c.now(), &all.Limits[i])
			}
			return nil
		}, "turnstile limit show stripe")
}

// limitOf chooses one of the limits that share a key.
type limitOf struct{ instances, rate bool }

func (of *limitOf) declare(c *cli, flags *flag.FlagSet) {
	c.settings.declareActor(flags)
	flags.BoolVar(&of.instances, "instances", false, "use the limit of instances with KEY, not the limit of attempts")
	flags.BoolVar(&of.rate, "rate", false, "use the rate with KEY, not the limit")
}

// named returns the limit for messages.
func (of *limitOf) named(key string) string {
	if of.rate {
		return "rate " + printable.Line(key)
	}
	return "limit " + printable.Line(key)
}

func (of *limitOf) check() error {
	if of.instances && of.rate {
		return usagef("give --instances or --rate, not both: instances have no rates")
	}
	return nil
}

func limitSetCommand() *command {
	var of limitOf
	var per time.Duration
	return onLimit("set", "KEY PERMITS", 2, "change a limit or a rate without a deployment",
		paragraph("Overrides the number in the code, in this and later deployments, until limit reset. Attempts and",
			"instances that hold a permit keep it. With 0, all others wait until you set another number or",
			"reset the limit. limit show prints who set it and when. Workers apply a new rate within a",
			"minute; --per also changes its window. Requires the policy in the stack output OperatePolicyArn."),
		func(c *cli, flags *flag.FlagSet) {
			of.declare(c, flags)
			flags.DurationVar(&per, "per", 0, "set the rate with KEY: PERMITS attempts per `TIME`, such as 1m; default the window in the code")
		}, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			n, err := strconv.Atoi(operands[1])
			if err != nil {
				return usagef("PERMITS is %q: it must be a number from 0 to %d", operands[1], naming.MaxLimit)
			}
			if problem := naming.SetLimit(n); problem != "" {
				return usagef("PERMITS %s", problem)
			}
			of.rate = of.rate || per != 0
			if err := of.check(); err != nil {
				return err
			}
			within := ""
			switch {
			case per < 0 || per%time.Millisecond != 0:
				return usagef("--per %s: must be whole milliseconds, more than 0", per)
			case per > 0:
				within = " per " + per.String()
			}
			l, err := acts.SetLimit.Call(ctx, cl, "", api.SetLimit{Key: operands[0], Permits: &n, Instances: of.instances, Rate: of.rate, PerMS: per.Milliseconds()})
			if err != nil {
				return err
			}
			return c.did(c.out, l, fmt.Sprintf("%s is now %d%s", of.named(operands[0]), n, within))
		}, "turnstile limit set stripe 5", "turnstile limit set stripe 5 --per 1m")
}

func limitResetCommand() *command {
	var of limitOf
	return onLimit("reset", "KEY", 1, "undo limit set",
		paragraph("The number in the code applies again. Attempts and instances that hold a permit keep it."),
		of.declare, func(ctx context.Context, c *cli, cl backend.Instances, operands []string) error {
			if err := of.check(); err != nil {
				return err
			}
			l, err := acts.ResetLimit.Call(ctx, cl, "", api.ResetLimit{Key: operands[0], Instances: of.instances, Rate: of.rate})
			if err != nil {
				return err
			}
			return c.did(c.out, l, of.named(operands[0])+" uses the number in the code again")
		}, "turnstile limit reset stripe")
}

func limitFirstCommand() *command {
	cmd := told(acts.MoveToFront)
	cmd.operands, cmd.least, cmd.most, cmd.words = "INSTANCE", 1, 1, firstInstance(acts.MoveToFront.Command.On...)
	cmd.declare = func(c *cli, flags *flag.FlagSet) action {
		c.settings.declareActor(flags)
		return func(ctx context.Context, operands []string) error {
			cl, err := c.client(ctx)
			if err != nil {
				return err
			}
			sent, err := acts.MoveToFront.Call(ctx, cl, operands[0], api.Nothing{})
			if err != nil {
				return err
			}
			return c.did(c.out, sent, printable.Line(operands[0])+" moves to the front of the waiting list")
		}
	}
	return cmd
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func failuresCommand() *command {
	return &command{
		name: "failures", also: []string{"errors", "causes", "failed"}, most: 0,
		short: "list what failed or is stuck, by cause",
		long: paragraph(
			"Groups failed, stuck and corrupt instances by what failed first: activity or orchestration,",
			"kind, code, and message without ids and numbers. Each group has a key; --cause lists its",
			"instances, whenever they failed, and redrive --cause KEY takes them all. --since and --until",
			"are about the time of the failure, and the bars too.",
			"",
			"It reads the records of at most 1,000 instances of each of the three statuses, those that",
			"started last."),
		examples: []string{
			"turnstile failures",
			"turnstile failures --since 7d --name Fulfil",
			"turnstile failures --since yesterday --until today",
			"turnstile failures --cause 1f3a90c2",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var s selection
			var key string
			var ids bool
			flags.StringVar(&s.query.Name, "name", "", "only of the orchestration `NAME`")
			flags.StringVar(&s.query.Prefix, "prefix", "", "only those whose id begins with `PREFIX`")
			flags.StringVar(&s.query.Words, "words", "", "only those whose failure, problem or custom status has these `WORDS`")
			flags.StringVar(&s.query.Version, "of-version", "", "only of the `VERSION` of the orchestration")
			flags.StringVar(&s.where, "where", "", "only those whose search attributes meet these `CONDITIONS`; see list")
			flags.StringVar(&s.since, "since", "24h", "only what failed at this `TIME` or later: "+timeForms)
			flags.StringVar(&s.until, "until", "", "only what failed before this `TIME`")
			flags.StringVar(&key, "cause", "", "list the instances of the cause with this `KEY`")
			flags.BoolVar(&ids, "ids", false, "with --cause: print ids alone, one a line")
			return func(ctx context.Context, _ []string) error {
				if key != "" && !flags.Changed("since") {
					s.since = "" // A key alone says what is meant.
				}
				if err := s.check(c.now()); err != nil {
					return err
				}
				if ids && key == "" {
					return usagef("--ids needs --cause KEY")
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				found, err := cl.Failures(ctx, s.query, key)
				if err != nil {
					return err
				}
				return c.printFailures(&found, key, ids)
			}
		},
	}
}

// causes offers the keys of causes, with what failed.
func causes(ctx context.Context, c *cli, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := c.offering(ctx)
	defer cancel()
	var out []string
	if c.resolve() == nil {
		if cl, err := c.client(ctx); err == nil {
			found, _ := cl.Failures(ctx, client.ListQuery{}, "")
			for i := range found.Causes {
				if f := &found.Causes[i]; strings.HasPrefix(f.Key, prefix) {
					out = append(out, f.Key+"\t"+printable.Line(fmt.Sprintf("%d %s: %s", f.Instances, f.Status, cause.Cause{Kind: f.Kind, Source: f.Source, Message: f.Message}.Line())))
				}
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

func (c *cli) printFailures(found *api.FailureList, key string, ids bool) error {
	switch {
	case c.json():
		return c.printJSON(found)
	case len(found.Causes) == 0 && key != "":
		fmt.Fprintln(c.err, "no instance has this cause: turnstile failures lists the keys")
	case len(found.Causes) == 0:
		fmt.Fprintln(c.err, "nothing failed, and nothing is stuck")
	case key != "":
		t := views.NewInstances(c.now)
		for i := range found.Causes[0].Members {
			d := remote.DescriptionOf(&found.Causes[0].Members[i])
			if ids {
				fmt.Fprintln(c.out, d.Instance)
				continue
			}
			t.Row(&d)
		}
		if t.Len() > 0 {
			t.Print(c.screen(c.out))
		}
	default:
		views.Causes(c.screen(c.out), c.now(), found.Causes)
	}
	if found.More {
		fmt.Fprintf(c.err, "%d instances were read; those that started earlier were not\n", found.Read)
	}
	return nil
}

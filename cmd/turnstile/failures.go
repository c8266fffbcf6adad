package main

import (
	"context"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func failuresCommand() *command {
	return &command{
		name: "failures", also: []string{"errors", "causes", "failed"}, most: 0,
		short: "list failed and stuck instances, grouped by cause",
		long: paragraph(
			"Groups failed, stuck and corrupt instances by the first failure: activity or orchestration,",
			"kind, code, and message without ids and numbers. If code and history disagree, it groups by",
			"events, line of code and difference, without inputs. Each group has a key: --cause KEY lists its",
			"instances, whenever they failed, and redrive --cause KEY selects them all. --since, --until and",
			"the bars refer to the time of the failure.",
			"",
			"It reads the records of the 1,000 most recently started instances of each of the three",
			"statuses."),
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
			flags.StringVar(&s.query.Name, "name", "", "only instances of the orchestration `NAME`")
			flags.StringVar(&s.query.Prefix, "prefix", "", "only instances whose id starts with `PREFIX`")
			flags.StringVar(&s.query.Words, "words", "", "only instances with these `WORDS` in the failure, problem or state status")
			flags.StringVar(&s.query.Version, "of-version", "", "only instances of this `VERSION` of the orchestration")
			flags.StringVar(&s.where, "where", "", "only instances whose search attributes match these `CONDITIONS`; see list")
			flags.StringVar(&s.since, "since", "24h", "only failures at this `TIME` or later: "+timeForms)
			flags.StringVar(&s.until, "until", "", "only failures before this `TIME`")
			flags.StringVar(&key, "cause", "", "list the instances of the cause with this `KEY`")
			flags.BoolVar(&ids, "ids", false, "with --cause: print only ids, one per line, for redrive - and other commands that read ids")
			return func(ctx context.Context, _ []string) error {
				if key != "" && !flags.Changed("since") {
					s.since = "" // A key needs no time limit.
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

// causes completes keys of causes, with the failure of each.
var causes = known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	found, _ := cl.Failures(ctx, client.ListQuery{}, "")
	for i := range found.Causes {
		f := &found.Causes[i]
		offer(f.Key, fmt.Sprintf("%d %s: %s", f.Instances, f.Status, cause.Cause{Kind: f.Kind, Source: f.Source, Message: f.Message}.Line()))
	}
})

func (c *cli) printFailures(found *api.FailureList, key string, ids bool) error {
	switch {
	case c.json():
		return c.printJSON(found)
	case len(found.Causes) == 0 && key != "":
		fmt.Fprintln(c.err, "no instance has this cause: turnstile failures lists the keys")
	case len(found.Causes) == 0:
		fmt.Fprintln(c.err, "no failed, stuck or corrupt instances")
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
		fmt.Fprintf(c.err, "only the newest %d instances were read\n", found.Read)
	}
	return nil
}

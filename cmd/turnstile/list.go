package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

func listCommand() *command {
	return &command{
		name: "list", also: []string{"ls", "ps", "search", "find", "query"}, most: 0,
		short: "list instances by status, name, time and search attributes",
		long: paragraph(
			"Lists instances by their start time, newest first. A stuck or corrupt instance is not listed as",
			"running. If more instances match, list prints the command for the next page. In a pipe, each",
			"instance is a line of tab-separated fields, without a header.",
			"",
			"--count counts the instances of each status. --watch refreshes the first page until Ctrl-C; in a",
			"pipe, it prints a line for each changed instance.",
			"",
			whereHelp),
		examples: []string{
			"turnstile list --status stuck",
			"turnstile list --name Fulfil --since 24h",
			"turnstile list --status failed --ended-since yesterday --ended-until today",
			"turnstile list --status failed --since 2026-01-31 --until 2026-02-01 --all --output json",
			`turnstile list --where 'customer = "c-1" and total > 100'`,
			"turnstile list --count --since 24h",
			"turnstile list --watch --name Fulfil",
			"turnstile list --status completed --until 30d --all --ids | turnstile purge -",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var l listing
			l.declare(flags)
			flags.IntVar(&l.limit, "limit", 50, "`N` instances per page, at most 1000")
			flags.StringVar(&l.query.PageToken, "page-token", "", "show the page that follows the one that printed this `TOKEN`")
			flags.BoolVar(&l.all, "all", false, "all pages")
			flags.BoolVar(&l.ids, "ids", false, "print only ids, one per line, for purge - and other commands that read ids")
			flags.BoolVar(&l.count, "count", false, "count the instances of each status; on DynamoDB this reads at most --limit records of each status (default 1000)")
			flags.BoolVar(&l.watch, "watch", false, "refresh the list until Ctrl-C")
			flags.DurationVar(&l.every, "every", 2*time.Second, "with --watch: `TIME` between two reads, at least 1s")
			return func(ctx context.Context, _ []string) error {
				if err := l.check(c.now(), flags.Changed("limit")); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				switch {
				case l.count:
					return c.count(ctx, cl, &l)
				case l.watch:
					return c.watchList(ctx, cl, &l)
				}
				return c.list(ctx, cl, &l)
			}
		},
	}
}

// listing selects the instances to list, and the format.
type listing struct {
	selection
	all, ids, count, watch bool
	limit                  int
	every                  time.Duration
}

func (l *listing) check(now time.Time, limited bool) error {
	if l.limit < 1 || l.limit > store.MaxPageSize {
		return usagef("--limit %d: must be 1 to %d", l.limit, store.MaxPageSize)
	}
	if l.count && !limited {
		l.limit = store.MaxPageSize
	}
	switch {
	case l.count && l.watch:
		return usagef("give --count or --watch, not both")
	case (l.count || l.watch) && (l.all || l.ids || l.query.PageToken != ""):
		return usagef("--all, --ids and --page-token cannot be combined with --count and --watch")
	case l.every < time.Second:
		return usagef("--every %s: must be at least 1s", l.every)
	}
	l.query.PageSize = l.limit
	return l.selection.check(now)
}

func (c *cli) list(ctx context.Context, cl backend.Instances, l *listing) error {
	all := api.InstanceList{Instances: []api.Instance{}}
	t := views.NewInstances(c.now)
	left := l.limit
	for {
		page, err := cl.List(ctx, l.query)
		if err != nil {
			return err
		}
		for i := range page.Instances {
			d := &page.Instances[i]
			switch {
			case c.json():
				all.Instances = append(all.Instances, api.InstanceOf(d))
			case l.ids:
				fmt.Fprintln(c.out, d.Instance)
			default:
				t.Row(d)
			}
		}
		l.query.PageToken = page.NextPageToken
		left -= len(page.Instances)
		if page.NextPageToken == "" || !l.all && left <= 0 {
			break
		}
		if !l.all {
			// With conditions, a page before the last may be short.
			l.query.PageSize = left
		}
	}
	switch {
	case c.json():
		all.NextPageToken = l.query.PageToken
		return c.printJSON(all)
	case !l.ids && t.Len() > 0:
		t.Print(c.screen(c.out))
	case !l.ids:
		fmt.Fprintln(c.err, "no instances")
	}
	if l.query.PageToken != "" {
		fmt.Fprintf(c.err, "more: turnstile%s\n", l.next(&c.settings))
	}
	return nil
}

// next returns the command line for the next page.
func (l *listing) next(s *settings) string {
	line := s.Words() + " list" + l.words()
	line += " --limit " + strconv.Itoa(l.limit)
	if l.ids {
		line += " --ids"
	}
	return line + " --page-token " + plain.ShellWord(l.query.PageToken)
}

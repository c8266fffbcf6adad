package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/store"
)

func statuses() []string {
	return []string{
		string(client.StatusRunning), string(client.StatusStuck), string(client.StatusCorrupt),
		string(client.StatusCompleted), string(client.StatusFailed), string(client.StatusCancelled), string(client.StatusTerminated),
	}
}

func listCommand() *command {
	return &command{
		name: "list", most: 0,
		short: "list instances by status, name, time and search attributes",
		long: paragraph(
			"Lists instances by when they started, newest first. An instance that is stuck or",
			"corrupt is listed as that, not as running. If there are more, the command that shows",
			"the next page is printed behind the list.",
			"",
			"Conditions on search attributes (--where) are joined by and. Operators are = < <= > >=",
			"and ^= (begins with); a value is a text in quotes, a number, or a time like 2026-12-01",
			"or 2026-12-01T09:30:00Z. With an = an index finds the instances; all else is looked up",
			"in the record of each that --status, --name, --since, --until and the = leave."),
		examples: []string{
			"turnstile list --status stuck",
			"turnstile list --name Fulfil --since 24h",
			"turnstile list --status failed --since 2026-01-31 --until 2026-02-01 --all --output json",
			`turnstile list --where 'customer = "c-1" and total > 100'`,
			"turnstile list --status completed --until 30d --all --ids | xargs turnstile purge",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var l listing
			flags.StringVar(&l.status, "status", "", "only with this `STATUS`: "+strings.Join(statuses(), ", "))
			flags.StringVar(&l.query.Name, "name", "", "only of the orchestration `NAME`")
			flags.StringVar(&l.since, "since", "", "only started at this `TIME` or later: 24h or 7d ago, 2026-01-31, 2026-01-31T12:00:00Z")
			flags.StringVar(&l.until, "until", "", "only started before this `TIME`")
			flags.StringVar(&l.where, "where", "", "only those whose search attributes meet these `CONDITIONS`")
			flags.IntVar(&l.limit, "limit", 50, "`N` instances a page, at most 1000")
			flags.StringVar(&l.query.PageToken, "page-token", "", "go on behind a page, with the `TOKEN` that it printed")
			flags.BoolVar(&l.all, "all", false, "all pages")
			flags.BoolVar(&l.ids, "ids", false, "print ids alone, one a line")
			return func(ctx context.Context, _ []string) error {
				if err := l.check(c.now()); err != nil {
					return err
				}
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return c.list(ctx, cl, &l)
			}
		},
	}
}

// listing is what is to be listed, and how.
type listing struct {
	status, since, until, where string
	all, ids                    bool
	limit                       int
	query                       client.ListQuery
}

func (l *listing) check(now time.Time) (err error) {
	if l.status != "" && !slices.Contains(statuses(), l.status) {
		return usagef("--status %q: one of %s", l.status, strings.Join(statuses(), ", "))
	}
	if l.limit < 1 || l.limit > store.MaxPageSize {
		return usagef("--limit %d: 1 to %d", l.limit, store.MaxPageSize)
	}
	l.query.PageSize = l.limit
	l.query.Status = client.Status(l.status)
	if l.where != "" {
		if l.query.Where, err = client.ParseWhere(l.where); err != nil {
			return usagef("--where: %v", err)
		}
	}
	if l.query.From, err = parseTime("since", l.since, now); err != nil {
		return err
	}
	l.query.To, err = parseTime("until", l.until, now)
	return err
}

func (c *cli) list(ctx context.Context, cl *client.Client, l *listing) error {
	all := api.InstanceList{Instances: []api.Instance{}}
	t := newTable()
	t.row("INSTANCE", "ORCHESTRATION", "STATUS", "STARTED", "TOOK", "WHY")
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
				t.row(printable(d.Instance), printable(strings.TrimSpace(d.Name+" "+d.Version)), string(d.Status),
					moment(d.CreatedAt), c.took(d), clip(why(d), 100))
			}
		}
		l.query.PageToken = page.NextPageToken
		left -= len(page.Instances)
		if page.NextPageToken == "" || !l.all && left <= 0 {
			break
		}
		if !l.all {
			// With conditions a page may be short and not be the last.
			l.query.PageSize = left
		}
	}
	switch {
	case c.json():
		all.NextPageToken = l.query.PageToken
		return c.printJSON(all)
	case !l.ids && len(t.rows) > 1:
		t.print(c.out)
	case !l.ids:
		fmt.Fprintln(c.err, "no instances")
	}
	if l.query.PageToken != "" {
		fmt.Fprintf(c.err, "more: turnstile%s\n", l.next(&c.settings))
	}
	return nil
}

// took is how long an instance ran, or has been running.
func (c *cli) took(d *client.Description) string {
	if d.EndedAt.IsZero() {
		return span(max(c.now().Sub(d.CreatedAt), 0)) + "…"
	}
	return span(d.EndedAt.Sub(d.CreatedAt))
}

// why says in a line why an instance is not well.
func why(d *client.Description) string {
	switch {
	case d.Problem != nil:
		return printable(named(d.Problem.Kind, d.Problem.Message))
	case d.Failure != nil && d.Failure.Message != "":
		return printable(named(d.Failure.Kind, d.Failure.Message))
	}
	return ""
}

// named puts the kind before a message that does not begin with it itself.
func named(kind, message string) string {
	if strings.HasPrefix(message, kind) {
		return message
	}
	return kind + ": " + message
}

// next is the command line of the next page. Times stand in it as they were
// understood: the token belongs to them.
func (l *listing) next(s *settings) string {
	var b strings.Builder
	add := func(flag, value string) {
		if value != "" {
			b.WriteString(" --" + flag + " " + shellWord(value))
		}
	}
	add("stack", s.stack)
	add("region", s.region)
	add("profile", s.profile)
	b.WriteString(" list")
	add("status", l.status)
	add("name", l.query.Name)
	if !l.query.From.IsZero() {
		add("since", l.query.From.Format(time.RFC3339Nano))
	}
	if !l.query.To.IsZero() {
		add("until", l.query.To.Format(time.RFC3339Nano))
	}
	add("where", l.where)
	add("limit", strconv.Itoa(l.limit))
	if l.ids {
		b.WriteString(" --ids")
	}
	add("page-token", l.query.PageToken)
	return b.String()
}

// shellWord is a word as it can be pasted into a shell.
func shellWord(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(printable(s), "'", `'\''`) + "'"
}

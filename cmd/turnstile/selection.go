package main

import (
	"slices"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/store"
)

// condition returns the text of a condition error, without the prefix of package store.
func condition(err error) string {
	return strings.TrimPrefix(err.Error(), store.ErrBadSearch.Error()+": ")
}

// whereHelp explains the syntax and the cost of conditions.
const whereHelp = "Join conditions on search attributes (--where) with and. The operators are = < <= > >= and ^=\n" +
	"(starts with); a value is a quoted string, a number, or a time like 2026-12-01 or\n" +
	"2026-12-01T09:30:00Z. Conditions with = use an index. For all other conditions, and for --words,\n" +
	"--of-version, --parent and --ended-…, list reads the record of each instance that the other flags\n" +
	"select: on DynamoDB up to 1,000 records per page, which is at least 1,000 read units ($0.000125).\n" +
	"--schedule selects by the prefix of the ids, like --prefix. --queue works on a program that serves\n" +
	"its console; on AWS it is an error, because SQS cannot list messages."

// statuses returns the names of all statuses in the order of allStatuses.
func statuses() []string {
	var out []string
	for _, s := range allStatuses() {
		out = append(out, string(s))
	}
	return out
}

func allStatuses() []client.Status {
	return []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusForking, client.StatusCorrupt,
		client.StatusCompleted, client.StatusFailed, client.StatusCancelled, client.StatusTerminated}
}

// selection holds the flags that select instances.
type selection struct {
	status, since, until, where string
	endedSince, endedUntil      string
	query                       client.ListQuery
}

func (s *selection) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.status, "status", "", "instances with this `STATUS`: "+strings.Join(statuses(), ", "))
	flags.StringVar(&s.query.Name, "name", "", "only instances of the orchestration `NAME`")
	flags.StringVar(&s.query.Prefix, "prefix", "", "only instances whose id starts with `PREFIX`")
	flags.StringVar(&s.query.Words, "words", "", "only instances with these `WORDS` in the failure, problem or state status")
	flags.StringVar(&s.query.Version, "of-version", "", "only instances of this `VERSION` of the orchestration")
	flags.StringVar(&s.query.Parent, "parent", "", "only children of the instance `ID`")
	flags.StringVar(&s.query.Schedule, "schedule", "", "only instances that the schedule `NAME` started")
	flags.StringVar(&s.query.Queue, "queue", "", "only instances with an attempt in the activity queue `NAME`; not on AWS")
	flags.StringVar(&s.since, "since", "", "only instances started at this `TIME` or later: "+timeForms)
	flags.StringVar(&s.until, "until", "", "only instances started before this `TIME`")
	flags.StringVar(&s.endedSince, "ended-since", "", "only instances ended at this `TIME` or later")
	flags.StringVar(&s.endedUntil, "ended-until", "", "only instances ended before this `TIME`")
	flags.StringVar(&s.where, "where", "", "only instances whose search attributes match these `CONDITIONS`")
}

// given reports whether any selecting flag is set.
func (s *selection) given() bool {
	return s.status != "" || s.since+s.until+s.endedSince+s.endedUntil != "" || s.where != "" || s.query.Name != "" || s.query.Prefix != "" ||
		s.query.Words+s.query.Version+s.query.Parent+s.query.Schedule+s.query.Queue != ""
}

func (s *selection) check(now time.Time) (err error) {
	if s.status != "" && !slices.Contains(statuses(), s.status) {
		return notOneOf("status", s.status, statuses())
	}
	s.query.Status = client.Status(s.status)
	if s.where != "" {
		if s.query.Where, err = client.ParseWhere(s.where); err != nil {
			return usagef("--where: %s", condition(err))
		}
	}
	if s.query.From, err = parseTime("since", s.since, now); err != nil {
		return err
	}
	if s.query.To, err = parseTime("until", s.until, now); err != nil {
		return err
	}
	if !s.query.From.IsZero() && !s.query.To.IsZero() && !s.query.From.Before(s.query.To) {
		return usagef("--since %s must be before --until %s", s.since, s.until)
	}
	if s.query.EndedFrom, err = parseTime("ended-since", s.endedSince, now); err != nil {
		return err
	}
	if s.query.EndedTo, err = parseTime("ended-until", s.endedUntil, now); err != nil {
		return err
	}
	if !s.query.EndedFrom.IsZero() && !s.query.EndedTo.IsZero() && !s.query.EndedFrom.Before(s.query.EndedTo) {
		return usagef("--ended-since %s must be before --ended-until %s", s.endedSince, s.endedUntil)
	}
	return nil
}

// words returns the flags of the selection, quoted for a shell. Relative times are replaced by
// absolute ones, because a page token is valid only for the same times.
func (s *selection) words() string {
	var b strings.Builder
	add := func(flag, value string) {
		if value != "" {
			b.WriteString(" --" + flag + " " + plain.ShellWord(value))
		}
	}
	add("status", s.status)
	add("name", s.query.Name)
	add("prefix", s.query.Prefix)
	add("words", s.query.Words)
	add("of-version", s.query.Version)
	add("parent", s.query.Parent)
	add("schedule", s.query.Schedule)
	add("queue", s.query.Queue)
	if !s.query.From.IsZero() {
		add("since", s.query.From.Format(time.RFC3339Nano))
	}
	if !s.query.To.IsZero() {
		add("until", s.query.To.Format(time.RFC3339Nano))
	}
	if !s.query.EndedFrom.IsZero() {
		add("ended-since", s.query.EndedFrom.Format(time.RFC3339Nano))
	}
	if !s.query.EndedTo.IsZero() {
		add("ended-until", s.query.EndedTo.Format(time.RFC3339Nano))
	}
	add("where", s.where)
	return b.String()
}

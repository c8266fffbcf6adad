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

// condition says what is wrong with the conditions of a flag, without the package
// that says so.
func condition(err error) string {
	return strings.TrimPrefix(err.Error(), store.ErrBadSearch.Error()+": ")
}

// whereHelp says how conditions are written.
const whereHelp = "Conditions on search attributes (--where) are joined by and. Operators are = < <= > >=\n" +
	"and ^= (begins with); a value is a text in quotes, a number, or a time like 2026-12-01\n" +
	"or 2026-12-01T09:30:00Z. An index finds instances by =. For any other condition, and for\n" +
	"--words, --of-version, --parent and --ended-…, it reads the record of each instance that the\n" +
	"other flags select: on DynamoDB up to 1,000, which is at least 1,000 read units ($0.000125),\n" +
	"for a page. --schedule finds by the beginning of the ids, as --prefix does. SQS does not list\n" +
	"messages: --queue works on a program that serves its console, and is an error on AWS."

// statuses in the order in which they are named.
func statuses() []string {
	var out []string
	for _, s := range allStatuses() {
		out = append(out, string(s))
	}
	return out
}

func allStatuses() []client.Status {
	return []client.Status{client.StatusRunning, client.StatusStuck, client.StatusSuspended, client.StatusScheduled, client.StatusQueued, client.StatusCorrupt,
		client.StatusCompleted, client.StatusFailed, client.StatusCancelled, client.StatusTerminated}
}

// selection says which instances are meant.
type selection struct {
	status, since, until, where string
	endedSince, endedUntil      string
	query                       client.ListQuery
}

func (s *selection) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.status, "status", "", "only with this `STATUS`: "+strings.Join(statuses(), ", "))
	flags.StringVar(&s.query.Name, "name", "", "only of the orchestration `NAME`")
	flags.StringVar(&s.query.Prefix, "prefix", "", "only instances whose id begins with `PREFIX`")
	flags.StringVar(&s.query.Words, "words", "", "only instances whose failure, problem or custom status has these `WORDS`")
	flags.StringVar(&s.query.Version, "of-version", "", "only of the `VERSION` of the orchestration")
	flags.StringVar(&s.query.Parent, "parent", "", "only the children of the instance `ID`")
	flags.StringVar(&s.query.Schedule, "schedule", "", "only instances that the schedule `NAME` has started")
	flags.StringVar(&s.query.Queue, "queue", "", "only instances with an attempt in the activity queue `NAME`; not on AWS")
	flags.StringVar(&s.since, "since", "", "only started at this `TIME` or later: "+timeForms)
	flags.StringVar(&s.until, "until", "", "only started before this `TIME`")
	flags.StringVar(&s.endedSince, "ended-since", "", "only ended at this `TIME` or later")
	flags.StringVar(&s.endedUntil, "ended-until", "", "only ended before this `TIME`")
	flags.StringVar(&s.where, "where", "", "only instances whose search attributes meet these `CONDITIONS`")
}

// given reports whether anything was selected.
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
		return usagef("--since %s is not before --until %s: nothing can have started in between", s.since, s.until)
	}
	if s.query.EndedFrom, err = parseTime("ended-since", s.endedSince, now); err != nil {
		return err
	}
	if s.query.EndedTo, err = parseTime("ended-until", s.endedUntil, now); err != nil {
		return err
	}
	if !s.query.EndedFrom.IsZero() && !s.query.EndedTo.IsZero() && !s.query.EndedFrom.Before(s.query.EndedTo) {
		return usagef("--ended-since %s is not before --ended-until %s: nothing can have ended in between", s.endedSince, s.endedUntil)
	}
	return nil
}

// words are the flags of the selection as they can be pasted into a shell. Times
// stand in them as they were understood: a page token belongs to them.
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

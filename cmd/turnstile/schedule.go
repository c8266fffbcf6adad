package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/schedule"
)

// onSchedule is a command that takes the name of a schedule.
func onSchedule(verb, short, long string, flags func(c *cli, flags *flag.FlagSet) func(ctx context.Context, cl instances, name string) error, examples ...string) *command {
	return &command{
		name: "schedule " + verb, operands: "SCHEDULE", least: 1, most: 1, short: short, long: long, examples: examples,
		declare: func(c *cli, set *flag.FlagSet) action {
			do := flags(c, set)
			return func(ctx context.Context, operands []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return scheduleError(do(ctx, cl, operands[0]))
			}
		},
	}
}

// scheduleError makes what is wrong with a value an error of the command line.
func scheduleError(err error) error {
	if invalid, ok := errors.AsType[*schedule.InvalidError](err); ok {
		return usagef("%v", invalid)
	}
	return err
}

func scheduleListCommand() *command {
	return &command{
		name: "schedule list", also: []string{"schedules", "cron"}, most: 0,
		short: "list schedules, with their next tick",
		long: paragraph(
			"Lists the schedules of the stack, newest first, a record read for each. A schedule is",
			"an instance of the orchestration "+schedule.OrchestrationName+"."),
		examples: []string{"turnstile schedule list", "turnstile schedule list --output json"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, _ []string) error {
				cl, err := c.client(ctx)
				if err != nil {
					return err
				}
				return c.schedules(ctx, cl)
			}
		},
	}
}

func (c *cli) schedules(ctx context.Context, cl instances) error {
	all := []schedule.State{}
	t := term.NewTable("SCHEDULE", "STATUS", "WHEN", "NEXT", "STARTED", "MISSED", "STARTS")
	for token := ""; ; {
		page, err := schedule.NewClient(cl).List(ctx, token)
		if err != nil {
			return err
		}
		for i := range page.Schedules {
			s := &page.Schedules[i]
			all = append(all, s.State)
			t.Row(term.Text(printable.Line(s.Definition.Name)), term.Text(scheduleStatus(s)), term.Text(when(&s.Definition)), term.Text(nextTick(s)),
				term.Text(fmt.Sprint(s.Started)), term.Text(fmt.Sprint(s.MissedTicks)), term.Text(printable.Line(s.Definition.Starts.Name)))
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	switch {
	case c.json():
		return c.printJSON(all)
	case t.Len() == 0:
		fmt.Fprintln(c.err, "no schedules")
	default:
		t.Print(c.screen(c.out))
	}
	return nil
}

func scheduleStatus(s *schedule.Description) string {
	switch {
	case s.Instance.Status != client.StatusRunning:
		return string(s.Instance.Status)
	case s.Paused:
		return "paused"
	case s.Next.IsZero():
		return "over"
	}
	return "active"
}

func nextTick(s *schedule.Description) string {
	if s.Next.IsZero() {
		return "–"
	}
	return s.Next.UTC().Format(time.RFC3339)
}

// when says when a schedule is due.
func when(d *schedule.Definition) string {
	if d.Cron == "" {
		return "every " + d.Every.String()
	}
	if d.Zone == "" {
		return d.Cron + " UTC"
	}
	return d.Cron + " " + d.Zone
}

func scheduleShowCommand() *command {
	return onSchedule("show", "show a schedule: its next ticks, started instances, missed ticks",
		paragraph("Shows the definition, the next five ticks, the newest ten instances with what became of",
			"them, and the newest ticks that started nothing, with their reason: overlap, buffer full,",
			"outage or deleted. Times are UTC."),
		func(c *cli, _ *flag.FlagSet) func(context.Context, instances, string) error {
			return func(ctx context.Context, cl instances, name string) error {
				d, err := schedule.NewClient(cl).Describe(ctx, name)
				if err != nil {
					return err
				}
				if c.json() {
					return c.printJSON(d.State)
				}
				showSchedule(c.out, &d)
				return nil
			}
		}, "turnstile schedule show nightly-report")
}

func showSchedule(out io.Writer, d *schedule.Description) {
	row := func(name, text string) { fmt.Fprintf(out, "%-10s %s\n", name, printable.Line(text)) }
	row("schedule", d.Definition.Name)
	row("status", scheduleStatus(d))
	if d.Note != "" {
		row("note", d.Note)
	}
	if p := d.Instance.Problem; p != nil {
		row("problem", p.Message)
	}
	row("due", when(&d.Definition))
	row("starts", strings.TrimSpace(d.Definition.Starts.Name+" "+d.Definition.Starts.Version))
	row("overlap", string(orDefault(d.Definition.Overlap, schedule.Skip)))
	row("catch-up", string(orDefault(d.Definition.CatchUp, schedule.CatchUpLast)))
	row("instance", d.Instance.Instance)
	for _, at := range d.Ticks {
		row("next", at.UTC().Format(time.RFC3339))
	}
	for i := len(d.Recent) - 1; i >= 0; i-- {
		r := &d.Recent[i]
		row("started", strings.TrimSpace(r.Tick.UTC().Format(time.RFC3339)+"  "+r.Instance+"  "+r.Outcome+"  "+r.Failure))
	}
	for i := len(d.Missed) - 1; i >= 0; i-- {
		m := &d.Missed[i]
		text := m.From.UTC().Format(time.RFC3339)
		if m.Ticks > 1 {
			text += " to " + m.To.UTC().Format(time.RFC3339)
		}
		row("missed", fmt.Sprintf("%s  %s  %s", text, plain.Plural(m.Ticks, "tick", "ticks"), m.Reason))
	}
	if n := len(d.Buffered); n > 0 {
		row("waiting", plain.Plural(n, "tick waits", "ticks wait")+" until nothing runs")
	}
}

func orDefault[T ~string](value, standard T) T {
	if value == "" {
		return standard
	}
	return value
}

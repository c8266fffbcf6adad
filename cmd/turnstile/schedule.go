package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/scheduling"
	"github.com/turnstile-go/turnstile/schedule"
)

// onSchedule is a command that takes the name of a schedule.
func onSchedule(verb, short, long string, flags func(c *cli, flags *flag.FlagSet) func(ctx context.Context, cl backend.Instances, name string) error, examples ...string) *command {
	offered := scheduleNames
	if verb == "create" {
		offered = nil // A new name.
	}
	return &command{
		name: "schedule " + verb, operands: "SCHEDULE", least: 1, most: 1, words: offered, short: short, long: long, examples: examples,
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

// scheduleNames offers the schedules of a page, with what they start.
func scheduleNames(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := c.offering(ctx)
	defer cancel()
	if len(operands) > 0 || c.resolve() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cl, err := c.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	page, _ := schedule.NewClient(cl).List(ctx, "")
	var out []string
	for i := range page.Schedules {
		if s := &page.Schedules[i]; strings.HasPrefix(s.Definition.Name, prefix) {
			out = append(out, printable.Line(s.Definition.Name)+"\tstarts "+printable.Line(s.Definition.Starts.Name))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func scheduleListCommand() *command {
	return &command{
		name: "schedule list", also: []string{"schedules", "cron"}, most: 0,
		short: "list schedules, with their next tick",
		long: paragraph(
			"Lists the schedules of the stack, newest first, a record read for each. A schedule is",
			"an instance of the orchestration "+scheduling.Orchestration+"."),
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

func (c *cli) schedules(ctx context.Context, cl backend.Instances) error {
	all := []schedule.State{}
	t := views.NewSchedules()
	for token := ""; ; {
		page, err := schedule.NewClient(cl).List(ctx, token)
		if err != nil {
			return err
		}
		for i := range page.Schedules {
			s := &page.Schedules[i]
			all = append(all, s.State)
			t.Row(s)
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

func scheduleShowCommand() *command {
	return onSchedule("show", "show a schedule: its next ticks, started instances, missed ticks",
		paragraph("Shows the definition, the next five ticks, the newest ten instances with what became of",
			"them, and the newest ticks that started nothing, with their reason: overlap, buffer full,",
			"outage or deleted. Times are UTC."),
		func(c *cli, _ *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			return func(ctx context.Context, cl backend.Instances, name string) error {
				d, err := schedule.NewClient(cl).Describe(ctx, name)
				if err != nil {
					return err
				}
				if c.json() {
					return c.printJSON(d.State)
				}
				views.Schedule(c.out, &d)
				return nil
			}
		}, "turnstile schedule show nightly-report")
}

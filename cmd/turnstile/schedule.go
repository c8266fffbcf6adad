package main

import (
	"context"
	"errors"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/schedule"
)

// onSchedule returns a command whose operand is the name of a schedule.
func onSchedule(verb, short, long string, flags func(c *cli, flags *flag.FlagSet) func(ctx context.Context, cl backend.Instances, name string) error, examples ...string) *command {
	offered := scheduleNames
	if verb == "create" {
		offered = nil // create takes a new name.
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

// scheduleError turns an invalid definition into a usage error.
func scheduleError(err error) error {
	if invalid, ok := errors.AsType[*schedule.InvalidError](err); ok {
		return usagef("%v", invalid)
	}
	return err
}

// scheduleNames completes names of schedules from the first page, each with its orchestration.
var scheduleNames = inOrder(known(func(ctx context.Context, cl backend.Instances, _ []string, offer func(word, about string)) {
	page, _ := cl.ScheduleList(ctx, "")
	for i := range page.Schedules {
		offer(page.Schedules[i].Name, "starts "+page.Schedules[i].Orchestration)
	}
}))

func scheduleListCommand() *command {
	return &command{
		name: "schedule list", also: []string{"schedules", "cron"}, most: 0,
		short: "list schedules with their next scheduled time",
		long: paragraph(
			"Lists the schedules of the stack, newest first. It reads one record for each schedule. A schedule",
			"is an instance of the orchestration "+coordination.Schedules+"."),
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
	all, err := cl.ScheduleList(ctx, "")
	for err == nil && all.NextPageToken != "" {
		var page api.ScheduleList
		page, err = cl.ScheduleList(ctx, all.NextPageToken)
		all.Schedules, all.NextPageToken = append(all.Schedules, page.Schedules...), page.NextPageToken
	}
	switch {
	case err != nil:
		return err
	case c.json():
		return c.printJSON(all)
	case len(all.Schedules) == 0:
		fmt.Fprintln(c.err, "no schedules")
	default:
		views.Schedules(c.screen(c.out), all.Schedules)
	}
	return nil
}

func scheduleShowCommand() *command {
	return onSchedule("show", "show a schedule with its next runs, started instances and skipped runs",
		paragraph("Shows the definition, the next five scheduled times, the newest ten instances with their outcome,",
			"and the newest runs that started no instance, with the reason: overlap, buffer full, outage or",
			"deleted. Times are in UTC."),
		func(c *cli, _ *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			return func(ctx context.Context, cl backend.Instances, name string) error {
				s, err := cl.Schedule(ctx, name)
				if err != nil {
					return err
				}
				return c.show(s, func() { views.Schedule(c.out, &s) })
			}
		}, "turnstile schedule show nightly-report")
}

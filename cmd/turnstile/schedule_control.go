package main

import (
	"context"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/scheduling"
	"github.com/turnstile-go/turnstile/schedule"
)

func schedulePauseCommand() *command {
	return onSchedule("pause", "stop a schedule until it is resumed",
		paragraph("A paused schedule starts nothing. Ticks that pass meanwhile are not started when it is",
			"resumed; schedule backfill starts them."),
		noted("paused", (*schedule.Client).Pause), `turnstile schedule pause nightly-report --reason 'the warehouse moves'`)
}

func scheduleResumeCommand() *command {
	return onSchedule("resume", "let a paused schedule continue with its next tick",
		paragraph("It continues with the first tick after now."),
		noted("resumed", (*schedule.Client).Resume), "turnstile schedule resume nightly-report")
}

func scheduleDeleteCommand() *command {
	return onSchedule("delete", "delete a schedule; the instances that it has started continue",
		paragraph("The name is free when show no longer finds it. A deployment that applies its definition creates",
			"it again."),
		noted("deleted", (*schedule.Client).Delete), "turnstile schedule delete nightly-report")
}

// noted is what takes a schedule and a reason.
func noted(done string, do func(c *schedule.Client, ctx context.Context, name, note string) error) func(*cli, *flag.FlagSet) func(context.Context, backend.Instances, string) error {
	return func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
		reason := flags.String("reason", "", "`TEXT` that schedule show shows")
		c.settings.declareActor(flags)
		return func(ctx context.Context, cl backend.Instances, name string) error {
			if err := do(schedule.NewClient(cl), ctx, name, *reason); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "schedule %s will be %s\n", name, done)
			return nil
		}
	}
}

func scheduleTriggerCommand() *command {
	return onSchedule("trigger", "start what a schedule starts, now",
		paragraph("Starts an instance whatever runs, also while the schedule is paused. Prints its id."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				instance, err := schedule.NewClient(cl).Trigger(ctx, name)
				if err == nil {
					fmt.Fprintln(c.out, instance)
				}
				return err
			}
		}, "turnstile schedule trigger nightly-report")
}

func scheduleBackfillCommand() *command {
	return onSchedule("backfill", "start the ticks of a time that is over",
		paragraph("Starts each tick from --since to --until, at most "+fmt.Sprint(scheduling.MaxBackfill)+": side by side with the overlap policy",
			"allow, otherwise one after another, behind the ticks that come meanwhile. A tick that",
			"has an instance is not started again."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			since := flags.String("since", "", "from this `TIME` on: 24h or 7d ago, 2026-01-31, 2026-01-31T12:00:00Z; required")
			until := flags.String("until", "", "to this `TIME`; default now")
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				from, err := parseTime("since", *since, c.now())
				if err != nil {
					return err
				}
				if from.IsZero() {
					return usagef("--since is required: the time of the first tick")
				}
				to, err := parseTime("until", *until, c.now())
				if err != nil {
					return err
				}
				if to.IsZero() {
					to = c.now()
				}
				n, err := schedule.NewClient(cl).Backfill(ctx, name, from, to)
				if err == nil {
					fmt.Fprintf(c.out, "%s will be started\n", plain.Plural(n, "tick", "ticks"))
				}
				return err
			}
		}, "turnstile schedule backfill nightly-report --since 7d", "turnstile schedule backfill nightly-report --since 2026-11-01 --until 2026-11-08")
}

func scheduleCreateCommand() *command {
	return onSchedule("create", "create a schedule, or change one with --update",
		paragraph("Schedules that belong to an application are better declared in its code and applied",
			"at each deployment (package schedule). To create one that is there with the same",
			"definition changes nothing. docs/guide/schedules.md says what the policies mean."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			var d schedule.Definition
			flags.StringVar(&d.Cron, "cron", "", "`EXPRESSION` of five fields: minute, hour, day of month, month, day of week; or @daily and the like")
			flags.StringVar(&d.Zone, "zone", "", "IANA `ZONE` of --cron, such as Europe/Berlin; default UTC")
			flags.DurationVar(&d.Every, "every", 0, "an interval, in place of --cron: 30s, 15m, 24h")
			flags.DurationVar(&d.Jitter, "jitter", 0, "delay each tick by a part of this `TIME`, 1h at most")
			overlap := flags.String("overlap", "", "`POLICY` while an instance runs: skip (default), buffer_one, buffer_all, allow, cancel_running, terminate_running")
			catchUp := flags.String("catch-up", "", "`POLICY` after an outage: last (default), all, none")
			flags.DurationVar(&d.Window, "window", 0, "with --catch-up all: start ticks up to this `TIME` late; default 1h")
			flags.StringVar(&d.Starts.Name, "starts", "", "`NAME` of the orchestration that it starts; required")
			flags.StringVar(&d.Starts.Version, "version", "", "`VERSION` of it; default the newest that is deployed")
			input := flags.String("input", "", "`JSON`, @FILE, or - for standard input")
			update := flags.Bool("update", false, "change the schedule if it is there with another definition")
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				var err error
				if d.Starts.Input, err = c.readPayload("input", *input); err != nil {
					return err
				}
				d.Name, d.Overlap, d.CatchUp = name, schedule.Overlap(*overlap), schedule.CatchUp(*catchUp)
				c.warnOfStart(ctx, cl, &client.StartRequest{Name: d.Starts.Name, Version: d.Starts.Version, Input: d.Starts.Input})
				if !*update {
					if err := schedule.NewClient(cl).Create(ctx, d); err != nil {
						return err
					}
					fmt.Fprintf(c.out, "schedule %s will be due at %s\n", name, firstTick(&d, c.now()))
					return nil
				}
				changes, err := schedule.NewClient(cl).Apply(ctx, d)
				for _, change := range changes {
					fmt.Fprintf(c.out, "schedule %s %s\n", change.Name, change.Did)
				}
				return err
			}
		}, `turnstile schedule create nightly-report --cron '0 3 * * *' --zone Europe/Berlin --starts Report --input '{"kind":"daily"}'`,
		"turnstile schedule create sweep --every 15m --starts Sweep --update")
}

func firstTick(d *schedule.Definition, now time.Time) string {
	if ticks := d.Next(now, 1); len(ticks) > 0 {
		return ticks[0].UTC().Format(time.RFC3339)
	}
	return "no time after now"
}

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/schedule"
)

func schedulePauseCommand() *command {
	return onSchedule("pause", "stop a schedule until it is resumed",
		paragraph("A paused schedule starts no instances. Resume does not start the runs that were due during the",
			"pause; schedule backfill starts them."),
		noted("paused", acts.PauseSchedule), `turnstile schedule pause nightly-report --reason 'the warehouse moves'`)
}

func scheduleResumeCommand() *command {
	return onSchedule("resume", "resume a paused schedule at its next scheduled time",
		paragraph("The next run is the first one that is due after now."),
		noted("resumed", acts.ResumeSchedule), "turnstile schedule resume nightly-report")
}

func scheduleDeleteCommand() *command {
	return onSchedule("delete", "delete a schedule; the instances that it started continue",
		paragraph("The name can be reused as soon as schedule show no longer finds it. A deployment that applies the",
			"schedule's definition creates it again."),
		noted("deleted", acts.DeleteSchedule), "turnstile schedule delete nightly-report")
}

// noted declares --reason and returns the function that sends an act with it.
func noted(done string, act *acts.Act[api.ScheduleNote, api.ScheduleAsked]) func(*cli, *flag.FlagSet) func(context.Context, backend.Instances, string) error {
	return func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
		reason := flags.String("reason", "", "reason `TEXT`, shown by schedule show")
		c.settings.declareActor(flags)
		return func(ctx context.Context, cl backend.Instances, name string) error {
			asked, err := act.Call(ctx, cl, name, api.ScheduleNote{Note: *reason})
			if err != nil {
				return err
			}
			return c.did(c.out, asked, fmt.Sprintf("schedule %s will be %s", name, done))
		}
	}
}

func scheduleTriggerCommand() *command {
	return onSchedule("trigger", "start an instance of a schedule now",
		paragraph("Starts an instance and prints its id, regardless of running instances and even if the schedule is paused."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				asked, err := acts.TriggerSchedule.Call(ctx, cl, name, api.Nothing{})
				if err != nil {
					return err
				}
				return c.did(c.out, asked, asked.Instance)
			}
		}, "turnstile schedule trigger nightly-report")
}

func scheduleBackfillCommand() *command {
	return onSchedule("backfill", "start the runs of a past period",
		paragraph("Starts each run that was due from --since to --until, at most "+fmt.Sprint(coordination.MaxBackfill)+". They run concurrently with the",
			"overlap policy allow, otherwise one after another, after runs that become due in the meantime. A",
			"run that already has an instance is not started again."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			since := flags.String("since", "", "start of the period, a `TIME`: 24h or 7d ago, 2026-01-31, 2026-01-31T12:00:00Z; required")
			until := flags.String("until", "", "end of the period, a `TIME`; default now")
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				from, err := parseTime("since", *since, c.now())
				if err != nil {
					return err
				}
				if from.IsZero() {
					return usagef("--since is required: pass the start of the period")
				}
				to, err := parseTime("until", *until, c.now())
				if err != nil {
					return err
				}
				if to.IsZero() {
					to = c.now()
				}
				asked, err := acts.BackfillSchedule.Call(ctx, cl, name, api.ScheduleBackfill{From: from, To: to})
				if err != nil {
					return err
				}
				return c.did(c.out, asked, plain.Plural(asked.Runs, "run", "runs")+" will be started")
			}
		}, "turnstile schedule backfill nightly-report --since 7d", "turnstile schedule backfill nightly-report --since 2026-11-01 --until 2026-11-08")
}

func scheduleCreateCommand() *command {
	return onSchedule("create", "create a schedule, or change one with --update",
		paragraph("Creates a schedule and waits until it exists. If a schedule with the same definition exists, the",
			"command changes nothing; if another caller creates one with a different definition, it fails.",
			"For the schedules of an application, prefer a declaration in its code that each deployment",
			"applies (package schedule). docs/guide/schedules.md describes the policies."),
		func(c *cli, flags *flag.FlagSet) func(context.Context, backend.Instances, string) error {
			var d schedule.Definition
			flags.StringVar(&d.Cron, "cron", "", "`EXPRESSION` of five fields: minute, hour, day of month, month, day of week; or @daily and the like")
			flags.StringVar(&d.TimeZone, "zone", "", "IANA time `ZONE` of --cron, such as Europe/Berlin; default UTC")
			flags.DurationVar(&d.Every, "every", 0, "interval, instead of --cron: 30s, 15m, 24h")
			flags.DurationVar(&d.Jitter, "jitter", 0, "delay each run by a random part of this `TIME`, at most 1h")
			overlap := flags.String("overlap", "", "`POLICY` while an instance runs: skip (default), buffer_one, buffer_all, allow, cancel_running, terminate_running")
			catchUp := flags.String("catch-up", "", "`POLICY` after an outage: last (default), all, none")
			flags.DurationVar(&d.Window, "window", 0, "with --catch-up all: start runs that are up to this `TIME` late; default 1h")
			flags.StringVar(&d.Starts.Name, "starts", "", "`NAME` of the orchestration to start; required")
			flags.StringVar(&d.Starts.Version, "version", "", "`VERSION` of the orchestration; default the newest deployed version")
			input := flags.String("input", "", "input as `JSON`, @FILE, or - for standard input")
			timeout := flags.Duration("timeout", 30*time.Second, "without --update: `TIME` to wait until the schedule exists")
			var check checks
			check.declare(flags)
			update := flags.Bool("update", false, "change the schedule if it exists with a different definition")
			c.settings.declareActor(flags)
			return func(ctx context.Context, cl backend.Instances, name string) error {
				var err error
				if d.Starts.Input, err = c.readPayload("--input", *input); err != nil {
					return err
				}
				d.Name, d.Overlap, d.CatchUp = name, schedule.Overlap(*overlap), schedule.CatchUp(*catchUp)
				check.start(ctx, cl, &client.StartRequest{Name: d.Starts.Name, Version: d.Starts.Version, Input: d.Starts.Input})
				if err := check.passed(c); err != nil {
					return err
				}
				if !*update {
					if err := createSchedule(ctx, schedule.NewClient(cl), d, *timeout); err != nil {
						return err
					}
					fmt.Fprintf(c.out, "schedule %s will be due at %s\n", name, firstTick(&d, c.now()))
					return nil
				}
				changes, err := schedule.NewClient(cl).Apply(ctx, d)
				for _, change := range changes {
					fmt.Fprintf(c.out, "schedule %s %s\n", change.Name, change.Action)
				}
				return err
			}
		}, `turnstile schedule create nightly-report --cron '0 3 * * *' --zone Europe/Berlin --starts Report --input '{"kind":"daily"}'`,
		"turnstile schedule create sweep --every 15m --starts Sweep --update")
}

// createSchedule creates a schedule and waits until it exists with this definition.
func createSchedule(ctx context.Context, cl *schedule.Client, d schedule.Definition, timeout time.Duration) error {
	if err := cl.Create(ctx, d); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := cl.WaitCreated(ctx, d)
	if _, late := errors.AsType[*client.WaitError](err); late {
		return fmt.Errorf("the creation of schedule %q is queued, but the schedule does not exist after %s: %w; `turnstile schedule show %s` shows it as soon as it exists",
			d.Name, timeout, err, plain.Operand(d.Name))
	}
	return err
}

func firstTick(d *schedule.Definition, now time.Time) string {
	if ticks := d.Next(now, 1); len(ticks) > 0 {
		return ticks[0].UTC().Format(time.RFC3339)
	}
	return "no time after now"
}

package guide_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Schedules.

type ReportInput struct{ Kind string }

var Report = turnstile.NewOrchestration[ReportInput, string]("Report")

var nightly = schedule.Definition{
	Name:     "nightly-report",
	Cron:     "0 3 * * *",
	TimeZone: "Europe/Berlin",
	Overlap:  schedule.BufferOne,
	Starts:   schedule.Orchestration(Report, ReportInput{Kind: "daily"}),
}

func applySchedules(ctx context.Context, c *client.Client) error {
	changes, err := schedule.NewClient(c).Apply(ctx, nightly)
	for _, change := range changes {
		fmt.Println(change.Name, change.Action)
	}
	return err
}

func newScheduledApp() *turnstile.App {
	return turnstile.NewApp(Report.Implement(report), schedule.Part())
}

func report(_ turnstile.Context, in ReportInput) (string, error) { return in.Kind, nil }

func operate(ctx context.Context, c *client.Client) error {
	schedules := schedule.NewClient(c)
	if err := schedules.Pause(ctx, "nightly-report", "the warehouse moves"); err != nil {
		return err
	}
	if err := schedules.Resume(ctx, "nightly-report", "the warehouse has moved"); err != nil {
		return err
	}
	instance, err := schedules.Trigger(ctx, "nightly-report")
	if err != nil {
		return err
	}
	fmt.Println("started", instance)

	from, to := time.Now().AddDate(0, 0, -7), time.Now()
	_, err = schedules.Backfill(ctx, "nightly-report", from, to)
	return err
}

func TestTheSchedulesOfTheGuide(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, newScheduledApp(), turnstiletest.WithStartTime(time.Now()))
	if err := applySchedules(t.Context(), env.Client()); err != nil {
		t.Fatal(err)
	}
	env.Advance(time.Minute)
	if err := operate(t.Context(), env.Client()); err != nil {
		t.Fatal(err)
	}
	env.Advance(48 * time.Hour)
	d, err := schedule.NewClient(env.Client()).Describe(t.Context(), "nightly-report")
	if err != nil || d.Started != 10 { // One triggered, seven of the backfill, two nights.
		t.Errorf("%d started, %v", d.Started, err)
	}
}

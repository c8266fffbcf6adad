package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A year of ticks with outages, deployments and both changes of the clock: each tick was
// started, or is missed with its reason. Here every hour of the days around outages and changes of the
// clock; every minute of the year with -args -minutes 1. Deployments and outages make the schedule
// replay.
func TestEachRunOfAYearIsAccountedFor(t *testing.T) {
	t.Parallel()
	part := report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil })
	good, bad := turnstile.NewApp(schedule.Part(), part), turnstile.NewApp(part)
	start := time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)
	cron, firstDay, months := "0 * 25-31 2,3,5,8,10,11 *", 25, []time.Month{2, 3, 5, 8, 10, 11}
	if *minutes < 60 {
		cron, firstDay, months = fmt.Sprintf("*/%d * * * *", *minutes), 1, []time.Month{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	}
	env := turnstiletest.New(t, good, turnstiletest.WithStartTime(start), turnstiletest.AllowStuck(), turnstiletest.KeepWarm(), turnstiletest.WithMaxBatches(10_000_000))
	d := schedule.Definition{Name: "year", Cron: cron, TimeZone: "Europe/Berlin",
		CatchUp: schedule.CatchUpAll, Window: 2 * time.Hour, Overlap: schedule.Allow, Starts: schedule.Orchestration(report, "x")}
	if err := schedule.NewClient(env.Client()).Create(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	for month := range 12 {
		env.Advance(25 * 24 * time.Hour)
		env.Deploy(good)
		if month%3 == 1 { // An outage, of six hours, and the next deployment.
			env.Deploy(bad)
			env.Advance(6 * time.Hour)
			env.Deploy(good)
			if err := env.Client().Wake(t.Context(), coordination.ScheduleID("year")); err != nil {
				t.Fatal(err)
			}
		}
		env.Advance(time.Date(2026, time.Month(month+2), 1, 0, 0, 30, 0, time.UTC).Sub(env.Now()))
	}
	found, err := schedule.NewClient(env.Client()).Describe(t.Context(), "year")
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for scheduled := start.Truncate(time.Hour).Add(time.Duration(*minutes) * time.Minute); scheduled.Before(env.Now()); scheduled = scheduled.Add(time.Duration(*minutes) * time.Minute) {
		if shown := scheduled.In(berlin); shown.Day() >= firstDay && slices.Contains(months, shown.Month()) {
			all++
		}
	}
	outages := 4 * 4 * 60 / *minutes // Of six hours each the last two are caught up.
	t.Logf("%d started, %d missed, execution %d: %+v", found.Started, found.MissedRuns, found.Instance.ExecutionID, found.Missed)
	if found.Started+found.MissedRuns != all {
		t.Errorf("%d ticks were started and %d missed, want %d in all", found.Started, found.MissedRuns, all)
	}
	if off := found.MissedRuns - outages; off < -8 || off > 8 || len(found.Missed) != 4 {
		t.Errorf("%d ticks were missed, want about %d in four outages: %+v", found.MissedRuns, outages, found.Missed)
	}
}

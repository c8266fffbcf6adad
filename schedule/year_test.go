package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/scheduling"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A year of ticks with outages, deployments and both changes of the clock: each tick was
// started, or is missed with its reason. Every hour here, every minute with -args
// -minutes 1.
func TestEachTickOfAYearIsAccountedFor(t *testing.T) {
	t.Parallel()
	part := report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil })
	good, bad := turnstile.NewApp(schedule.Part(), part), turnstile.NewApp(part)
	start := time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC)
	options := []turnstiletest.Option{turnstiletest.WithStartTime(start), turnstiletest.AllowStuck(), turnstiletest.WithMaxBatches(10_000_000)}
	cron := "0 * * * *"
	if *minutes < 60 {
		cron = fmt.Sprintf("*/%d * * * *", *minutes)
		// Cold, each tick replays ten others. Deployments make it so often enough.
		options = append(options, turnstiletest.KeepWarm())
	}
	env := turnstiletest.New(t, good, options...)
	d := schedule.Definition{Name: "year", Cron: cron, Zone: "Europe/Berlin",
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
			if err := env.Client().Wake(t.Context(), scheduling.InstanceID("year")); err != nil {
				t.Fatal(err)
			}
		}
		env.Advance(time.Date(2026, time.Month(month+2), 1, 0, 0, 30, 0, time.UTC).Sub(env.Now()))
	}
	found, err := schedule.NewClient(env.Client()).Describe(t.Context(), "year")
	if err != nil {
		t.Fatal(err)
	}
	all := 365 * 24 * 60 / *minutes
	outages := 4 * 4 * 60 / *minutes // Of six hours each the last two are caught up.
	t.Logf("%d started, %d missed, execution %d: %+v", found.Started, found.MissedTicks, found.Instance.ExecutionID, found.Missed)
	if found.Started+found.MissedTicks != all {
		t.Errorf("%d ticks were started and %d missed, want %d in all", found.Started, found.MissedTicks, all)
	}
	if off := found.MissedTicks - outages; off < -8 || off > 8 || len(found.Missed) != 4 {
		t.Errorf("%d ticks were missed, want about %d in four outages: %+v", found.MissedTicks, outages, found.Missed)
	}
}

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// scheduled is a command line over an application that has schedules.
func scheduled(t *testing.T) (*bench, *turnstiletest.Env) {
	t.Helper()
	report := turnstile.NewOrchestration[string, string]("Report")
	app := turnstile.NewApp(schedule.Part(), report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil }))
	env := turnstiletest.New(t, app, turnstiletest.WithStartTime(epoch))
	b := newBench(t)
	b.made = env.Client()
	return b, env
}

func TestASchedulesLifeByTheCommandLine(t *testing.T) {
	t.Parallel()
	b, env := scheduled(t)
	says := func(want string, args ...string) {
		t.Helper()
		if out := b.ok(args...); !strings.Contains(out, want) {
			t.Errorf("%q: %q, want %q", args, out, want)
		}
		env.Advance(time.Second)
	}
	if r := b.run("schedule", "list"); r.status != exitOK || !strings.Contains(r.err, "no schedules") {
		t.Errorf("%+v", r)
	}
	says("schedule nightly will be due at 2030-01-02T02:00:00Z", "schedule", "create", "nightly", "--cron", "0 3 * * *", "--zone", "Europe/Berlin", "--starts", "Report", "--input", `"x"`)
	says("nightly\tactive\t0 3 * * * Europe/Berlin\t2030-01-02T02:00:00Z\t0\t0\tReport", "schedule", "list")
	if got := b.offers("schedule", "pause", "ni"); len(got) != 1 || got[0] != "nightly\tstarts Report" {
		t.Errorf("a shell is offered %q", got)
	}
	says("schedule nightly updated", "schedule", "create", "nightly", "--every", "1h", "--starts", "Report", "--update")
	env.Advance(2 * time.Hour)
	b.clock.now = env.Now()
	says("2030-01-01T13:00:00Z  nightly@2030-01-01T13:00:00Z  completed", "schedule", "show", "nightly")
	says("schedule nightly will be paused", "schedule", "pause", "nightly", "--reason", "the warehouse moves")
	says("note       the warehouse moves", "schedule", "show", "nightly")
	says("nightly@trigger-", "schedule", "trigger", "nightly")
	says("schedule nightly will be resumed", "schedule", "resume", "nightly")
	says("3 ticks will be started", "schedule", "backfill", "nightly", "--since", "2030-01-01T08:00:00Z", "--until", "2030-01-01T10:30:00Z")
	if out := b.ok("schedule", "show", "nightly", "--output", "json"); !strings.Contains(out, `"started": 6`) && !strings.Contains(out, `"started":6`) {
		t.Errorf("%s", out)
	}
	says("schedule nightly will be deleted", "schedule", "delete", "nightly")
	b.fails(exitNotFound, []string{`schedule "nightly" not found`}, "schedule", "show", "nightly")
}

func TestWhatAScheduleCannotBeIsAUsageError(t *testing.T) {
	t.Parallel()
	b, _ := scheduled(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"give either a cron expression or an interval", []string{"create", "x", "--starts", "Report"}},
		{`zone "Nowhere"`, []string{"create", "x", "--cron", "@daily", "--zone", "Nowhere", "--starts", "Report"}},
		{"it is never due", []string{"create", "x", "--cron", "0 0 30 2 *", "--starts", "Report"}},
		{`orchestration ""`, []string{"create", "x", "--cron", "@daily"}},
		{"--since is required", []string{"backfill", "x"}},
		{"schedule show needs SCHEDULE", []string{"show"}},
	} {
		b.fails(exitUsage, []string{c.says}, append([]string{"schedule"}, c.args...)...)
	}
	b.fails(exitNotFound, []string{`schedule "x" not found`}, "schedule", "pause", "x")
}

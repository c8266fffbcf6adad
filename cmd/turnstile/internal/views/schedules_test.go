package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/schedule"
)

func TestAScheduleIsListedWithItsStatusAndShown(t *testing.T) {
	t.Parallel()
	s := api.Schedule{Name: "nightly", Status: "stuck", Problem: "no code", Cron: "0 3 * * *", Orchestration: "Report", Overlap: "skip", CatchUp: "last"}
	listed := piped(func(screen *term.Screen) { views.Schedules(screen, []api.Schedule{s}) })
	if got := strings.Split(listed, "\t"); len(got) != 7 || got[1] != "stuck" || got[2] != "0 3 * * * UTC" || got[3] != "–" {
		t.Errorf("listed is %q", got)
	}
	var out strings.Builder
	views.Schedule(&out, &s)
	says(t, out.String(), "schedule      nightly\nstatus        stuck\nproblem       no code\n", "due           0 3 * * * UTC\norchestration Report\noverlap       skip\ncatch-up      last\n")
}

func TestAScheduleSaysWhatItStartedAndWhatItMissed(t *testing.T) {
	t.Parallel()
	s := api.Schedule{
		Every: "15m0s", NextRuns: []time.Time{noon},
		Recent: []schedule.Run{{ScheduledAt: noon.Add(-time.Hour), Instance: "b", Outcome: "failed", Failure: "sold out"}, {ScheduledAt: noon.Add(-2 * time.Hour), Instance: "a"}},
		Missed: []schedule.Span{{From: noon.Add(-4 * time.Hour), To: noon.Add(-3 * time.Hour), Runs: 5, Reason: "outage"}},
	}
	var out strings.Builder
	views.Schedule(&out, &s)
	says(t, out.String(), "due           every 15m0s", "next          2030-01-01T12:00:00Z", "started       2030-01-01T11:00:00Z  b  failed  sold out\nstarted       2030-01-01T10:00:00Z  a\n",
		"missed        2030-01-01T08:00:00Z to 2030-01-01T09:00:00Z  5 runs  outage")
}

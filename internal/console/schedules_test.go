package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// scheduling is a console beside a schedule of every hour.
func scheduling(t *testing.T) (*bench, *turnstiletest.Env) {
	t.Helper()
	report := turnstile.NewOrchestration[string, string]("Report")
	env := turnstiletest.New(t, turnstile.NewApp(schedule.Part(), report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil })),
		turnstiletest.WithStartTime(time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC)))
	d := schedule.Definition{Name: "hourly / report", Cron: "0 * * * *", TimeZone: "Europe/Berlin", Overlap: schedule.BufferOne, Starts: schedule.Orchestration(report, "x")}
	if err := schedule.NewClient(env.Client()).Create(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	env.Advance(2 * time.Hour)
	h, err := console.Handler(env.Client(), console.AllowActions())
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, h: h}, env
}

const hourlyPath = "schedules/hourly%20%2F%20report"

func TestASchedulesTimesAndRunsAreShown(t *testing.T) {
	t.Parallel()
	b, _ := scheduling(t)
	all := get[api.ScheduleList](b, "schedules")
	if len(all.Schedules) != 1 || all.NextPageToken != "" {
		t.Fatalf("%+v", all)
	}
	s := get[api.Schedule](b, hourlyPath)
	if s.Name != "hourly / report" || s.Status != "active" || s.Cron != "0 * * * *" || s.TimeZone != "Europe/Berlin" || s.Overlap != "buffer_one" || s.CatchUp != "last" ||
		s.Orchestration != "Report" || string(s.Input) != `"x"` || s.Instance != "schedule:hourly / report" || s.Started != 2 || len(s.NextRuns) != 5 {
		t.Errorf("%+v", s)
	}
	if len(s.Recent) != 2 || !s.Recent[0].ScheduledAt.After(s.Recent[1].ScheduledAt) || s.Recent[0].Outcome != "completed" {
		t.Errorf("the newest is not the first: %+v", s.Recent)
	}
}

func TestAScheduleIsPausedResumedTriggeredBackfilledAndDeleted(t *testing.T) {
	t.Parallel()
	b, env := scheduling(t)
	act := func(verb string, body any) api.ScheduleAsked {
		t.Helper()
		out := post[api.ScheduleAsked](b, hourlyPath+"/"+verb, body)
		env.Advance(time.Second)
		return out
	}
	act("pause", api.ScheduleNote{Note: "the warehouse moves"})
	if s := get[api.Schedule](b, hourlyPath); s.Status != "paused" || s.Note != "the warehouse moves" || len(s.NextRuns) != 0 {
		t.Errorf("paused: %+v", s)
	}
	asked := act("trigger", api.Nothing{})
	if s := get[api.Schedule](b, hourlyPath); s.Recent[0].Instance != asked.Instance || !strings.Contains(asked.Instance, "@trigger-") {
		t.Errorf("triggered %s: %+v", asked.Instance, s.Recent)
	}
	act("resume", api.ScheduleNote{})
	from := time.Date(2025, 12, 31, 20, 0, 0, 0, time.UTC)
	if got := act("backfill", api.ScheduleBackfill{From: from, To: from.Add(2 * time.Hour)}); got.Runs != 3 {
		t.Errorf("%+v", got)
	}
	if s := get[api.Schedule](b, hourlyPath); s.Status != "active" || s.Started != 6 || !slices.ContainsFunc(s.Recent, func(r schedule.Run) bool { return r.ScheduledAt.Equal(from) }) {
		t.Errorf("backfilled: %+v", s)
	}
	act("delete", api.ScheduleNote{})
	b.do(http.MethodGet, "api/v1/"+hourlyPath, nil).fails(api.CodeNotFound, "was deleted")
}

func TestWhatAScheduleCannotDoIsRefused(t *testing.T) {
	t.Parallel()
	b, _ := scheduling(t)
	at := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	b.do(http.MethodPost, "api/v1/"+hourlyPath+"/backfill", api.ScheduleBackfill{From: at, To: at.Add(time.Minute)}).fails(api.CodeInvalid, "has no scheduled time in this range")
	b.do(http.MethodPost, "api/v1/schedules/nobody/pause", api.ScheduleNote{}).fails(api.CodeNotFound, `schedule "nobody" not found`)
}

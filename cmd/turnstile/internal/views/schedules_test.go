package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/schedule"
)

func TestASchedulesStatusIsThatOfItsInstanceUnlessThatRuns(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*schedule.Description){
		"active": func(*schedule.Description) {},
		"paused": func(d *schedule.Description) { d.Paused = true },
		"over":   func(d *schedule.Description) { d.Next = time.Time{} },
		"stuck":  func(d *schedule.Description) { d.Instance.Status, d.Paused = client.StatusStuck, true },
	} {
		var d schedule.Description
		d.Definition.Name, d.Definition.Cron, d.Definition.Starts.Name = "nightly", "0 3 * * *", "Report"
		d.Instance.Status, d.Next = client.StatusRunning, noon
		change(&d)
		rows := views.NewSchedules()
		rows.Row(&d)
		if got := strings.Split(piped(rows.Print), "\t"); len(got) != 7 || got[1] != want || got[2] != "0 3 * * * UTC" {
			t.Errorf("listed is %q, want status %s", got, want)
		}
		var out strings.Builder
		views.Schedule(&out, &d)
		says(t, out.String(), "schedule   nightly\nstatus     "+want+"\n", "due        0 3 * * * UTC\nstarts     Report\noverlap    skip\ncatch-up   last\n")
	}
}

func TestAScheduleSaysWhatItStartedAndWhatItMissedTheNewestFirst(t *testing.T) {
	t.Parallel()
	var d schedule.Description
	d.Definition.Every = 15 * time.Minute
	d.Ticks = []time.Time{noon}
	d.Recent = []schedule.Run{{Tick: noon.Add(-2 * time.Hour), Instance: "a"}, {Tick: noon.Add(-time.Hour), Instance: "b", Outcome: "failed", Failure: "sold out"}}
	d.Missed = []schedule.Span{{From: noon.Add(-4 * time.Hour), To: noon.Add(-3 * time.Hour), Ticks: 5, Reason: "outage"}}
	var out strings.Builder
	views.Schedule(&out, &d)
	says(t, out.String(), "due        every 15m0s", "next       2030-01-01T12:00:00Z", "started    2030-01-01T11:00:00Z  b  failed  sold out", "started    2030-01-01T10:00:00Z  a\n",
		"missed     2030-01-01T08:00:00Z to 2030-01-01T09:00:00Z  5 ticks  outage")
}

package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/schedule"
)

var report = turnstile.NewOrchestration[string, string]("Report")

func nightly() schedule.Definition {
	return schedule.Definition{Name: "nightly", Cron: "0 3 * * *", TimeZone: "Europe/Berlin", Starts: schedule.Orchestration(report, "x")}
}

func TestADefinitionThatCannotBeIsRefusedWithItsValue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(d *schedule.Definition)
		want   string
	}{
		"no name":                   {func(d *schedule.Definition) { d.Name = "" }, `name "": it is empty`},
		"a long name":               {func(d *schedule.Definition) { d.Name = strings.Repeat("x", 201) }, "it has 201 bytes; the limit is 200"},
		"neither cron nor interval": {func(d *schedule.Definition) { d.Cron = "" }, "give either a cron expression or an interval"},
		"both":                      {func(d *schedule.Definition) { d.Every = time.Hour }, "give one of them"},
		"too few fields":            {func(d *schedule.Definition) { d.Cron = "0 3 *" }, `cron "0 3 *"`},
		"a minute that is none":     {func(d *schedule.Definition) { d.Cron = "61 * * * *" }, "end of range (61) above maximum (59)"},
		"a date that never comes":   {func(d *schedule.Definition) { d.Cron = "0 0 30 2 *" }, "it is never due"},
		"an end before any tick": {func(d *schedule.Definition) {
			d.StartAt, d.End = time.Date(2026, 1, 1, 4, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 5, 0, 0, 0, time.UTC)
		}, "it is never due"},
		"an end before the start": {func(d *schedule.Definition) {
			d.StartAt, d.End = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}, "it is before the start"},
		"a start that no timer reaches": {func(d *schedule.Definition) {
			d.Cron, d.TimeZone, d.Every, d.StartAt = "", "", time.Hour, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
		}, `start_at "2300-01-01T00:00:00Z": no timer fires after the year 2199`},
		"an interval that no timer reaches": {func(d *schedule.Definition) { d.Cron, d.TimeZone, d.Every = "", "", 290*365*24*time.Hour }, `every "2540400h0m0s": it is never due`},
		"an end that JSON does not have":    {func(d *schedule.Definition) { d.End = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, `end "10000-`},
		"an unknown zone":                   {func(d *schedule.Definition) { d.TimeZone = "Europe/Atlantis" }, `zone "Europe/Atlantis": there is no such time zone`},
		"the zone of a machine":             {func(d *schedule.Definition) { d.TimeZone = "Local" }, `zone "Local"`},
		"a zone in the cron":                {func(d *schedule.Definition) { d.Cron = "CRON_TZ=Asia/Tokyo 0 3 * * *" }, "give the zone"},
		"a short interval":                  {func(d *schedule.Definition) { d.Cron, d.TimeZone, d.Every = "", "", time.Millisecond }, "the shortest interval is 1s"},
		"a zone of an interval":             {func(d *schedule.Definition) { d.Cron, d.Every = "", time.Hour }, "leave it out"},
		"an offset over the interval": {func(d *schedule.Definition) {
			d.Cron, d.TimeZone, d.Every, d.Offset = "", "", time.Hour, time.Hour
		}, "shorter than the interval"},
		"a long jitter":            {func(d *schedule.Definition) { d.Jitter = 2 * time.Hour }, "it must be 0 to 1h"},
		"an unknown overlap":       {func(d *schedule.Definition) { d.Overlap = "queue" }, `overlap "queue"`},
		"an unknown catch-up":      {func(d *schedule.Definition) { d.CatchUp = "some" }, `catch_up "some"`},
		"a window without a use":   {func(d *schedule.Definition) { d.Window = time.Hour }, "requires the catch-up policy all"},
		"no orchestration":         {func(d *schedule.Definition) { d.Starts.Name = "" }, `orchestration "": it is empty`},
		"an input that is no JSON": {func(d *schedule.Definition) { d.Starts.Input = []byte("{") }, "it is not JSON"},
	} {
		d := nightly()
		c.change(&d)
		err := d.Check()
		if invalid, ok := errors.AsType[*schedule.InvalidError](err); !ok || invalid.Problem == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	d := nightly()
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	bad := turnstile.NewOrchestration[func(), string]("Bad")
	d.Starts = schedule.Orchestration(bad, func() {})
	if _, ok := errors.AsType[*turnstile.EncodeError](d.Check()); !ok {
		t.Errorf("an input that cannot be encoded: %v", d.Check())
	}
}

func TestNoScheduledTimeIsWhereTimeCannotBeCounted(t *testing.T) {
	t.Parallel()
	interval := schedule.Definition{Name: "s", Every: 200 * 365 * 24 * time.Hour, Offset: 199 * 365 * 24 * time.Hour, Starts: schedule.Orchestration(report, "x")}
	if err := interval.Check(); err != nil {
		t.Error(err)
	}
	for _, d := range []schedule.Definition{nightly(), interval, {Every: time.Hour}} {
		for _, from := range []time.Time{{}, time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if next := d.Next(from, 3); len(next) < 2 || !next[0].After(from) || !next[1].After(next[0]) {
				t.Errorf("%s%s after %s: %v", d.Cron, d.Every, from, next)
			}
		}
		for _, from := range []time.Time{time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2600, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if next := d.Next(from, 3); len(next) > 0 {
				t.Errorf("%s%s after %s: %v", d.Cron, d.Every, from, next)
			}
		}
	}
}

package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/coordination"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func timesOf(t *testing.T, d Definition) *scheduledTimes {
	t.Helper()
	d.Name, d.Starts.Name = "s", "Report"
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	out, err := d.scheduledTimes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestScheduledTimesWhereTheClockChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cron, zone, from string
		want             []string
	}{
		"an hour that does not exist: the tick comes as much later": {"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"}},
		"an hour that comes twice: a tick that names its hour is due in the first": {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		"several hours are named": {"30 1,2,3 * * *", "Europe/Berlin", "2026-10-24T22:00:00Z",
			[]string{"2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z"}},
		"an hour that comes twice: a tick of every hour is due in both": {"0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
			[]string{"2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"}},
		"every second hour: none is named, and one that comes twice is due twice": {"0 */2 * * *", "Europe/Berlin", "2026-10-24T21:30:00Z",
			[]string{"2026-10-24T22:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T03:00:00Z"}},
		"every second hour: one that does not exist is not due": {"0 */2 * * *", "Europe/Berlin", "2026-03-28T22:30:00Z",
			[]string{"2026-03-28T23:00:00Z", "2026-03-29T02:00:00Z"}},
		"every half hour": {"*/30 * * * *", "Europe/Berlin", "2026-03-29T00:15:00Z",
			[]string{"2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"}},
		"half an hour is put back": {"45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00:00Z",
			[]string{"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"}},
		"midnight does not exist": {"0 0 * * *", "America/Santiago", "2026-09-05T12:00:00Z",
			[]string{"2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"}},
		"leap days alone":                   {"0 0 29 2 *", "", "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		"eight years between two leap days": {"0 0 29 2 *", "", "2093-01-01T00:00:00Z", []string{"2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"}},
		"32 years between two leap days that are a Sunday or a Thursday": {"0 0 29 2 */4", "", "2088-01-01T00:00:00Z",
			[]string{"2088-02-29T00:00:00Z", "2120-02-29T00:00:00Z"}},
		"a named hour of a day that the date line skips": {"0 3 30 * *", "Pacific/Apia", "2011-12-01T00:00:00Z",
			[]string{"2011-12-30T13:00:00Z", "2012-01-29T13:00:00Z"}},
		"the same from a moment after the change": {"0 3 30 * *", "Pacific/Apia", "2011-12-30T12:00:00Z",
			[]string{"2011-12-30T13:00:00Z", "2012-01-29T13:00:00Z"}},
		"the day of a week that the date line skips": {"30 22 * * FRI", "Pacific/Fakaofo", "2011-12-26T00:00:00Z",
			[]string{"2011-12-31T09:30:00Z", "2012-01-06T09:30:00Z"}},
		"every day, of which the date line skips one": {"0 3 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z",
			[]string{"2011-12-29T13:00:00Z", "2011-12-30T13:00:00Z", "2011-12-31T13:00:00Z"}},
		"every hour, where the date line skips a day": {"0 * * * *", "Pacific/Apia", "2011-12-30T08:30:00Z",
			[]string{"2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T11:00:00Z"}},
		"both day fields: either of them": {"0 0 13 * FRI", "", "2026-11-07T00:00:00Z",
			[]string{"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},
		"a day of the month that begins with a star: both": {"0 0 */2 * FRI", "", "2026-11-07T00:00:00Z",
			[]string{"2026-11-13T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-11T00:00:00Z"}},
		"a day of the week that begins with a star: both": {"0 0 1-7 * */6", "", "2026-11-02T00:00:00Z",
			[]string{"2026-11-07T00:00:00Z", "2026-12-05T00:00:00Z", "2026-12-06T00:00:00Z"}},
		"the last day of a leap year": {"0 * * * *", "Europe/Berlin", "2040-12-31T21:30:00Z",
			[]string{"2040-12-31T22:00:00Z", "2040-12-31T23:00:00Z", "2041-01-01T00:00:00Z"}},
		"a question mark is a star": {"0 0 ? * FRI", "", "2026-11-07T00:00:00Z", []string{"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheduledTimes := timesOf(t, Definition{Cron: c.cron, TimeZone: c.zone})
			var got []string
			for scheduled := at(c.from); len(got) < len(c.want); {
				scheduled = scheduledTimes.after(scheduled)
				got = append(got, scheduled.Format(time.RFC3339))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("ticks %v, want %v", got, c.want)
			}
		})
	}
}

// The dumb model looks at each minute of the days around a change of the clock.
func TestScheduledTimesAroundAChangeOfTheClockAreThoseOfAModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo", "Pacific/Chatham", "Asia/Tehran", "Pacific/Apia", "Pacific/Kwajalein"}).Draw(t, "zone")
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		year := rapid.IntRange(1990, 2040)
		switch name { // They are on the other side of the date line since.
		case "Pacific/Apia":
			year = rapid.Just(2011)
		case "Pacific/Kwajalein":
			year = rapid.Just(1993)
		}
		_, change := time.Date(year.Draw(t, "year"), time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 15, 0, 0, 0, 0, zone).ZoneBounds()
		if change.IsZero() {
			return
		}
		shows := func(at time.Time) time.Time {
			_, offset := at.In(zone).Zone()
			return at.UTC().Add(time.Duration(offset) * time.Second)
		}
		minute, hours := rapid.IntRange(0, 59).Draw(t, "minute"), rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 6, rapid.ID[int]).Draw(t, "hours")
		named, daily := rapid.Bool().Draw(t, "named"), rapid.Bool().Draw(t, "daily")
		// The second minute of the change is of a skipped day where there is one.
		day := shows(change.Add(-1)).Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "day")) * 24 * time.Hour).Add(time.Minute).Day()
		hour, date := "*", "*"
		if named {
			hour = strings.Trim(strings.ReplaceAll(fmt.Sprint(hours), " ", ","), "[]")
		}
		if !daily {
			date = fmt.Sprint(day)
		}
		d := Definition{Name: "s", Cron: fmt.Sprintf("%d %s %s * *", minute, hour, date), TimeZone: name}
		scheduledTimes, err := d.scheduledTimes()
		if err != nil {
			t.Fatal(err)
		}
		fits := func(shown time.Time) bool {
			return shown.Minute() == minute && (!named || slices.Contains(hours, shown.Hour())) && (daily || shown.Day() == day)
		}
		from, to := change.Add(-36*time.Hour).Truncate(time.Minute), change.Add(36*time.Hour)
		var want []time.Time
		seen := map[time.Time]bool{}
		for at := from; at.Before(to); at = at.Add(time.Minute) {
			if shown := shows(at); fits(shown) && !(named && seen[shown]) {
				want, seen[shown] = append(want, at.UTC()), true
			}
		}
		if _, before := change.Add(-1).In(zone).Zone(); named {
			for shown := shows(change.Add(-1)).Truncate(time.Minute); shown.Before(shows(change)); shown = shown.Add(time.Minute) {
				if at := shown.Add(-time.Duration(before) * time.Second); fits(shown) && !seen[shown] && !slices.ContainsFunc(want, at.Equal) {
					want = append(want, at)
				}
			}
		}
		slices.SortFunc(want, time.Time.Compare)
		inRange := func(at time.Time) bool { return !at.IsZero() && at.Before(to) }
		var got []time.Time
		for at := scheduledTimes.after(from.Add(-1)); inRange(at); at = scheduledTimes.after(at) {
			got = append(got, at)
		}
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Fatalf("%s in %s around %s:\n got %v\nwant %v", d.Cron, name, change, got, want)
		}
		// From any time on the next one is the same.
		some := from.Add(time.Duration(rapid.Int64Range(0, int64(to.Sub(from))).Draw(t, "some")))
		next := slices.IndexFunc(want, some.Before)
		if got := scheduledTimes.after(some); next >= 0 && !got.Equal(want[next]) || next < 0 && inRange(got) {
			t.Fatalf("%s in %s after %s: %s, of %v", d.Cron, name, some, got, want)
		}
	})
}

func TestAnIntervalDoesNotDependOnWhenItsScheduleWasMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		every := time.Duration(rapid.Int64Range(1, 100_000).Draw(t, "every")) * time.Second
		d := Definition{Name: "s", Every: every, Offset: time.Duration(rapid.Int64Range(0, int64(every)-1).Draw(t, "offset"))}
		from := time.Unix(rapid.Int64Range(-1_000_000, 2_000_000_000).Draw(t, "from"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos"))
		scheduledTimes, err := d.scheduledTimes()
		if err != nil {
			t.Fatal(err)
		}
		next := scheduledTimes.after(from)
		if !next.After(from) || next.Sub(from) > every {
			t.Fatalf("the tick after %s is %s", from, next)
		}
		if rest := (next.UnixNano() - d.Offset.Nanoseconds()) % every.Nanoseconds(); rest != 0 {
			t.Fatalf("%s is %d ns beside the interval", next, rest)
		}
	})
}

func TestAJitterIsTheSameHoweverOftenItIsComputed(t *testing.T) {
	t.Parallel()
	scheduledTimes := timesOf(t, Definition{Cron: "@hourly", Jitter: 10 * time.Minute})
	parts := map[time.Duration]bool{}
	for scheduled := at("2026-01-01T00:00:00Z"); len(parts) < 20; scheduled = scheduledTimes.after(scheduled) {
		part := scheduledTimes.d.fires(scheduled).Sub(scheduled)
		if part < 0 || part >= 10*time.Minute || part != scheduledTimes.d.fires(scheduled).Sub(scheduled) {
			t.Fatalf("the jitter of %s is %s", scheduled, part)
		}
		parts[part] = true
	}
}

// The dumb model goes through all ticks one by one.
func TestWhatIsDueIsStartedOrMissed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := Definition{Name: "s", Every: time.Duration(rapid.Int64Range(1, 600).Draw(t, "every")) * time.Second,
			CatchUp: rapid.SampledFrom([]CatchUp{"", CatchUpLast, CatchUpAll, CatchUpNone}).Draw(t, "catch up")}
		if d.CatchUp == CatchUpAll {
			d.Window = time.Duration(rapid.Int64Range(0, 7200).Draw(t, "window")) * time.Second
		}
		scheduledTimes, err := d.scheduledTimes()
		if err != nil {
			t.Fatal(err)
		}
		first := scheduledTimes.after(at("2026-01-01T00:00:00Z"))
		now := first.Add(time.Duration(rapid.Int64Range(0, 20_000).Draw(t, "late")) * time.Second)
		var all []time.Time
		for scheduled := first; !scheduled.After(now); scheduled = scheduled.Add(d.Every) {
			all = append(all, scheduled)
		}
		var started []time.Time
		missed := 0
		for from, rounds := first, 0; !from.After(now); rounds++ {
			found := scheduledTimes.dueAt(from, now)
			if len(found.Start) > mostAtOnce || rounds > len(all) {
				t.Fatalf("%d ticks in round %d", len(found.Start), rounds)
			}
			started = append(started, found.Start...)
			if found.Missed != nil {
				missed += found.Missed.Runs
			}
			from = found.Next
		}
		if len(started)+missed != len(all) || !slices.IsSortedFunc(started, time.Time.Compare) {
			t.Fatalf("%d ticks were started, %d missed, of %d: %v", len(started), missed, len(all), started)
		}
		window := coordination.OnTime
		if d.CatchUp == CatchUpAll {
			window = max(window, d.plain().Window)
		}
		for i, scheduled := range all {
			in := now.Sub(scheduled) <= window
			if (d.CatchUp == "" || d.CatchUp == CatchUpLast) && i == len(all)-1 {
				in = true // The newest is caught up.
			}
			if in != slices.ContainsFunc(started, scheduled.Equal) {
				t.Fatalf("tick %s at %s: started %v, want %v", scheduled, now, !in, in)
			}
		}
	})
}

package schedule_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// What a schedule of every minute leaves in a day, as docs/internal/guide-figures.md has it by the
// year: its executions, whose histories are kept as long as the schedule is.
func TestWhatAScheduleOfEveryMinuteLeaves(t *testing.T) {
	t.Parallel()
	const part = 3 // of a day
	for _, c := range []struct {
		overlap    schedule.Overlap
		executions int64
		kilobytes  int
		events     int
	}{
		{schedule.Allow, 73, 1370, 110},
		{schedule.Skip, 145, 2010, 70},
	} {
		w := newWorld(t, turnstiletest.KeepWarm())
		d := hourly("1s")
		d.Cron, d.Overlap = "* * * * *", c.overlap
		w.create(d)
		w.env.Advance(24 * time.Hour / part)
		found := w.describe()
		bytes, events := 0, 0
		for n := int64(1); n <= found.Instance.ExecutionID; n++ {
			x, err := w.env.Client().Export(t.Context(), found.Instance.Instance, n)
			w.must(err)
			bytes, events = bytes+len(history.EncodeExport(x)), max(events, len(x.Events))
		}
		scheduledTimes, executions, bytes := part*found.Started, part*(found.Instance.ExecutionID-1)+1, part*bytes
		t.Logf("%s: %d ticks, %d executions, %d KB, at most %d events in one", c.overlap, scheduledTimes, executions, bytes/1000, events)
		if scheduledTimes != 24*60 || executions > c.executions || bytes/1000 > c.kilobytes || events > c.events {
			t.Errorf("%s: %d ticks leave %d executions with %d KB, and %d events in one; at most %d, %d KB and %d were stated", c.overlap, scheduledTimes, executions, bytes/1000, events, c.executions, c.kilobytes, c.events)
		}
	}
}

// A schedule keeps its newest executions, and those of the last fifteen days; what it starts
// and lists does not depend on earlier ones.
func TestAScheduleIsPruned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, turnstiletest.KeepWarm())
	w.create(hourly("1s"))
	const days = 20
	w.env.Advance(days * 24 * time.Hour)
	found := w.describe()
	if found.Started != days*24 {
		t.Errorf("%d ticks were started", found.Started)
	}
	i := found.Instance
	perDay := float64(i.ExecutionID) / days
	if kept := float64(i.ExecutionID - i.FirstExecution); kept < 15*perDay-1 || kept > 15*perDay+11 || i.Pruned != i.FirstExecution-1 {
		t.Errorf("of %d executions, %.1f a day, those from %d on are kept, %d are pruned", i.ExecutionID, perDay, i.FirstExecution, i.Pruned)
	}
	w.must(schedule.NewClient(w.env.Client()).Delete(t.Context(), "hourly", "over"))
	w.env.Run()
	w.create(hourly("1s"))
	w.env.Advance(24 * time.Hour)
	if again := w.describe(); again.Started != found.Started+24 || again.Instance.Pruned < i.Pruned {
		t.Errorf("created again: %d ticks were started, %d executions are pruned", again.Started, again.Instance.Pruned)
	}
}

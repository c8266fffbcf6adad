package schedule_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/schedule"
)

// A tick and what a backfill waits with do not take each other's place, whatever the policy.
func TestRunsAndABackfillLeaveEachOtherAlone(t *testing.T) {
	t.Parallel()
	for _, policy := range []schedule.Overlap{schedule.Skip, schedule.BufferOne, schedule.BufferAll, schedule.Allow, schedule.CancelRunning, schedule.TerminateRunning} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("25m")
			d.Overlap = policy
			w.create(d)
			n, err := schedule.NewClient(w.env.Client()).Backfill(t.Context(), "hourly", startedAt.Add(-10*time.Hour), startedAt)
			w.must(err)
			w.env.Advance(20 * time.Hour)
			found := w.describe()
			if found.MissedRuns != 0 || len(found.Backfilling) != 0 || n != 10 {
				t.Errorf("%d of the backfill, %d missed: %v", n, found.MissedRuns, found.Missed)
			}
			for scheduled := startedAt.Add(-570 * time.Minute); scheduled.Before(startedAt.Add(20 * time.Hour)); scheduled = scheduled.Add(time.Hour) {
				if _, err := w.env.Client().Describe(t.Context(), "hourly@"+scheduled.Format(time.RFC3339)); err != nil {
					t.Errorf("a tick was not started: %v", err)
				}
			}
		})
	}
}

// An instance that takes longer than the time between two ticks holds up neither for ever.
func TestARunWaitsForTheRunningBackfilledInstanceAndPrecedesTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("100m"))
	_, err := schedule.NewClient(w.env.Client()).Backfill(t.Context(), "hourly", startedAt.Add(-3*time.Hour), startedAt)
	w.must(err)
	w.env.Advance(8 * time.Hour)
	w.equal("ran", w.ran(), []string{"31T22:00 completed", "01T01:00 completed", "31T23:00 completed", "01T04:00 completed", "01T00:00 started"})
	w.equal("missed", w.missed(), []string{"01T02-01T03 2 overlap", "01T05-01T07 3 overlap"})
}

func TestABackfillCountsWhatItStarts(t *testing.T) {
	t.Parallel()
	for _, policy := range []schedule.Overlap{schedule.Skip, schedule.Allow} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("1s")
			d.Overlap = policy
			w.create(d)
			w.env.Advance(2 * time.Hour) // 01:00 and 02:00 have run.
			c := schedule.NewClient(w.env.Client())
			for i, want := range []int{2, 0} { // 23:00 and 00:00; then all have run.
				n, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-2*time.Hour), startedAt.Add(90*time.Minute))
				w.must(err)
				if n != want {
					t.Errorf("backfill %d starts %d, want %d", i, n, want)
				}
				w.env.Advance(time.Minute)
				if d := w.describe(); d.Started != 4 || len(d.Recent) != 4 {
					t.Errorf("after backfill %d: %d started, %v", i, d.Started, d.Recent)
				}
			}
		})
	}
}

// Two that ask for the same ticks at once: the ticks that the first one waits with are not counted twice.
func TestRunsThatABackfillWaitsWithAreNotCountedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("10m"))
	c := schedule.NewClient(w.env.Client())
	for range 2 {
		_, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-3*time.Hour), startedAt)
		w.must(err)
	}
	w.env.Advance(29 * time.Minute)
	if d := w.describe(); d.Started+len(d.Backfilling) != 3 || len(d.Backfilling) != 0 {
		t.Errorf("%d started, %d wait", d.Started, len(d.Backfilling))
	}
}

func TestABackfillOfAPausedScheduleWaitsForItsResume(t *testing.T) {
	t.Parallel()
	for _, policy := range []schedule.Overlap{schedule.Skip, schedule.Allow} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("1s")
			d.Overlap = policy
			w.create(d)
			c := schedule.NewClient(w.env.Client())
			w.must(c.Pause(t.Context(), "hourly", ""))
			w.env.Advance(time.Second)
			_, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-3*time.Hour), startedAt)
			w.must(err)
			w.env.Advance(time.Minute)
			if d := w.describe(); d.Started != 0 || len(d.Backfilling) != 3 {
				t.Errorf("paused: %d started, %v wait", d.Started, d.Backfilling)
			}
			w.must(c.Resume(t.Context(), "hourly", ""))
			w.env.Advance(time.Minute)
			if d := w.describe(); d.Started != 3 || len(d.Backfilling) != 0 {
				t.Errorf("resumed: %d started, %v wait", d.Started, d.Backfilling)
			}
		})
	}
}

func TestABackfillBeyondTheLastScheduledTimeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := hourly("1s")
	d.Cron, d.Every = "", time.Hour
	w.create(d)
	for _, from := range []time.Time{startedAt, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)} {
		_, err := schedule.NewClient(w.env.Client()).Backfill(t.Context(), "hourly", from, time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC))
		if _, invalid := errors.AsType[*schedule.InvalidError](err); !invalid {
			t.Errorf("from %s: %v", from, err)
		}
	}
}

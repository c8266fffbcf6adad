package schedule_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A backfill and a trigger leave what runs and waits without a request to stop: the next tick
// asks, also where something waits already.
func TestEachRunStopsWhatRunsHoweverThatCame(t *testing.T) {
	t.Parallel()
	for _, policy := range []schedule.Overlap{schedule.CancelRunning, schedule.TerminateRunning} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("1000h")
			d.Overlap = policy
			w.create(d)
			c := schedule.NewClient(w.env.Client())
			_, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-3*time.Hour), startedAt)
			w.must(err)
			w.env.Advance(31 * time.Minute) // The tick of one o'clock.
			if d := w.describe(); len(d.Running) != 1 || d.Running[0].ScheduledAt.Hour() != 1 || len(d.Buffered) != 0 {
				t.Errorf("after a backfill: running %v, buffered %v", d.Running, d.Buffered)
			}
			_, err = c.Trigger(t.Context(), "hourly")
			w.must(err)
			w.env.Advance(time.Hour)
			if d := w.describe(); len(d.Running) != 1 || d.Running[0].ScheduledAt.Hour() != 2 || d.Running[0].ScheduledAt.Minute() != 0 {
				t.Errorf("after a trigger: running %v, buffered %v", d.Running, d.Buffered)
			}
		})
	}
}

func TestAPausedScheduleStartsNoRunThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := hourly("150m")
	d.Overlap = schedule.BufferAll
	w.create(d)
	w.env.Advance(2*time.Hour + 10*time.Minute) // One runs, one waits.
	c := schedule.NewClient(w.env.Client())
	w.must(c.Pause(t.Context(), "hourly", "the warehouse moves"))
	w.env.Advance(10 * time.Hour)
	w.equal("ran", w.ran(), []string{"01T01:00 completed"})
	w.must(c.Resume(t.Context(), "hourly", ""))
	w.env.Advance(time.Minute)
	w.equal("ran after the resume", w.ran(), []string{"01T01:00 completed", "01T02:00 started"})
	w.env.Advance(150 * time.Minute)
	w.equal("ran later", w.ran(), []string{"01T01:00 completed", "01T02:00 completed", "01T13:00 started"})
}

// jittery is due each minute, with jitter over several ticks.
func jittery() schedule.Definition {
	d := hourly("0s")
	d.Cron, d.Every, d.Jitter, d.Overlap = "", time.Minute, 30*time.Minute, schedule.Allow
	return d
}

func TestJitterOverSeveralRunsLosesNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(jittery())
	w.env.Advance(5 * time.Hour)
	if d := w.describe(); d.MissedRuns != 0 || d.Started < 265 || d.Started > 300 {
		t.Errorf("%d started and %d missed in five hours: %v", d.Started, d.MissedRuns, d.Missed)
	}
}

// What runs is waited for under its own name when the definition starts another orchestration.
func TestAnUpdateOfTheOrchestrationKeepsWhatRuns(t *testing.T) {
	t.Parallel()
	other := turnstile.NewOrchestration[string, string]("Other")
	app := turnstile.NewApp(schedule.Part(),
		report.Implement(func(ctx turnstile.Context, in string) (string, error) { return in, turnstile.Sleep(ctx, 100*time.Hour) }),
		other.Implement(func(_ turnstile.Context, in string) (string, error) { return in, nil }))
	w := &world{t, turnstiletest.New(t, app, turnstiletest.WithStartTime(startedAt))}
	w.create(hourly("old"))
	w.env.Advance(time.Hour)
	c := schedule.NewClient(w.env.Client())
	changed := hourly("old")
	changed.Starts = schedule.Orchestration(other, "new")
	w.must(c.Update(t.Context(), changed))
	w.env.Advance(50 * time.Hour)
	if d := w.describe(); d.Instance.ExecutionID < 3 || len(d.Running) != 1 || d.Started != 1 {
		t.Errorf("execution %d, %d started, running %v, recent %v", d.Instance.ExecutionID, d.Started, d.Running, d.Recent)
	}
	w.env.Advance(60 * time.Hour)
	if d := w.describe(); len(d.Running) != 0 || d.Recent[0].Outcome != schedule.OutcomeCompleted || d.Recent[1].Outcome != schedule.OutcomeCompleted {
		t.Errorf("running %v, recent %v", d.Running, d.Recent)
	}
}

// A tick that is due is not forgotten because the definition changes before it is taken.
func TestAnUpdateForgetsNoRunThatIsDue(t *testing.T) {
	t.Parallel()
	for _, jitter := range []time.Duration{0, 50 * time.Minute} {
		t.Run(fmt.Sprint("jitter ", jitter), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("0s")
			d.Jitter = jitter
			w.create(d)
			w.env.Advance(time.Hour + 31*time.Minute) // Two o'clock, and a minute.
			before := w.describe()
			d.Starts = schedule.Orchestration(report, "1s")
			w.must(schedule.NewClient(w.env.Client()).Update(t.Context(), d))
			w.env.Advance(time.Second)
			after := w.describe()
			if n := after.Started + after.MissedRuns; n != 2 {
				t.Errorf("before %d started, after %d, %d missed: %v", before.Started, after.Started, after.MissedRuns, after.Missed)
			}
			if !after.Next.Equal(startedAt.Add(150 * time.Minute)) {
				t.Errorf("the next tick is %s", after.Next)
			}
		})
	}
}

// One round takes a hundred ticks, and jitter longer than the interval has several wait.
func TestAnUpdateCountsEachRunThatItGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := jittery()
	w.create(d)
	w.env.Advance(time.Hour + 30*time.Second)
	d.Starts = schedule.Orchestration(report, "1s")
	w.must(schedule.NewClient(w.env.Client()).Update(t.Context(), d))
	w.env.Advance(time.Second)
	after := w.describe()
	if n := after.Started + after.MissedRuns; n != 60 || after.MissedRuns < 2 {
		t.Errorf("%d started and %d missed of 60: %v", after.Started, after.MissedRuns, after.Missed)
	}
}

func TestABackfillThatExceedsACommitIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := hourly(strings.Repeat("0", 50_000) + "1s")
	d.Overlap = schedule.Allow
	w.create(d)
	c := schedule.NewClient(w.env.Client())
	if _, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-100*time.Hour), startedAt); err == nil || !strings.Contains(err.Error(), "3 MB together") {
		t.Errorf("a hundred ticks of 50 KB: %v", err)
	}
	n, err := c.Backfill(t.Context(), "hourly", startedAt.Add(-50*time.Hour), startedAt)
	w.must(err)
	w.env.Advance(time.Minute)
	if d := w.describe(); d.Started != n || d.Instance.Status != client.StatusRunning {
		t.Errorf("%d of %d started, %s", d.Started, n, d.Instance.Status)
	}
}

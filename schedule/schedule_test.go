package schedule_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

var startedAt = time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC)

// world has a schedule of every hour, whose instances take as long as their input says.
type world struct {
	*testing.T
	env *turnstiletest.Env
}

func newWorld(t *testing.T, options ...turnstiletest.Option) *world {
	t.Helper()
	app := turnstile.NewApp(schedule.Part(), report.Implement(func(ctx turnstile.Context, in string) (string, error) {
		d, err := time.ParseDuration(in)
		if err != nil {
			return "", errors.New("it cannot be")
		}
		return "done", turnstile.Sleep(ctx, d)
	}))
	return &world{t, turnstiletest.New(t, app, append(options, turnstiletest.WithStartTime(startedAt))...)}
}

func hourly(takes string) schedule.Definition {
	return schedule.Definition{Name: "hourly", Cron: "0 * * * *", Starts: schedule.Orchestration(report, takes)}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) describe() schedule.Description {
	w.Helper()
	d, err := schedule.NewClient(w.env.Client()).Describe(w.Context(), "hourly")
	w.must(err)
	return d
}

// create creates a schedule and lets its first turn pass.
func (w *world) create(d schedule.Definition) {
	w.Helper()
	w.must(schedule.NewClient(w.env.Client()).Create(w.Context(), d))
	w.env.Advance(time.Second)
}

// ran lists the ticks that started an instance, as day and hour, with what came of them.
func (w *world) ran() (list []string) {
	w.Helper()
	for _, r := range w.describe().Recent {
		list = append(list, r.ScheduledAt.Format("02T15:04")+" "+r.Outcome)
	}
	return list
}

func (w *world) missed() (list []string) {
	w.Helper()
	for _, m := range w.describe().Missed {
		list = append(list, fmt.Sprintf("%s-%s %d %s", m.From.Format("02T15"), m.To.Format("02T15"), m.Runs, m.Reason))
	}
	return list
}

func (w *world) equal(what string, got, want []string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestAScheduleStartsAnInstanceAtEachScheduledTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("10m"))
	d := w.describe()
	if len(d.NextRuns) != 5 || !d.NextRuns[0].Equal(startedAt.Add(30*time.Minute)) || !d.NextRuns[4].Equal(d.NextRuns[0].Add(4*time.Hour)) {
		t.Errorf("next ticks %v", d.NextRuns)
	}
	w.env.Advance(3 * time.Hour)
	w.equal("ran", w.ran(), []string{"01T01:00 completed", "01T02:00 completed", "01T03:00 completed"})
	started, err := w.env.Client().Describe(t.Context(), "hourly@2026-01-01T02:00:00Z")
	if err != nil || started.Status != client.StatusCompleted || started.Name != "Report" {
		t.Errorf("the instance of a tick: %+v, %v", started, err)
	}
	w.env.Advance(48 * time.Hour)
	if d := w.describe(); d.Started != 51 || d.MissedRuns != 0 || len(d.Recent) != 10 || d.Instance.ExecutionID < 3 {
		t.Errorf("after two days: %d started, %d missed, %d listed, execution %d", d.Started, d.MissedRuns, len(d.Recent), d.Instance.ExecutionID)
	}
}

func TestWhatHappensIfARunIsDueWhileAnInstanceRuns(t *testing.T) {
	t.Parallel()
	for policy, want := range map[schedule.Overlap]struct{ ran, missed []string }{
		schedule.Skip: {[]string{"01T01:00 completed", "01T04:00 started"},
			[]string{"01T02-01T03 2 overlap", "01T05-01T05 1 overlap"}},
		schedule.BufferOne: {[]string{"01T01:00 completed", "01T02:00 started"},
			[]string{"01T03-01T03 1 overlap", "01T05-01T05 1 overlap"}},
		schedule.BufferAll: {[]string{"01T01:00 completed", "01T02:00 started"}, nil},
		schedule.Allow:     {[]string{"01T01:00 started", "01T02:00 started", "01T03:00 started", "01T04:00 started", "01T05:00 started"}, nil},
		schedule.CancelRunning: {[]string{"01T01:00 failed", "01T02:00 failed", "01T03:00 failed", "01T04:00 failed", "01T05:00 started"},
			nil},
		schedule.TerminateRunning: {[]string{"01T01:00 failed", "01T02:00 failed", "01T03:00 failed", "01T04:00 failed", "01T05:00 started"},
			nil},
	} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := hourly("150m")
			d.Overlap = policy
			w.create(d)
			w.env.Advance(5*time.Hour - 10*time.Minute)
			w.equal("ran", w.ran(), want.ran)
			w.equal("missed", w.missed(), want.missed)
		})
	}
}

func TestInstancesThatRunAreKnownAfterTheScheduleContinuesAsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := hourly("100h")
	w.create(d)
	w.env.Advance(99 * time.Hour)
	if d := w.describe(); d.Started != 1 || d.MissedRuns != 98 || d.Instance.ExecutionID < 4 {
		t.Errorf("%d started, %d missed, execution %d; want one that all the others wait for", d.Started, d.MissedRuns, d.Instance.ExecutionID)
	}
	w.env.Advance(4 * time.Hour)
	w.equal("ran", w.ran(), []string{"01T01:00 completed", "05T06:00 started"})
}

func TestHowAScheduleCatchesUpAfterAnOutage(t *testing.T) {
	t.Parallel()
	for policy, want := range map[schedule.CatchUp]struct{ ran, missed []string }{
		schedule.CatchUpLast: {[]string{"01T01:00 completed", "01T07:00 completed", "01T08:00 completed"}, []string{"01T02-01T06 5 outage"}},
		schedule.CatchUpNone: {[]string{"01T01:00 completed", "01T08:00 completed"}, []string{"01T02-01T07 6 outage"}},
		schedule.CatchUpAll:  {[]string{"01T01:00 completed", "01T05:00 completed", "01T06:00 completed", "01T07:00 completed", "01T08:00 completed"}, []string{"01T02-01T04 3 outage"}},
	} {
		t.Run(string(policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, turnstiletest.AllowStuck())
			d := hourly("1s")
			d.CatchUp, d.Overlap = policy, schedule.BufferAll
			if policy == schedule.CatchUpAll {
				d.Window = 150 * time.Minute
			}
			w.create(d)
			w.env.Advance(time.Hour)
			// Until 07:10 no build has the orchestration of schedules.
			w.env.Deploy(turnstile.NewApp(report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil })))
			w.env.Advance(5*time.Hour + 39*time.Minute)
			w.env.Deploy(turnstile.NewApp(schedule.Part(), report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil })))
			w.must(w.env.Client().Wake(t.Context(), coordination.ScheduleID("hourly")))
			w.env.Advance(time.Hour)
			w.equal("ran", w.ran(), want.ran)
			w.equal("missed", w.missed(), want.missed)
		})
	}
}

func TestAPausedScheduleStartsNothingUntilItIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.env.Advance(time.Hour)
	w.must(schedule.NewClient(w.env.Client()).Pause(t.Context(), "hourly", "the report is wrong"))
	w.env.Advance(5 * time.Hour)
	if d := w.describe(); !d.Paused || d.Note != "the report is wrong" || len(d.NextRuns) != 0 || d.Started != 1 {
		t.Errorf("paused: %+v", d.State)
	}
	instance, err := schedule.NewClient(w.env.Client()).Trigger(t.Context(), "hourly")
	w.must(err)
	w.env.Advance(time.Minute)
	if d, err := w.env.Client().Describe(t.Context(), instance); err != nil || d.Status != client.StatusCompleted {
		t.Errorf("triggered while it is paused: %+v, %v", d, err)
	}
	w.must(schedule.NewClient(w.env.Client()).Resume(t.Context(), "hourly", "mended"))
	w.env.Advance(time.Hour)
	if d := w.describe(); d.Paused || d.Note != "mended" || d.Started != 3 || d.MissedRuns != 0 {
		t.Errorf("resumed: %+v", d.State)
	}
}

func TestABackfillStartsEachRunOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.env.Advance(2 * time.Hour) // 01:00 and 02:00 have run.
	n, err := schedule.NewClient(w.env.Client()).Backfill(t.Context(), "hourly", startedAt.Add(-2*time.Hour), startedAt.Add(time.Hour))
	w.must(err)
	if n != 2 {
		t.Errorf("%d ticks, want 23:00 and 00:00", n)
	}
	w.env.Advance(time.Minute)
	w.equal("ran", w.ran(), []string{"01T01:00 completed", "01T02:00 completed", "31T23:00 completed", "01T00:00 completed"})
	again, err := w.env.Client().Describe(t.Context(), "hourly@2026-01-01T01:00:00Z")
	w.must(err)
	if at := startedAt.Add(30 * time.Minute); again.CreatedAt.Sub(at).Abs() > time.Minute {
		t.Errorf("the instance of 01:00 was started at %s", again.CreatedAt)
	}
	for _, c := range []struct {
		from, to time.Time
		want     string
	}{
		{startedAt, startedAt.Add(time.Minute), "the schedule has no scheduled time in this range"},
		{startedAt, startedAt.Add(1001 * time.Hour), "it has more than 1000 scheduled times"},
	} {
		if _, err := schedule.NewClient(w.env.Client()).Backfill(t.Context(), "hourly", c.from, c.to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestAnUpdateAppliesFromTheNextRunOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.env.Advance(time.Hour)
	daily := hourly("1s")
	daily.Cron = "0 12 * * *"
	w.must(schedule.NewClient(w.env.Client()).Update(t.Context(), daily))
	w.env.Advance(24 * time.Hour)
	w.equal("ran", w.ran(), []string{"01T01:00 completed", "01T12:00 completed"})
	if d := w.describe(); d.Revision != 2 || d.Definition.Cron != "0 12 * * *" {
		t.Errorf("revision %d, %+v", d.Revision, d.Definition)
	}
}

func TestCreateIsIdempotentAndRefusesAnotherDefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.create(hourly("1s"))
	other := hourly("1s")
	other.Jitter = time.Minute
	exists, ok := errors.AsType[*schedule.ExistsError](schedule.NewClient(w.env.Client()).Create(t.Context(), other))
	if !ok || exists.Name != "hourly" || exists.Have.Jitter != 0 {
		t.Errorf("another definition: %v", exists)
	}
	if d := w.describe(); d.Revision != 1 {
		t.Errorf("revision %d", d.Revision)
	}
}

// Both look before either is there, first at a schedule that never was, then at a deleted one.
func TestOfTwoCreationsAtOnceTheSecondIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := schedule.NewClient(w.env.Client())
	first, second := hourly("1s"), hourly("2s")
	for range 2 {
		for _, d := range []schedule.Definition{first, first, second} {
			w.must(c.Create(t.Context(), d))
		}
		w.must(c.WaitCreated(t.Context(), first))
		exists, ok := errors.AsType[*schedule.ExistsError](c.WaitCreated(t.Context(), second))
		if !ok || string(exists.Have.Starts.Input) != `"1s"` {
			t.Errorf("the second: %v", exists)
		}
		w.env.Advance(time.Second)
		if _, ok := errors.AsType[*schedule.ExistsError](c.WaitCreated(t.Context(), second)); !ok {
			t.Error("the second took effect later")
		}
		w.must(c.Delete(t.Context(), "hourly", ""))
		w.env.Advance(time.Second)
	}
}

func TestOfTwoDefinitionsThatAreAppliedAtOnceBothCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := 1; round <= 2; round++ {
		for _, takes := range []string{"1s", "2s", "2s"} {
			_, err := schedule.NewClient(w.env.Client()).Apply(t.Context(), hourly(takes))
			w.must(err)
		}
		w.env.Advance(time.Second)
		if d := w.describe(); string(d.Definition.Starts.Input) != `"2s"` || d.Revision != 3*round-1 || len(d.NextRuns) == 0 {
			t.Errorf("revision %d of %s, next ticks %v", d.Revision, d.Definition.Starts.Input, d.NextRuns)
		}
		w.must(schedule.NewClient(w.env.Client()).Delete(t.Context(), "hourly", ""))
		w.env.Advance(time.Second)
	}
}

// The client knows a time zone that the build of the stack lacks.
func TestAScheduleWhoseTimeZoneABuildLacksIsStuck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, turnstiletest.AllowStuck())
	d := hourly("1s")
	d.TimeZone = "Europe/Atlantis"
	input, err := json.Marshal(schedule.State{Definition: d})
	w.must(err)
	_, err = w.env.Client().Start(t.Context(), client.StartRequest{Name: coordination.Schedules, Instance: coordination.ScheduleID("hourly"), Input: input})
	w.must(err)
	w.env.Advance(time.Minute)
	if i := w.describe().Instance; i.Status != client.StatusStuck || !strings.Contains(i.Problem.Message, "Europe/Atlantis") {
		t.Errorf("created: %s, %+v", i.Status, i.Problem)
	}
	w.must(schedule.NewClient(w.env.Client()).Create(t.Context(), nightly()))
	w.env.Advance(time.Minute)
	update, err := json.Marshal(map[string]any{"op": "update", "definition": d})
	w.must(err)
	w.must(w.env.Client().Raise(t.Context(), client.RaiseRequest{Instance: coordination.ScheduleID("nightly"), Name: "turnstile.schedule.control", Data: update}))
	w.env.Advance(time.Minute)
	found, err := schedule.NewClient(w.env.Client()).Describe(t.Context(), "nightly")
	w.must(err)
	if found.Instance.Status != client.StatusStuck {
		t.Errorf("updated: %s", found.Instance.Status)
	}
}

func TestADeletedScheduleIsGoneUntilItIsCreatedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.must(schedule.NewClient(w.env.Client()).Delete(t.Context(), "hourly", "not needed"))
	w.env.Advance(5 * time.Hour)
	if _, err := schedule.NewClient(w.env.Client()).Describe(t.Context(), "hourly"); err == nil || !strings.Contains(err.Error(), `schedule "hourly" not found`) {
		t.Errorf("%v", err)
	}
	if page, err := schedule.NewClient(w.env.Client()).List(t.Context(), ""); err != nil || len(page.Schedules) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
	for what, err := range map[string]error{
		"pause":  schedule.NewClient(w.env.Client()).Pause(t.Context(), "hourly", ""),
		"delete": schedule.NewClient(w.env.Client()).Delete(t.Context(), "nobody", ""),
		"update": schedule.NewClient(w.env.Client()).Update(t.Context(), nightly()),
	} {
		if !errors.Is(err, client.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.create(hourly("1s"))
	w.env.Advance(time.Hour)
	if page, err := schedule.NewClient(w.env.Client()).List(t.Context(), ""); err != nil || len(page.Schedules) != 1 || page.Schedules[0].Started != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestApplySaysWhatItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	apply := func(definitions ...schedule.Definition) (did []string) {
		changes, err := schedule.NewClient(w.env.Client()).Apply(t.Context(), definitions...)
		w.must(err)
		w.env.Advance(time.Second)
		for _, c := range changes {
			did = append(did, c.Name+" "+c.Action)
		}
		return did
	}
	w.equal("first", apply(hourly("1s"), nightly()), []string{"hourly created", "nightly created"})
	later := nightly()
	later.Cron = "0 4 * * *"
	w.equal("second", apply(hourly("1s"), later), []string{"hourly unchanged", "nightly updated"})
	w.equal("third", apply(hourly("1s"), later), []string{"hourly unchanged", "nightly unchanged"})
	bad := nightly()
	bad.TimeZone = "Nowhere"
	if _, err := schedule.NewClient(w.env.Client()).Apply(t.Context(), hourly("2s"), bad, nightly()); err == nil || !strings.Contains(err.Error(), "Nowhere") || !strings.Contains(err.Error(), "two definitions have this name") {
		t.Errorf("%v", err)
	}
	if d := w.describe(); d.Revision != 1 {
		t.Errorf("something was sent although a definition is wrong: revision %d", d.Revision)
	}
}

func TestAScheduleThatIsOverStartsNothingMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := hourly("1s")
	d.StartAt, d.End = startedAt.Add(2*time.Hour), startedAt.Add(4*time.Hour)
	w.create(d)
	w.env.Advance(10 * time.Hour)
	w.equal("ran", w.ran(), []string{"01T03:00 completed", "01T04:00 completed"})
	if d := w.describe(); len(d.NextRuns) != 0 || d.Instance.Status != client.StatusRunning {
		t.Errorf("%+v", d)
	}
}

func TestASchedulesRunThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("never"))
	w.env.Advance(time.Hour)
	if d := w.describe(); len(d.Recent) != 1 || d.Recent[0].Outcome != schedule.OutcomeFailed || !strings.Contains(d.Recent[0].Failure, "it cannot be") {
		t.Errorf("%+v", d.Recent)
	}
}

// Each crash at each call: every tick is accounted for, and no instance is started twice.
func TestAScheduleSurvivesACrashAtEachCall(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(schedule.Part(), report.Implement(func(ctx turnstile.Context, _ string) (string, error) {
		return "done", turnstile.Sleep(ctx, 90*time.Minute)
	}))
	turnstiletest.CrashTest(t, app, func(env *turnstiletest.Env) {
		d := hourly("")
		d.Overlap = schedule.BufferOne
		if err := schedule.NewClient(env.Client()).Create(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		env.Advance(5 * time.Hour)
		found, err := schedule.NewClient(env.Client()).Describe(t.Context(), "hourly")
		if err != nil || found.Started+found.MissedRuns+len(found.Buffered) != 5 {
			t.Fatalf("%+v, %v; want five ticks", found.State, err)
		}
	}, turnstiletest.WithStartTime(startedAt))
}

// The rules of time zones change between builds, so each tick for which a schedule sets a timer stands in
// its history before: a replay reads it there, and computes none.
func TestTheNextScheduledTimeIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(hourly("1s"))
	w.env.Advance(30 * time.Hour)
	timers := 0
	for n := int64(1); n <= w.describe().Instance.ExecutionID; n++ {
		x, err := w.env.Client().Export(t.Context(), coordination.ScheduleID("hourly"), n)
		w.must(err)
		recorded := ""
		if start := x.Events[0]; n > 1 {
			recorded = string(start.Payload) // It continues as new with what the execution before had recorded.
		}
		for i := range x.Events {
			switch e := &x.Events[i]; e.Kind {
			case history.SystemCall:
				if e.Name == "next run" || e.Name == "due runs" {
					recorded = string(e.Payload)
				}
			case history.TimerCreated:
				timers++
				if scheduled := time.UnixMilli(e.FireAtMS).UTC().Format(time.RFC3339Nano); !strings.Contains(recorded, scheduled) {
					t.Errorf("execution %d, event %d: the timer of %s stands behind %s", n, e.EventID, scheduled, recorded)
				}
			}
		}
	}
	if timers < 30 {
		t.Errorf("%d timers were looked at", timers)
	}
}

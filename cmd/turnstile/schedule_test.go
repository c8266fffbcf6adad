package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// reporting is an application that has schedules.
func reporting() *turnstile.App {
	report := turnstile.NewOrchestration[any, string]("Report")
	return turnstile.NewApp(schedule.Part(), report.Implement(func(turnstile.Context, any) (string, error) { return "done", nil }))
}

// scheduled is a command line over an application that has schedules.
func scheduled(t *testing.T) (*bench, *turnstiletest.Env) {
	t.Helper()
	env := turnstiletest.New(t, reporting(), turnstiletest.WithStartTime(epoch))
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
	says("note          the warehouse moves", "schedule", "show", "nightly")
	says("nightly@trigger-", "schedule", "trigger", "nightly")
	says("schedule nightly will be resumed", "schedule", "resume", "nightly")
	says("3 runs will be started", "schedule", "backfill", "nightly", "--since", "2030-01-01T08:00:00Z", "--until", "2030-01-01T10:30:00Z")
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

// runsLate is a place whose orchestrator runs from the first wait on.
type runsLate struct {
	*bench
	run func()
}

func (b runsLate) Instances(ctx context.Context) (backend.Instances, error) {
	i, err := b.bench.Instances(ctx)
	return runsLateInstances{i, b.run}, err
}

type runsLateInstances struct {
	backend.Instances
	run func()
}

func (i runsLateInstances) WaitUntil(ctx context.Context, instance string, enough func(*client.Description) bool) (client.Description, error) {
	i.run()
	return i.Instances.WaitUntil(ctx, instance, enough)
}

// Of two creations at once the first in the queue counts, and the caller of the other one is told.
func TestACreateOfAScheduleThatAnotherHasCreatedMeanwhileFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		every  time.Duration
		status int
		says   string
	}{
		{time.Hour, exitOK, ""},
		{2 * time.Hour, exitFailed, `schedule "nightly" exists with another definition`},
	} {
		b := newBench(t)
		e, err := embedded.New(reporting(), embedded.WithVirtualTime(epoch))
		if err != nil {
			t.Fatal(err)
		}
		b.made = e.Client()
		first := schedule.Definition{Name: "nightly", Every: c.every, Starts: schedule.Target{Name: "Report"}}
		if err := schedule.NewClient(e.Client()).Create(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		b.as = runsLate{b, func() { go func() { ended <- e.Run(ctx) }() }}
		if r := b.run("schedule", "create", "nightly", "--every", "1h", "--starts", "Report", "--timeout", hang.String()); r.status != c.status || !strings.Contains(r.err, c.says) {
			t.Errorf("after %s was created: exit status %d, want %d that says %q: %v", c.every, r.status, c.status, c.says, r)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestAScheduleThatIsNotCreatedInTimeIsReported(t *testing.T) {
	t.Parallel()
	newBench(t).fails(exitTimeout, []string{`creation of schedule "nightly" is queued`, "`turnstile schedule show nightly`"}, "schedule", "create", "nightly", "--every", "1h", "--starts", "Report", "--timeout", "1ms")
}

package schedule_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/schedule"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// What a tick costs beside the instance that it starts: requests and dollars, with what
// continuing as new costs, as docs/internal/guide-figures.md has them.
func TestWhatARunCosts(t *testing.T) {
	t.Parallel()
	instance := billed(t, nil)
	for _, c := range []struct {
		overlap         schedule.Overlap
		every           time.Duration
		requests        float64
		dollarsAMillion float64
	}{
		{schedule.Allow, time.Hour, 8.1, 9},
		{schedule.Skip, time.Hour, 13.4, 16.2},
		{schedule.Allow, 5 * time.Minute, 9.1, 9},
	} {
		d := hourly("")
		d.Cron, d.Every, d.Overlap = "", c.every, c.overlap
		b := billed(t, &d)
		requests, dollars := float64(b.requests-instance.requests)/runsBilled, (b.dollars-instance.dollars)/runsBilled*1e6
		t.Logf("%s every %s: %.2f requests, $%.2f a million ticks", c.overlap, c.every, requests, dollars)
		if requests > c.requests || dollars > c.dollarsAMillion {
			t.Errorf("%s every %s: a tick makes %.2f requests and costs $%.2f a million, at most %.1f and $%.2f were stated", c.overlap, c.every, requests, dollars, c.requests, c.dollarsAMillion)
		}
	}
}

const runsBilled = 100

type costs struct {
	requests int
	dollars  float64
}

// billed is what so many ticks of a schedule cost; without one, what as many instances cost
// that a client starts.
func billed(t *testing.T, d *schedule.Definition) costs {
	t.Helper()
	app := turnstile.NewApp(schedule.Part(), report.Implement(func(turnstile.Context, string) (string, error) { return "done", nil }))
	env := turnstiletest.New(t, app, turnstiletest.WithStartTime(startedAt), turnstiletest.KeepWarm())
	if d == nil {
		before := env.Bill()
		for range runsBilled {
			turnstiletest.Start(env, report, "")
			env.Run()
		}
		b := env.Bill().Minus(before)
		return costs{b.Requests(), b.Dollars()}
	}
	if err := schedule.NewClient(env.Client()).Create(t.Context(), *d); err != nil {
		t.Fatal(err)
	}
	env.Advance(d.Every)
	before := env.Bill()
	env.Advance(runsBilled * d.Every)
	b := env.Bill().Minus(before)
	return costs{b.Requests(), b.Dollars()}
}

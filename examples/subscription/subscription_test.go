package main

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const day = 24 * time.Hour

var ada = Subscription{Customer: "Ada", Plan: "small", Price: 1000, Months: 12}

const histories = "../../testdata/histories"

// open returns the application. declines decides which cards are declined.
func open(t *testing.T, declines func(Bill) bool) *turnstiletest.Env {
	t.Helper()
	env := turnstiletest.New(t, turnstile.NewApp(orchestrations(), shop{say: t.Logf, declines: declines}.activities()))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "subscription") })
	return env
}

func never(Bill) bool { return false }

func TestAYear(t *testing.T) {
	t.Parallel()
	env := open(t, never)
	begun := env.Now()
	run := turnstiletest.Start(env, Subscribe, ada)
	got, err := run.Wait()
	if err != nil || got != (Summary{Ended: "over", Months: 12, Paid: 12 * 1200}) {
		t.Errorf("the summary is %+v, %v", got, err)
	}
	if want := begun.AddDate(1, 0, 0); env.Now().Sub(want).Abs() > time.Hour {
		t.Errorf("it ended at %s, want %s", env.Now(), want)
	}
	if d := run.Describe(); d.ExecutionID != 12 || d.Version != "2" {
		t.Errorf("it ended in execution %d on version %q, want one for each month, on the newest", d.ExecutionID, d.Version)
	}
}

func TestTheCustomerChangesTheirMind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after  time.Duration
		change Change
		want   Summary
	}{
		"to a larger plan, from the next month on": {40 * day, Change{Plan: "large", Price: 3000}, Summary{Ended: "over", Months: 12, Paid: 2*1200 + 10*3600}},
		"and cancels":         {70 * day, Change{Cancel: true}, Summary{Ended: "cancelled", Months: 3, Paid: 3600}},
		"and cancels at once": {time.Hour, Change{Cancel: true}, Summary{Ended: "cancelled", Months: 1, Paid: 1200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := open(t, never)
			run := turnstiletest.Start(env, Subscribe, ada)
			env.After(c.after, func() { turnstiletest.Raise(env, Changed, run.Instance, c.change) })
			if got, err := run.Wait(); err != nil || got != c.want {
				t.Errorf("the summary is %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestACardThatIsDeclined(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declined int
		want     Summary
	}{
		"twice: it pays at the third attempt":  {2, Summary{Ended: "over", Months: 12, Paid: 12 * 1200}},
		"four times: the subscription is over": {4, Summary{Ended: "unpaid", Months: 1, Paid: 1200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attempts := 0
			env := open(t, func(b Bill) bool {
				if b.Month == 1 {
					attempts++
				}
				return b.Month == 1 && attempts <= c.declined
			})
			begun := env.Now()
			if got, err := turnstiletest.Start(env, Subscribe, ada).Wait(); err != nil || got != c.want {
				t.Errorf("the summary is %+v, %v, want %+v", got, err, c.want)
			}
			// The days of dunning are part of their month.
			if c.want.Ended == "over" && env.Now().Sub(begun.AddDate(1, 0, 0)).Abs() > time.Hour {
				t.Errorf("it ended at %s", env.Now())
			}
		})
	}
}

// Months that are running when a build is deployed have histories like these: of the first version
// before and with the patch, and of version 2. Each was written once, by the code of its time, with
// AssertGolden.
func TestRunningMonthsReplayWithTheCurrentCode(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(orchestrations()), "testdata/*.json")
}

func TestAMonthOfTheNewestVersionIsTheOneInTestdata(t *testing.T) {
	t.Parallel()
	env := open(t, never)
	run := turnstiletest.Start(env, Subscribe, ada, client.WithInstanceID("ada"))
	env.Advance(10 * day)
	run.AssertGolden("testdata/version-2.json")
}

func TestACrashAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	short := ada
	short.Months = 1
	app := turnstile.NewApp(orchestrations(), shop{say: t.Logf, declines: never}.activities())
	turnstiletest.CrashTest(t, app, func(env *turnstiletest.Env) { turnstiletest.Start(env, Subscribe, short).Wait() })
}

// The code replays the histories that earlier builds of this application have written: see
// docs/internal/testing.md. With TURNSTILE_KEEP=BUILD the other tests write their histories.
func TestV06HistoriesOfEarlierBuildsReplay(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(orchestrations()), histories+"/*/subscription/*.json")
}

func TestTheStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if status := sample.Run(t.Context(), nil, &out); status != 0 {
		t.Fatalf("exit status %d\n%s", status, out.String())
	}
	for _, want := range []string{"Ada pays 1200 cents for month 1", "Ada is warned, for the 2. time", "wants the large plan", "Ada pays 3600 cents for month 7", "it is over after 12 months"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the story lacks %q:\n%s", want, out.String())
		}
	}
}

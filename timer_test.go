package turnstile_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestSleepUntilWaitsForAPointInTime(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[time.Time, time.Time]("Flow")
	part := flow.Implement(func(ctx turnstile.Context, at time.Time) (time.Time, error) {
		if err := turnstile.Sleep(ctx, 90*time.Minute); err != nil {
			return at, err
		}
		if err := turnstile.SleepUntil(ctx, at); err != nil {
			return at, err
		}
		return turnstile.Now(ctx), nil
	})
	for name, c := range map[string]struct {
		at   time.Time
		ends time.Duration // from the epoch, with the hour and a half
	}{
		"in time":                {epoch.Add(48 * time.Hour), 48 * time.Hour},
		"in another zone":        {epoch.Add(48 * time.Hour).In(time.FixedZone("west", -9*3600)), 48 * time.Hour},
		"between two of its ms":  {epoch.Add(48*time.Hour + time.Microsecond), 48*time.Hour + time.Millisecond},
		"passed meanwhile":       {epoch.Add(time.Hour), 90 * time.Minute},
		"passed long ago":        {time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), 90 * time.Minute},
		"the beginning of Unix":  {time.Unix(0, 0), 90 * time.Minute},
		"more than a century on": {time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC).Sub(epoch)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := start(t, part)
			run := ok[*client.Run[time.Time]](t)(client.Start(e.ctx, e.client, flow, c.at))
			ended := ok[time.Time](t)(run.Wait(e.ctx))
			if late := ended.Sub(epoch.Add(c.ends)); late < 0 || late > time.Second {
				t.Errorf("it ended at %s, want %s", ended, epoch.Add(c.ends))
			}
			events := e.history(run.Instance)
			if n := len(events); n != 7 {
				t.Errorf("%d events were recorded, want 7: %v", n, kinds(events))
			}
			// The replay at another time has the same result.
			if turn := replay(t, turnstile.NewApp(part), run.Instance, events); turn.Stuck != nil || len(turn.Events) != 0 {
				t.Errorf("replayed: %+v", turn)
			}
		})
	}
}

func TestATimerAfterTheYear2199IsAnErrorAtTheCall(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		at := turnstile.At(ctx, time.Date(2200, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 3600)))
		if first, err := turnstile.Select(ctx, at, turnstile.At(ctx, epoch.Add(time.Hour))); err != nil || first != 1 {
			return differ("a time in the year 2199 came before one in an hour: %d, %v", first, err)
		}
		return turnstile.SleepUntil(ctx, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	})
	if failed, is := errors.AsType[*client.OrchestrationError](err); !is || failed.Message != "At: the time is 2200-01-01T00:00:00Z; it must be in the year 2199 or earlier" {
		t.Error(err)
	}
	timers := 0
	for _, k := range kinds {
		if k == history.TimerCreated.String() {
			timers++
		}
	}
	if timers != 2 {
		t.Errorf("%d timers were recorded, want the two that can be: %v", timers, kinds)
	}
}

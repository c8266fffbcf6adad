package wire_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestTheAgeOfAnItemCountsFromItsSendingOrItsDueTime(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_800_000_000_000)
	ago := func(d time.Duration) int64 { return now.Add(-d).UnixMilli() }
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		item    wire.Item
		age     time.Duration
		expired bool
	}{
		"one that does not say":           {wire.Item{Kind: wire.ExternalRaised}, 0, false},
		"one of now":                      {wire.Item{Kind: wire.ExternalRaised, SentMS: ago(0)}, 0, false},
		"one of fourteen days":            {wire.Item{Kind: wire.ExternalRaised, SentMS: ago(wire.MaxAge)}, wire.MaxAge, false},
		"one a millisecond older":         {wire.Item{Kind: wire.ExternalRaised, SentMS: ago(wire.MaxAge + time.Millisecond)}, wire.MaxAge + time.Millisecond, true},
		"one from a clock that is ahead":  {wire.Item{Kind: wire.ExternalRaised, SentMS: ago(-time.Minute)}, -time.Minute, false},
		"a timer of a year, due now":      {wire.Item{Kind: wire.TimerFired, SentMS: ago(365 * day), FireAtMS: ago(0)}, 0, false},
		"a firing that is too late":       {wire.Item{Kind: wire.TimerFired, SentMS: ago(365 * day), FireAtMS: ago(15 * day)}, 15 * day, true},
		"an attempt that waited for days": {wire.Item{Kind: wire.ActivityExecute, SentMS: ago(30 * day), NotBeforeMS: ago(day)}, day, false},
		"a wake":                          {wire.Item{Kind: wire.Wake, SentMS: ago(365 * day)}, 365 * day, false},
	} {
		if got := c.item.Age(now); got != c.age || c.item.Expired(now) != c.expired {
			t.Errorf("%s: age %s, expired %t", name, got, c.item.Expired(now))
		}
	}
}

func TestCompletionsOfDifferentAttemptsAreDeduplicated(t *testing.T) {
	t.Parallel()
	i := wire.Item{Kind: wire.ActivityCompleted, Instance: "i", ExecutionID: 1, SourceEventID: 2, Token: "t"}
	said := i
	said.Attempt, said.StartedAtMS, said.RequestID, said.SentMS = 2, 5, "r", 6
	if wire.DedupID(&i) != wire.DedupID(&said) {
		t.Error("what a worker says of its attempt changes the deduplication id")
	}
}

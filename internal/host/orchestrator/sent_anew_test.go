package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// an attempt that its queue moved to the dead letters is sent again, due no later than the
// end of the total timeout, at which it fails.
func TestA13AReplacedAttemptIsDueWithinTheTotalTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	startedAt := w.clock.Now()
	w.deliver("m", w.body(wire.Item{Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Attempt: 1, Token: "t", Hops: 12,
		Retry: &history.Retry{TotalTimeoutMS: 60_000}, ScheduledAtMS: startedAt.UnixMilli()}), 1, platform.SourceActivityDead, 0)
	w.expectCount(host.CountMessages, "sent_anew", 1)
	if next, _ := w.activity.NextDue(); !next.Equal(startedAt.Add(time.Minute)) {
		t.Errorf("it is due %s after it was scheduled, want a minute", next.Sub(startedAt))
	}
}

// an attempt that became a dead letter during a long delay waits for the rest of the delay.
func TestA05AReplacedAttemptWaitsForTheRestOfItsDelay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	due := w.clock.Now().Add(2 * time.Hour)
	w.deliver("m", w.body(wire.Item{Kind: wire.ActivityExecute, Instance: "a", ExecutionID: 1, SchedulingEventID: 2, Name: "Work", Attempt: 2, Token: "t",
		NotBeforeMS: due.UnixMilli()}), 1, platform.SourceActivityDead, 0)
	w.expectCount(host.CountMessages, "sent_anew", 1)
	next, _ := w.activity.NextDue()
	w.clock.Advance(next.Sub(w.clock.Now()))
	sent, err := w.activity.Receive(t.Context(), 10, 0)
	if err != nil || len(sent) != 1 {
		t.Fatalf("%d messages, %v", len(sent), err)
	}
	item, err := wire.ParseText(sent[0].Body)
	if err != nil || item.NotBeforeMS != due.UnixMilli() {
		t.Errorf("it is not to be begun before %d, want %d: %v", item.NotBeforeMS, due.UnixMilli(), err)
	}
}

package timeline_test

import (
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// The attempts of an inline activity are one operation, whose duration covers all of them.
func TestTheAttemptsOfAnInlineActivityAreOneStep(t *testing.T) {
	t.Parallel()
	inline := func(first int64, made int) history.Event {
		return history.Event{Kind: history.ActivityScheduled, Name: "Quick", Inline: true, Retry: &history.Retry{MaxAttempts: 3, FirstEventID: first, AttemptsMade: made}}
	}
	failed := func(of int64, attempt int) history.Event {
		return history.Event{Kind: history.ActivityFailed, SourceEventID: of, Attempt: attempt, Failure: &history.Failure{Kind: "application", Message: "no"}}
	}
	s := newScript(1)
	s.turn(0, started(), inline(0, 0)) // event 2
	s.turn(1, failed(2, 1), history.Event{Kind: history.TimerCreated, DurationMS: 9000, FireAtMS: 10_000})
	s.turn(10, history.Event{Kind: history.TimerFired, SourceEventID: 4}, inline(2, 1)) // event 6
	s.turn(12, done(6, 10, 2), wait("e"))
	var all timeline.Steps
	all.Add(s.timeline())
	all.Add(s.timeline())
	steps := all.All()
	i := slices.IndexFunc(steps, func(s timeline.Step) bool { return s.Kind == timeline.KindInline })
	if i < 0 || len(steps) != 3 {
		t.Fatalf("the steps are %+v", steps)
	}
	if q := steps[i]; q.Name != "Quick" || q.Retries != 2 || q.Failed != 0 || !slices.Equal(q.Took, []time.Duration{12 * time.Second, 12 * time.Second}) {
		t.Errorf("the inline activity is %+v", q)
	}
	if last := steps[2]; last.Kind != timeline.KindWait || last.Open != 2 || last.Took != nil {
		t.Errorf("the wait is %+v", last)
	}
}

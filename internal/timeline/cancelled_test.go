package timeline_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/history"
)

// A cancelled row says what cancelled it, because that is what its reader wants to know.
func TestACancelledRowSaysAfterWhatItWasCancelled(t *testing.T) {
	t.Parallel()
	asked := history.Event{Kind: history.OrchestrationCancelRequested}
	fired := history.Event{Kind: history.TimerFired, SourceEventID: 3}
	failed := history.Event{Kind: history.ActivityFailed, SourceEventID: 4, Failure: &history.Failure{Kind: history.FailureApplication}}
	for name, c := range map[string]struct {
		second []history.Event
		want   string
	}{
		"an event":            {[]history.Event{event("approved")}, "cancelled by the code after event 6: external event approved was received"},
		"a timer":             {[]history.Event{fired}, "cancelled by the code after event 6: a timer fired"},
		"an activity":         {[]history.Event{done(4, 12, 1)}, "cancelled by the code after event 6: activity Charge completed"},
		"a failed activity":   {[]history.Event{failed, act("Refund", nil)}, "cancelled by the code after event 6: activity Charge failed"},
		"its instance":        {[]history.Event{asked}, "cancelled with its instance by event 6"},
		"several at one time": {[]history.Event{event("a"), event("b")}, "cancelled in the turn of events 6 to 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(1)
			s.turn(10, started(), wait("approved"), timer(100), act("Charge", nil), timer(200))
			s.turn(20, c.second...).Cancelled = []int64{5}
			rows := s.timeline().Rows
			if got := rows[3].CancelText; got != c.want {
				t.Errorf("the timer says %q, want %q", got, c.want)
			}
			if rows[0].CancelText != "" {
				t.Errorf("a row that was not cancelled says %q", rows[0].CancelText)
			}
		})
	}
	s := newScript(1)
	s.turn(10, started(), timer(100)).Cancelled = []int64{2}
	if got := s.timeline().Rows[0].CancelText; got != "cancelled by the code in the first turn" {
		t.Errorf("the timer says %q", got)
	}
}

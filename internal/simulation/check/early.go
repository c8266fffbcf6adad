package check

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/timer"
)

// checkFired is T-01 and T-09 for a TimerFired that is about to be recorded: no timer fires
// early, unless an operator has asked for this one, and then the event says who and why.
func (w *checker) checkFired(x *ledger.Recorded, e *history.Event, violate func(rule, format string, args ...any)) {
	created := &x.Events[e.SourceEventID-1]
	if e.SenderID == "" {
		if e.AtMS < created.FireAtMS {
			violate("T-01", "timer %d fired %d ms early", created.EventID, created.FireAtMS-e.AtMS)
		}
		if e.Actor != "" || e.Reason != "" {
			violate("T-09", "the firing of timer %d at %d has an actor or a reason, and nobody who has asked for it", created.EventID, e.EventID)
		}
		return
	}
	w.Reached("T-09")
	if e.AtMS < created.FireAtMS {
		w.Reached("T-09, early")
	}
	if !w.Said[e.SenderID] || world.FiredBy(e.SenderID) != created.EventID {
		violate("T-09", "timer %d fired by %q, who has not asked for it", created.EventID, e.SenderID)
	}
	if e.Actor != world.ActorOf(e.SenderID) || e.Reason != e.SenderID+" is why" || e.FireAtMS != created.FireAtMS {
		violate("T-09", "the firing of timer %d at %d is recorded by %q, for %q, due at %d, which are not those of %q", created.EventID, e.EventID, e.Actor, e.Reason, e.FireAtMS, e.SenderID)
	}
}

// surelyScheduled is longer than any wait by the delay queue.
const surelyScheduled = time.Hour

// checkFiredSchedule: the schedule of a timer that was fired long before its time was removed.
func (w *checker) checkFiredSchedule(instance string, n int64, x *ledger.Recorded, e *history.Event) {
	if e.Kind != history.TimerFired || e.SenderID == "" || time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond < surelyScheduled {
		return
	}
	name := timer.Name(instance, n, e.SourceEventID)
	if !w.Ledger.Outside.Scheduled[name] {
		return
	}
	w.Reached("T-09, a schedule")
	if !w.Ledger.Outside.Removed[name] {
		w.Violate("T-09", "timer %d of %s/%d was fired at event %d, %s early, and its schedule was not removed", e.SourceEventID, instance, n, e.EventID,
			time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond)
	}
}

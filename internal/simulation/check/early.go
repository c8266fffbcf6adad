package check

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checkFired is T-01 and T-09 for a TimerFired that is about to be recorded: no timer fires
// early, unless an operator requested it; then the event names the operator and the reason.
func (w *checker) checkFired(x *ledger.Recorded, e *history.Event, violate func(rule, format string, args ...any)) {
	created := &x.Events[e.SourceEventID-1]
	if e.SenderID == "" {
		if e.AtMS < created.FireAtMS {
			violate("T-01", "timer %d fired %d ms early", created.EventID, created.FireAtMS-e.AtMS)
		}
		if e.Actor != "" || e.Reason != "" {
			violate("T-09", "the firing of timer %d at %d has an actor or a reason, although no operator requested it", created.EventID, e.EventID)
		}
		return
	}
	w.Reached("T-09")
	if e.AtMS < created.FireAtMS {
		w.Reached("T-09, early")
	}
	if !w.Said[e.SenderID] || world.FiredBy(e.SenderID) != created.EventID {
		violate("T-09", "timer %d fired by %q, who has not requested it", created.EventID, e.SenderID)
	}
	if e.Actor != world.ActorOf(e.SenderID) || e.Reason != e.SenderID+" is why" || e.FireAtMS != created.FireAtMS {
		violate("T-09", "the firing of timer %d at %d is recorded by %q, for %q, due at %d, which are not those of %q", created.EventID, e.EventID, e.Actor, e.Reason, e.FireAtMS, e.SenderID)
	}
}

// surelyScheduled is longer than any delay through the delay queue.
const surelyScheduled = time.Hour

// checkFiredSchedule: the schedule of a timer that was fired long before its time was removed.
func (w *checker) checkFiredSchedule(instance string, n int64, x *ledger.Recorded, e *history.Event) {
	if e.Kind != history.TimerFired || e.SenderID == "" || time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond < surelyScheduled {
		return
	}
	name := timer.Name(instance, n, e.SourceEventID, x.Events[e.SourceEventID-1].AtMS)
	if !w.Ledger.Outside.Scheduled[name] {
		return
	}
	w.Reached("T-09, a schedule")
	if !w.Ledger.Outside.Removed[name] {
		w.Violate("T-09", "timer %d of %s/%d was fired at event %d, %s early, and its schedule was not removed", e.SourceEventID, instance, n, e.EventID,
			time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond)
	}
}

// messagesOf returns those messages of an invocation that belong to the attempt that starts in
// it.
func (w *checker) messagesOf(inv *world.Invocation, key store.ActivityKey, attempt int) (items []*wire.Item) {
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err == nil && item.Kind == wire.ActivityExecute && item.Instance == key.Instance && item.ExecutionID == key.ExecutionID &&
			item.SchedulingEventID == key.EventID && max(item.Attempt, 1) == attempt {
			items = append(items, item)
		}
	}
	return items
}

// madeEarly reports whether an operator may have requested the attempt.
func (w *checker) madeEarly(p *world.Process, key store.ActivityKey, info *activities.Info) bool {
	return slices.ContainsFunc(w.messagesOf(p.Running, key, info.Number), w.askedFor)
}

// askedFor reports whether an operator, the one that the message names, requested the early
// attempt of a message.
func (w *checker) askedFor(item *wire.Item) bool {
	due, early := activities.EarlyDue(item.ID)
	if !early {
		return false
	}
	for id := range w.Said {
		if event, named := world.RetriedBy(id); event == item.SchedulingEventID && (named == 0 || named == item.Attempt) && activities.EarlyID(due, id) == item.ID && item.Actor == world.ActorOf(id) {
			return true
		}
	}
	return false
}

// isBarred reports whether the attempt of this message, which is due now, was made early before
// the invocation started.
func (w *checker) isBarred(inv *world.Invocation, item *wire.Item) bool {
	if item.Kind != wire.ActivityExecute || item.ID != "" {
		return false
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	since, barred := w.Ledger.Outside.Barred[ledger.Barred{ActivityKey: key, Attempt: item.Attempt, DueMS: item.SentMS}]
	return barred && since < inv.Started
}

// checkEarly is A-18 for an attempt that starts: if its message says that an operator requested
// it, the operator did; otherwise no operator has already had the same attempt made early.
func (w *checker) checkEarly(p *world.Process, key store.ActivityKey, info *activities.Info) {
	own := w.messagesOf(p.Running, key, info.Number)
	for _, item := range own {
		if item.ID != "" {
			w.Reached("A-18")
			if !w.askedFor(item) {
				w.Violate("A-18", "%s makes attempt %d of activity %d of %s/%d for %q by %q, who has not requested it", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, item.Actor, item.ID)
			}
			return
		}
		if item.Actor != "" {
			w.Violate("A-18", "%s makes attempt %d of activity %d of %s/%d for %q, who has not requested it", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID, item.Actor)
		}
	}
	if len(own) > 0 && !slices.ContainsFunc(own, func(i *wire.Item) bool { return !w.isBarred(p.Running, i) }) {
		w.Violate("A-18", "%s makes attempt %d of activity %d of %s/%d, which an operator had made before it was due", p.Name, info.Number, key.EventID, key.Instance, key.ExecutionID)
	}
}

package check

import (
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// suspends reports whether an item suspends an instance, or resumes it.
func suspends(i *wire.Item) bool {
	return i.Kind == wire.SuspendInstance || i.Kind == wire.ResumeInstance
}

// isFollowed reports whether a resume, or another suspend, has followed the one that an item is
// for.
func isFollowed(i *wire.Item, x *ledger.Recorded) bool {
	if x.Suspended == nil {
		return true
	}
	if i.Kind == wire.SuspendInstance {
		// The client of a start moves the suspend that the start itself has made, not one that a
		// client requested behind it, which may have the number that was expected for the
		// start's.
		return x.Suspended.EventID != i.SchedulingEventID || strings.HasPrefix(x.Suspended.SenderID, "suspend-")
	}
	return x.Held != i.SchedulingEventID
}

// checkSuspended is rule 14 for an event that is about to be recorded in x: a suspended execution
// records incoming events, and schedules nothing; and each suspend and each resume is recorded
// once.
func (w *checker) checkSuspended(p *world.Process, x *ledger.Recorded, t *store.Turn, e *history.Event) {
	if ledger.Agrees(e) {
		if x.Suspended != nil || t.Parked && e.EventID == t.Last() {
			w.Violate("O-10", "event %d of %s/%d records that the code agrees, although it has not run", e.EventID, t.Instance, t.ExecutionID)
		}
		return
	}
	switch e.Kind {
	case history.OrchestrationSuspended, history.OrchestrationResumed:
		if x.Senders[ledger.SentBy(e)] {
			w.Violate("rule 14", "%s of sender id %s is recorded twice, at %d of %s/%d the second time", e.Kind, e.SenderID, e.EventID, t.Instance, t.ExecutionID)
		}
	}
	if x.Suspended == nil {
		return
	}
	if byHost := e.Kind == history.OrchestrationResumed && strings.HasPrefix(e.SenderID, "resume-"); byHost && t.First() > 1 && (x.Until == 0 || e.AtMS < x.Until) { // One that is carried over has the time of another clock.
		w.Violate("T-01", "%s/%d resumes by itself %d ms early", t.Instance, t.ExecutionID, x.Until-e.AtMS)
	} else if byHost {
		w.Reached("rule 14, resumed by itself")
	}
	if e.Kind.Arrival() && !e.WithPrevious {
		w.Violate("rule 2", "%s at %d of %s/%d arrived while it was suspended, although its code must not see it", e.Kind, e.EventID, t.Instance, t.ExecutionID)
	}
	switch {
	case e.Kind == history.OrchestrationResumed && e.SenderID == "" && queuedFor(x) == "":
		w.Violate("rule 14", "event %d of %s/%d resumes it without a request", e.EventID, t.Instance, t.ExecutionID)
	case e.Kind.Scheduling(), e.Kind.Terminal() && e.Forced == "":
		w.Violate("rule 14", "%s makes %s at %d of %s/%d, which is suspended since event %d", p.Name, e.Kind, e.EventID, t.Instance, t.ExecutionID, x.Suspended.EventID)
	case e.Forced != "":
		w.Reached("rule 14, imposed")
	case e.Kind == history.OrchestrationResumed && e.EventID > x.Suspended.EventID+1:
		w.Reached("rule 14, resumed")
		if x.Inline > 0 {
			w.Reached("rule 14, an inline activity was open")
		}
	}
}

// queuedFor returns the key of the limit under which an execution waits for a permit; empty if it
// does not, or if a client has suspended it since.
func queuedFor(x *ledger.Recorded) string {
	if x.Suspended == nil || x.Held < 1 || x.Held > int64(len(x.Events)) {
		return ""
	}
	return x.Events[x.Held-1].LimitKey
}

// checkSuspension is I-06 for the suspension in the record: the history has the same.
func (w *checker) checkSuspension(r *store.Record, x *ledger.Recorded) {
	s, since := r.Suspension, x.Suspended
	switch {
	case s == nil && since == nil:
	case s == nil:
		w.Violate("I-06", "%s is suspended since event %d, but its record does not show that", r.Instance, since.EventID)
	case since == nil:
		w.Violate("I-06", "according to its record %s is suspended since event %d, but it is not", r.Instance, s.EventID)
	case s.EventID != since.EventID || s.SinceMS != since.AtMS || s.UntilMS != x.Until || s.Reason != x.Said.Reason || s.Actor != x.Said.Actor || s.LimitKey != queuedFor(x):
		w.Violate("I-06", "%s is suspended since event %d at %s by %q because of %q; its record has %+v", r.Instance, since.EventID, time.UnixMilli(since.AtMS).UTC(), x.Said.Actor, x.Said.Reason, *s)
	default:
		w.Reached("I-06, suspended")
		if since.EventID != x.Said.EventID && s.Reason != "" {
			w.Reached("I-06, suspended for another reason since")
		}
		if r.Problem != nil {
			w.Reached("rule 14, stuck and suspended")
		}
	}
}

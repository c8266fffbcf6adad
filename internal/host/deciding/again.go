package deciding

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/resending"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// resend finds the messages that must be sent again before anything else: messages of commits that
// earlier deliveries of these messages caused, and that may not have been sent.
//
// A message is acknowledged only after everything that its turn committed was sent. Until then no
// other message resends it, so a redelivered message sends the messages of its own turn again,
// whatever was committed since. A message that was redriven or requeued may have been overtaken by
// others, so it resends all open operations of the execution that it names and of later executions.
// Ids derive from instance, execution and event, so sending twice is harmless.
type resend struct {
	*Known
	// gathered is nil before the search begins.
	gathered *resending.Resending
}

// find returns what the messages have to resend; nil if that is nothing. After a read it
// gathers everything once more, but adds nothing twice.
func (a *resend) find() (*Again, error) {
	back, duplicates := inbox.Returning(a.Group.Open()), a.duplicates()
	late, err := a.late()
	switch {
	case err != nil:
		return nil, err
	case len(back) == 0 && len(duplicates) == 0 && !late:
		return nil, nil
	case len(duplicates) > 0 && (a.Running.Warm || a.View.Record == nil && !a.View.Described):
		return nil, ErrStale // This turn has not read everything that was committed.
	}
	if a.gathered == nil {
		// A commit may be in progress, and a read during a commit may lack some of the commit's
		// items. No later message repairs that, because later messages are handled after the
		// messages of this turn.
		if len(duplicates) > 0 {
			if err := a.unmoved(); err != nil {
				return nil, err
			}
		}
		if a.begin(); len(duplicates) > 0 {
			return nil, &Read{What: RecordAgain}
		}
	}
	if late {
		if err := a.gatherLate(); err != nil {
			return nil, err
		}
	}
	for _, m := range append(back, duplicates...) {
		if err := a.gather(m); err != nil {
			return nil, err
		}
	}
	return a.found(), nil
}

// begin starts gathering.
func (a *resend) begin() {
	a.gathered = resending.New(&a.View, a.Running.Execution, a.Now.At, a.Group.Sent, a.heard)
}

// found returns what was gathered.
func (a *resend) found() *Again { return &Again{a.gathered.Commits, a.gathered.Since} }

// late reports whether code recorded events after the instance was marked as stuck. That happens
// if a process dies and its write lands late, after another process has marked the instance and
// acknowledged the message.
func (a *resend) late() (bool, error) {
	p := a.View.Problem()
	switch {
	case p == nil || p.Kind == store.ProblemCorrupt || p.LastEventID == 0:
		return false, nil
	case a.goneOn(p):
		return true, nil
	case a.Running.X.LastEventID() <= p.LastEventID:
		return false, nil
	}
	turns, err := a.View.Turns(a.Running.Execution)
	return slices.ContainsFunc(turns, func(s store.Turn) bool { return s.First() > p.LastEventID && !s.Parked }), err
}

// goneOn reports whether a problem belongs to an execution that has since continued as new.
func (a *resend) goneOn(p *store.Problem) bool {
	return p.ExecutionID != 0 && p.ExecutionID < a.Running.Execution
}

// gatherLate adds the events that a late write recorded after the problem was set.
func (a *resend) gatherLate() error {
	p := a.View.Problem()
	if a.goneOn(p) {
		return a.gathered.Everything(p.ExecutionID)
	}
	return a.gathered.Behind(p.LastEventID)
}

// gather adds the commits that must be sent again for a message.
func (a *resend) gather(m *inbox.Message) error {
	switch v := a.verdict(m); {
	case m.Redriven() || m.Item.Hops > 0 && !m.Returning():
		return a.gathered.Everything(m.Item.TargetExecution())
	case m.Records() && v.Kind == engine.Duplicate:
		return a.gathered.Fact(v.EventID)
	default:
		// Its turn may have made another commit first, or have ended the instance.
		return a.gathered.LastTurn()
	}
}

// duplicates returns the messages that are delivered for the first time although the history already
// has their events. Lambda may deliver one batch to two processes, with the same receipt handles. If
// the other process died after its commit, only these messages can resend what it committed.
func (a *resend) duplicates() (duplicates []*inbox.Message) {
	for _, m := range a.withBrought(a.Group.Open()) {
		if !m.Returning() && a.stands(m) {
			duplicates = append(duplicates, m)
		}
	}
	return duplicates
}

// stands reports whether the history may already contain the event of a message.
func (k *Known) stands(m *inbox.Message) bool {
	x := k.Running.X
	switch m.Item.Kind {
	case wire.TerminateInstance:
		return x.Ended()
	case wire.PurgeInstance:
		return m.Purges() && x.Ended()
	case wire.Wake:
		return m.Item.Number > 0 && m.Item.Number != ContinueNumber && (k.View.Problem() == nil || m.Item.Number != k.View.Record.Stamp)
	case wire.ActivityPending:
	default:
		if !m.Records() {
			return false
		}
	}
	at := int64(0)
	switch v := k.verdict(m); {
	case v.Kind == engine.Duplicate:
		at = v.EventID
	case v.Kind == engine.Late && x.Ended():
		at = x.LastEventID() // The message's turn may have ended the execution before the message was recorded.
	case restarts(m) && x.Ended():
		at = x.LastEventID() // Its turn may have continued a run that was cut short, and ended it.
	case v.Kind == engine.Late && m.Item.TargetExecution() < k.Running.Execution:
		// The event may be in an earlier execution, which has since continued as new.
	default:
		return false
	}
	return !time.UnixMilli(x.RecordedAt(at)).Before(earliest(m))
}

// earliest returns the earliest time at which an event can have been recorded, if it was recorded
// after a message was received. It allows for a small clock skew between functions and SQS, and for
// times in whole milliseconds. A requeued message was first received earlier, so any time is
// possible.
func earliest(m *inbox.Message) time.Time {
	if m.ReceivedAt.IsZero() || m.Item.Hops > 0 {
		return time.Time{}
	}
	return m.ReceivedAt.Add(-lease.Skew).Truncate(time.Millisecond)
}

// heard reports whether one of the turn's messages completes or concerns this scheduling event of
// the current execution, which shows that the event's message was sent. Without this check a
// redelivered completion would start another attempt of the activity that it completes.
func (a *resend) heard(eventID int64) bool {
	return a.Running.X != nil && slices.ContainsFunc(a.Group.Messages, func(m *inbox.Message) bool {
		if m.Item.SourceEventID != eventID || m.Item.TargetExecution() != a.Running.Execution || m.Item.Kind == wire.ActivityHeartbeat || m.Item.Kind == wire.RetryActivity {
			return false
		}
		v := a.verdict(m).Kind
		return v == engine.Recorded || v == engine.Duplicate
	})
}

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

// again is the progress of finding messages that must be sent again.
type again struct {
	done bool
	// gathered is nil before the search begins; messages are those whose outgoing messages are still
	// to be gathered.
	gathered *resending.Resending
	messages []*inbox.Message
	// late: a write landed after the problem was set.
	late bool
	// duplicates: the events of some messages were recorded after their receipt, by a duplicate invocation.
	// behind: an isolated read has shown that no event follows those that were read.
	duplicates, behind bool
}

// sendAgain sends again, before anything else, the outgoing messages of earlier commits for these
// messages that may not have been sent.
//
// A message is acknowledged only after everything that its turn committed was sent. Until then no
// other message resends that, so a redelivered message sends its own turn again, whatever was
// committed since. A message that was redriven or requeued may have been overtaken by others, so it
// sends again all open operations from the execution on that it names. Ids derive from instance,
// execution and event, so sending twice is harmless.
func (t *Turn) sendAgain(p *Plan) error {
	a := &t.passed.again
	if a.done = a.done || t.Running.Creating; a.done {
		return nil
	}
	if a.gathered == nil {
		since, back, duplicates := t.Now.At, inbox.Returning(t.open()), t.duplicates()
		late, err := t.late()
		if err != nil {
			return err
		}
		switch {
		case len(back) == 0 && len(duplicates) == 0 && !late:
			a.done = true
			return nil
		case len(duplicates) > 0 && !t.Cold && (t.Running.Warm || t.View.Record == nil):
			return ErrStale // This turn has not read everything that was committed.
		}
		a.gathered, a.late, a.duplicates, a.messages = t.resending(since), late, len(duplicates) > 0, append(back, duplicates...)
	}
	if a.late {
		if err := t.gatherLate(); err != nil {
			return err
		}
		a.late = false
	}
	if a.duplicates {
		if err := t.awaitDuplicate(); err != nil {
			return err
		}
	}
	for len(a.messages) > 0 {
		if err := t.gather(a.messages[0]); err != nil {
			return err
		}
		t.View.Forget()
		a.messages = a.messages[1:]
	}
	a.done = true
	p.Again = &Again{a.gathered.Commits, a.gathered.Since}
	return nil
}

// late reports whether code recorded events after the instance was marked as stuck. That happens
// if a process dies and its write lands late, after another process has marked the instance and
// acknowledged the message.
func (t *Turn) late() (bool, error) {
	p := t.View.Problem()
	switch {
	case p == nil || p.Kind == store.ProblemCorrupt || p.LastEventID == 0:
		return false, nil
	case t.goneOn(p):
		return true, nil
	case t.Running.X.LastEventID() <= p.LastEventID:
		return false, nil
	}
	turns, err := t.View.Turns(t.Running.Execution)
	return slices.ContainsFunc(turns, func(s store.Turn) bool { return s.First() > p.LastEventID && !s.Parked }), err
}

// goneOn reports whether a problem belongs to an execution that has continued as new since.
func (t *Turn) goneOn(p *store.Problem) bool {
	return p.ExecutionID != 0 && p.ExecutionID < t.Running.Execution
}

// gatherLate adds the events that a late write recorded after the problem was set.
func (t *Turn) gatherLate() error {
	p, again := t.View.Problem(), t.passed.again.gathered
	if t.goneOn(p) {
		return again.Everything(p.ExecutionID)
	}
	return again.Behind(p.LastEventID)
}

// gather adds the commits that must be sent again for a message.
func (t *Turn) gather(m *inbox.Message) error {
	again := t.passed.again.gathered
	switch v := t.verdict(m); {
	case m.Redriven() || m.Item.Hops > 0 && !m.Returning():
		return again.Everything(m.Item.TargetExecution())
	case m.Records() && v.Kind == engine.Duplicate:
		return again.Fact(v.EventID)
	default:
		// Its turn may have made another commit first, or have ended the instance.
		return again.LastTurn()
	}
}

// duplicates returns the messages that are delivered for the first time although the history already
// has their events. Lambda may deliver one batch to two processes, with the same receipt handles. If
// the other process died after its commit, only these messages can resend what it committed.
func (t *Turn) duplicates() (duplicates []*inbox.Message) {
	for _, m := range t.withBrought(t.open()) {
		if !m.Returning() && t.stands(m) {
			duplicates = append(duplicates, m)
		}
	}
	return duplicates
}

// awaitDuplicate checks that no commit is in progress, because a read during a commit may lack some of
// its items, and other messages are handled after those of this turn.
func (t *Turn) awaitDuplicate() error {
	if a := &t.passed.again; !a.behind {
		if err := t.unmoved(); err != nil {
			return err
		}
		a.behind, t.View.Current = true, false
	}
	return t.currentRecord()
}

// stands reports whether the history may already have the event of a message.
func (t *Turn) stands(m *inbox.Message) bool {
	x := t.Running.X
	switch m.Item.Kind {
	case wire.TerminateInstance:
		return x.Ended()
	case wire.PurgeInstance:
		return m.Purges() && x.Ended()
	case wire.Wake:
		return m.Item.Number > 0 && m.Item.Number != ContinueNumber && (t.View.Problem() == nil || m.Item.Number != t.View.Record.Stamp)
	case wire.ActivityPending:
	default:
		if !m.Records() {
			return false
		}
	}
	at := int64(0)
	switch v := t.verdict(m); {
	case v.Kind == engine.Duplicate:
		at = v.EventID
	case v.Kind == engine.Late && x.Ended():
		at = x.LastEventID() // Its turn may have ended the execution before it recorded the message.
	case restarts(m) && x.Ended():
		at = x.LastEventID() // Its turn may have continued a run that was cut short, and ended it.
	case v.Kind == engine.Late && m.Item.TargetExecution() < t.Running.Execution:
		// It may be in an earlier execution that has continued as new since.
	default:
		return false
	}
	return !time.UnixMilli(x.RecordedAt(at)).Before(earliest(m))
}

// earliest returns the earliest recording time of an event that was recorded after a message was
// received. It allows for a small clock skew between functions and SQS, and for times in whole
// milliseconds. A requeued message was first received earlier, so any time is possible.
func earliest(m *inbox.Message) time.Time {
	if m.ReceivedAt.IsZero() || m.Item.Hops > 0 {
		return time.Time{}
	}
	return m.ReceivedAt.Add(-lease.Skew).Truncate(time.Millisecond)
}

// heard reports whether one of the turn's messages completes or concerns this scheduling event of
// the current execution, which shows that the event's message was sent. Without this check a
// redelivered completion would start another attempt of the activity that it completes.
func (t *Turn) heard(eventID int64) bool {
	return t.Running.X != nil && slices.ContainsFunc(t.Group.Messages, func(m *inbox.Message) bool {
		if m.Item.SourceEventID != eventID || m.Item.TargetExecution() != t.Running.Execution || m.Item.Kind == wire.ActivityHeartbeat || m.Item.Kind == wire.RetryActivity {
			return false
		}
		v := t.verdict(m).Kind
		return v == engine.Recorded || v == engine.Duplicate
	})
}

func (t *Turn) resending(since time.Time) *resending.Resending {
	return resending.New(&t.View, t.Running.Execution, since, t.Group.Sent, t.heard)
}

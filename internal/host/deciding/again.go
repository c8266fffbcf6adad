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

// again is what is known so far about messages that must be sent again.
type again struct {
	done bool
	// gathered is nil where it was not begun; messages are those still to be asked for
	// what they have to send.
	gathered *resending.Resending
	messages []*inbox.Message
	// late: a write landed after the mark.
	late bool
	// twins: the facts of some messages were recorded since their receipt. behind: it was
	// looked that nothing follows what was read beside that.
	twins, behind bool
}

// sendAgain sends again, before anything else, what may have been committed for
// these messages and not sent.
//
// A message is acknowledged only after everything that its turn committed was sent. Until
// then no other message resends that, so a redelivery sends its own turn again, whatever
// was committed since. A message that was redriven, or went round, may have been overtaken
// by others: it sends again all that is open from the execution that it names. Ids derive
// from instance, execution and event, so that sending twice is harmless.
func (t *Turn) sendAgain(p *Plan) error {
	a := &t.passed.again
	if a.done = a.done || t.Running.Creating; a.done {
		return nil
	}
	if a.gathered == nil {
		since, back, twins := t.Now.At, inbox.Returning(t.open()), t.twins()
		late, err := t.late()
		if err != nil {
			return err
		}
		switch {
		case len(back) == 0 && len(twins) == 0 && !late:
			a.done = true
			return nil
		case len(twins) > 0 && !t.Cold && (t.Running.Warm || t.View.Record == nil):
			return ErrStale // Not all that was committed is known here.
		}
		a.gathered, a.late, a.twins, a.messages = t.resending(since), late, len(twins) > 0, append(back, twins...)
	}
	if a.late {
		if err := t.gatherLate(); err != nil {
			return err
		}
		a.late = false
	}
	if a.twins {
		if err := t.awaitTwin(); err != nil {
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

// late reports whether the history goes on after what it had when the instance was marked as
// stuck, by more than arrivals: code has recorded that in a process that died, the write landed
// late, and the message for it was acknowledged by the process that set the mark.
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

// goneOn reports whether a mark is of an execution that has continued as new since.
func (t *Turn) goneOn(p *store.Problem) bool {
	return p.ExecutionID != 0 && p.ExecutionID < t.Running.Execution
}

// gatherLate adds the events that a late write put after the mark.
func (t *Turn) gatherLate() error {
	p, again := t.View.Problem(), t.passed.again.gathered
	if t.goneOn(p) {
		return again.Everything(p.ExecutionID)
	}
	return again.Behind(p.LastEventID)
}

// gather adds what a message has to send again.
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

// twins returns the messages whose facts the history has, though they come for the
// first time. Lambda may hand one batch to two processes, with the same receipts. If
// the other process died after its commit, no other message sends what it committed.
func (t *Turn) twins() (twins []*inbox.Message) {
	for _, m := range t.withBrought(t.open()) {
		if !m.Returning() && t.stands(m) {
			twins = append(twins, m)
		}
	}
	return twins
}

// awaitTwin waits until no commit is under way: what is read beside one may lack some of
// its items, and after the messages of this turn others are handled.
func (t *Turn) awaitTwin() error {
	if a := &t.passed.again; !a.behind {
		if err := t.unmoved(); err != nil {
			return err
		}
		a.behind, t.View.Current = true, false
	}
	return t.currentRecord()
}

// stands reports whether the history may have the fact of a message.
func (t *Turn) stands(m *inbox.Message) bool {
	x := t.Running.X
	switch m.Item.Kind {
	case wire.TerminateInstance:
		return x.Ended()
	case wire.PurgeInstance:
		return m.Purges() && x.Ended()
	case wire.Wake:
		return m.Item.Number > 0 && m.Item.Number != GoOnNumber && (t.View.Problem() == nil || m.Item.Number != t.View.Record.Stamp)
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
		at = x.LastEventID() // Its turn may have ended the execution before its fact.
	case beginsAgain(m) && x.Ended():
		at = x.LastEventID() // Its turn may have gone on with a run that was cut short, and ended that.
	case v.Kind == engine.Late && m.Item.TargetExecution() < t.Running.Execution:
		// It may stand in an execution that has continued as new since.
	default:
		return false
	}
	return !time.UnixMilli(x.RecordedAt(at)).Before(earliest(m))
}

// earliest is the earliest time that stands in a history for a fact which was recorded since
// the receipt of a message: clocks of functions and of SQS differ by little, and times are
// noted in whole milliseconds. A message that went round was received before.
func earliest(m *inbox.Message) time.Time {
	if m.ReceivedAt.IsZero() || m.Item.Hops > 0 {
		return time.Time{}
	}
	return m.ReceivedAt.Add(-lease.Skew).Truncate(time.Millisecond)
}

// heard reports whether one of the messages of the turn completes, or is about,
// this scheduling event of the current execution: then the event was sent. Without
// this a redelivered completion would start another attempt of the activity that it
// completes.
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

package orchestrator

import (
	"context"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/lease"
	"github.com/turnstile-go/turnstile/host/internal/resending"
	"github.com/turnstile-go/turnstile/wire"
)

// takeReturning sends again, before anything else, what an earlier delivery of
// these messages, or the twin of one, may have committed and not sent.
//
// A message is acknowledged once all that its turn has committed was sent; until then
// nobody else answers for that, and it sends its own turn again, whatever was committed
// since. A message that was redriven, or went round, may have been overtaken by others: it
// sends again all that is open from the execution that it names. Ids derive from instance,
// execution and event, so that sending twice is harmless.
func (t *turn) takeReturning(ctx context.Context) error {
	if t.creating {
		return nil
	}
	again, back, twins := t.resending(), inbox.Returning(t.group.open()), t.twins()
	switch {
	case len(back) == 0 && len(twins) == 0:
		return nil
	case len(twins) > 0 && !t.cold && (t.warm || t.Record == nil):
		return errRebuild // Not all that was committed is known here.
	case len(twins) > 0:
		if err := t.awaitTwin(ctx); err != nil {
			return err
		}
	}
	for _, m := range append(back, twins...) {
		var err error
		switch v := t.verdict(m); {
		case m.Redriven() || m.Item.Hops > 0 && !m.Returning():
			err = again.Everything(ctx, m.Item.TargetExecution())
		case m.Records() && v.Kind == engine.Duplicate:
			err = again.Fact(ctx, v.EventID)
		default:
			// Its turn may have committed something else first, or ended the instance.
			err = again.LastTurn(ctx)
		}
		if err != nil {
			return err
		}
	}
	return t.sendAgain(ctx, again)
}

// twins returns the messages whose facts the history has, though they come for the
// first time. Lambda may hand one batch to two processes, with the same receipts; the
// other one may be dead, and nobody would send what it has committed.
func (t *turn) twins() (twins []*inbox.Message) {
	for _, m := range t.withBrought(t.group.open()) {
		if !m.Returning() && t.stands(m) {
			twins = append(twins, m)
		}
	}
	return twins
}

// awaitTwin waits until no commit is under way: what is read beside one
// may lack some of its items, and behind the messages of this turn others are handled.
func (t *turn) awaitTwin(ctx context.Context) error {
	if err := t.Unmoved(ctx, t.execution, t.x.LastEventID()+1); err != nil {
		return err
	}
	t.Current = false
	return t.currentRecord(ctx)
}

// stands reports whether the history may have the fact of a message.
func (t *turn) stands(m *inbox.Message) bool {
	switch m.Item.Kind {
	case wire.TerminateInstance:
		return t.x.Ended()
	case wire.PurgeInstance:
		return m.Purges() && t.x.Ended()
	case wire.Wake:
		return m.Item.Number > 0 && m.Item.Number != goOnNumber && (t.Problem() == nil || m.Item.Number != t.Record.Stamp)
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
	case v.Kind == engine.Late && t.x.EndedForItself():
		at = t.x.LastEventID() // Its fact may have been too large to stand anywhere.
	case v.Kind == engine.Late && m.Item.TargetExecution() < t.execution:
		// It may stand in an execution that has continued as new since.
	default:
		return false
	}
	return !time.UnixMilli(t.x.RecordedAt(at)).Before(t.earliest(m))
}

// earliest is the earliest time that the twin of a message may have noted: clocks of functions and of SQS differ by little. A message that
// went round was received before.
func (t *turn) earliest(m *inbox.Message) time.Time {
	if m.ReceivedAt.IsZero() || m.Item.Hops > 0 {
		return time.Time{}
	}
	return m.ReceivedAt.Add(-lease.Skew)
}

// heard reports whether one of the messages of the turn completes, or is about,
// this scheduling event of the current execution: then the event was sent. Without
// this a redelivered completion would start another attempt of the activity that it
// completes.
func (t *turn) heard(eventID int64) bool {
	return t.x != nil && slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool {
		if m.Item.SourceEventID != eventID || m.Item.TargetExecution() != t.execution || m.Item.Kind == wire.ActivityHeartbeat {
			return false
		}
		v := t.verdict(m).Kind
		return v == engine.Recorded || v == engine.Duplicate
	})
}

func (t *turn) resending() *resending.Resending {
	return resending.New(&t.View, t.execution, t.outbox(), t.group.sent, t.heard)
}

// sendAgain dispatches what was gathered.
func (t *turn) sendAgain(ctx context.Context, again *resending.Resending) error {
	commits := again.Commits()
	if len(commits) > 0 {
		t.Observer.Count(host.CountResent, "commit", len(commits))
	}
	if err := t.dispatch(ctx, again.Out); err != nil {
		return err
	}
	for _, slot := range commits {
		t.group.sent[slot] = true
	}
	return nil
}

package deciding

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An id is used once. A purge leaves a tombstone, which refuses every start until it is older than
// any message can be: a late message for the purged instance never reaches another instance.

// IDHeld is how long the id of a purged instance is reserved and refuses a start: 15 days, a day
// more than the age at which an item is no longer applied (wire.MaxAge). That is how long SQS keeps
// a message at most
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const IDHeld = wire.MaxAge + 24*time.Hour

// purge hides an ended instance at once. A work item deletes its history no sooner than the grace
// period after its end, because a stalled writer must never find its event ids free again. That
// item makes no turn (sweep.Keeper). A purge of a running instance is refused; a client that
// forces a purge sends a terminate before it. All messages before a purge in its group are
// acknowledged, so nothing needs to be sent again from the hidden history.
func (t *Turn) purge(p *Plan, m *inbox.Message) error {
	if err := t.described(); err != nil {
		return err
	}
	switch r := t.View.Record; {
	case r == nil, r.Free(t.Now.At):
		p.settleReporting(m, "unknown_instance", info("purge without effect: the instance does not exist", "instance", t.View.Instance))
	case r.Purged:
		// The deletion may have been lost with its schedule, so it is scheduled again. If it has already
		// been made, it finds nothing.
		again := *r
		again.EndedAt = t.Now.At
		p.Send.Deletion = &again
		p.settle(m, "purged")
	case m.Item.ExecutionID != 0 && m.Item.ExecutionID != r.ExecutionID:
		p.settle(m, "late")
	case forking(r):
		p.Send.Deletion, p.Record = t.frees(t.Now.At.Add(IDHeld))
		p.settleReporting(m, "purged", info("purged a fork that had not started", "instance", t.View.Instance, "actor", m.Item.Actor))
	case !r.Status.Terminal() && t.passed.damage != nil && m.Item.Force:
		return t.endCorrupt(p)
	case !r.Status.Terminal() && t.Running.X != nil && t.Running.X.Ended():
		// The execution ended between the read of its record and the read of
		// its history.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.View.Instance, t.Running.Execution, store.ErrConflict)
	case !r.Status.Terminal():
		p.settleReporting(m, "purge_refused", warning("purge refused: the instance is running; terminate it first", "instance", t.View.Instance))
	default:
		// The deletion is scheduled first: a hidden record no longer says when the instance ended, and a
		// deletion does nothing while the instance is not hidden.
		p.Send.Deletion, p.Record = r, t.hide()
		if r.Reserved.ExecutionID > 0 {
			// Writes of the copy may land for as long as those of an execution that ends now.
			again := *r
			again.EndedAt, p.Send.Deletion = t.Now.At, &again
		}
		t.Keep = false
		// The history, which names the actor, is hidden, so this line records who requested the purge.
		p.settleReporting(m, "purged", info("purged", "instance", t.View.Instance, "actor", m.Item.Actor, "forced", m.Item.Force))
	}
	return nil
}

// hide turns the record into a tombstone, or makes a tombstone reserve the id for longer.
func (t *Turn) hide() *Write { return &Write{Hide: t.Now.At.Add(IDHeld)} }

// endCorrupt ends the record of an instance whose corrupt history cannot be ended. Its parents are
// notified first, because a redelivery afterwards finds the instance ended and notifies none. They
// are its own parent, and those that have attached themselves as far as the history can be read.
func (t *Turn) endCorrupt(p *Plan) error {
	r := t.View.Record
	turns, err := t.View.Turns(r.ExecutionID)
	if err != nil && !reading.Corrupt(err) {
		return err
	}
	parents := &Parents{Name: r.Name, End: &history.Event{Kind: history.OrchestrationFailed,
		Failure: &history.Failure{Kind: history.FailureTerminated, Message: "purged"}}}
	if r.Parent != nil {
		parents.Of = append(parents.Of, r.Parent)
	}
	if err == nil {
		parents.Of = append(parents.Of, engine.AttachedIn(reading.EventsOf(turns))...)
	}
	now, status, read := t.Now.At, store.StatusTerminated, r.Stamp
	p.Send.Parents = parents
	p.Record = &Write{Failed: "record of instance %q not ended", Change: &store.RecordChange{
		If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true, Stamp: &read}, Status: &status, EndedAt: &now, UpdatedAt: now}}
	return nil
}

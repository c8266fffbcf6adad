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

// An id lives once. A purge leaves a tombstone, which refuses every start until it
// is older than any message lives: what comes late for the purged instance finds no
// other in its place.

// IDHeld is how long the id of a purged instance refuses a start: fifteen days, a
// day more than any item is applied (wire.MaxAge), which is as long as SQS keeps
// a message at most
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const IDHeld = wire.MaxAge + 24*time.Hour

// purge hides a finished instance at once; its history is deleted by a work item that comes
// no sooner than the grace after its end, because a stalled writer must never find its slot
// free again. That item makes no turn (sweep.Keeper). A running instance is refused: a client
// that forces a purge sends a terminate before it. All that came before a purge in its group
// is acknowledged, so that nothing has to be sent again from what it hides.
func (t *Turn) purge(p *Plan, m *inbox.Message) error {
	if err := t.described(); err != nil {
		return err
	}
	switch r := t.View.Record; {
	case r == nil, r.Free(t.Now.At):
		p.settleSaying(m, "unknown_instance", info("purge without effect: there is no such instance", "instance", t.View.Instance))
	case r.Purged:
		// The deletion may have been lost with its schedule: it is scheduled again, and
		// finds nothing if it was made.
		again := *r
		again.EndedAt = t.Now.At
		p.Send.Deletion = &again
		p.settle(m, "purged")
	case m.Item.ExecutionID != 0 && m.Item.ExecutionID != r.ExecutionID:
		p.settle(m, "late")
	case !r.Status.Terminal() && t.passed.damage != nil && m.Item.Force:
		return t.endCorrupt(p)
	case !r.Status.Terminal() && t.Running.X != nil && t.Running.X.Ended():
		// It ended between the reads of its record and of its history.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.View.Instance, t.Running.Execution, store.ErrConflict)
	case !r.Status.Terminal():
		p.settleSaying(m, "purge_refused", warning("purge refused: the instance runs; terminate it first", "instance", t.View.Instance))
	default:
		// The deletion is scheduled first: hidden, an instance no longer says when
		// it ended, and one that was not hidden is not deleted.
		p.Send.Deletion, p.Record = r, t.hide()
		t.Keep = false
		// The history is hidden, and with it the actor: this line keeps who asked.
		p.settleSaying(m, "purged", info("purged", "instance", t.View.Instance, "actor", m.Item.Actor, "forced", m.Item.Force))
	}
	return nil
}

// hide makes a tombstone of the record, or has a tombstone hold the id for longer.
func (t *Turn) hide() *Write { return &Write{Hide: t.Now.At.Add(IDHeld)} }

// endCorrupt ends the record of an instance whose history is corrupt, and can't be
// ended. Its parent and subscribers are told before that: a redelivery afterwards
// finds the instance ended, and tells nobody. They are its parent, and those that
// attached themselves as far as its history can be read.
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

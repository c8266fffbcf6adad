package deciding

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// An id is used once. A purge leaves a tombstone, which refuses every start until it is older than
// any message can be: a late message for the purged instance never reaches another instance.

// IDHeld is how long the id of a purged instance is reserved and refuses a start: 15 days, one day
// longer than the age at which an item is no longer applied (wire.MaxAge), which is the longest
// that SQS keeps a message
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const IDHeld = wire.MaxAge + 24*time.Hour

// purging handles the purges of an instance.
type purging struct{ *Known }

// purge hides an ended instance at once. A work item deletes its history no sooner than the grace
// period after its end, because a stalled writer must never find its event ids free again. That
// item causes no turn (sweep.Keeper). A purge of a running instance is refused; a client that
// forces a purge sends a terminate before it. All messages before a purge in its group are
// acknowledged, so nothing needs to be sent again from the hidden history.
func (g purging) purge(m *inbox.Message) (p Plan, err error) {
	if err := g.described(); err != nil {
		return p, err
	}
	switch r := g.View.Record; {
	case r == nil, r.Free(g.Now.At):
		return settleReporting(m, "unknown_instance", info("purge without effect: the instance does not exist", "instance", g.View.Instance)), nil
	case r.Purged:
		// The deletion may have been lost with its schedule, so it is scheduled again. If the
		// histories are already deleted, it finds nothing.
		again := *r
		again.EndedAt = g.Now.At
		p.Send.Deletion = &again
		p.add(settle(m, "purged"))
	case m.Item.ExecutionID != 0 && m.Item.ExecutionID != r.ExecutionID:
		return settle(m, "late"), nil
	case forking(r):
		p = g.frees(g.Now.At.Add(IDHeld))
		p.add(settleReporting(m, "purged", info("purged a fork that had not started", "instance", g.View.Instance, "actor", m.Item.Actor)))
	case !r.Status.Terminal() && g.Running.X != nil && g.Running.X.Ended():
		// The execution ended between the read of its record and the read of
		// its history.
		return p, fmt.Errorf("host: instance %q ended execution %d while it was read: %w", g.View.Instance, g.Running.Execution, store.ErrConflict)
	case !r.Status.Terminal():
		return settleReporting(m, "purge_refused", warning("purge refused: the instance is running; terminate it first", "instance", g.View.Instance)), nil
	default:
		// The deletion is scheduled first: a hidden record no longer contains the time of the end,
		// and a deletion does nothing while the instance is not hidden.
		p.Send.Deletion, p.Record = r, g.hide()
		if r.Reserved.ExecutionID > 0 {
			// Writes of the copy may land for as long as writes of an execution that ends now.
			again := *r
			again.EndedAt, p.Send.Deletion = g.Now.At, &again
		}
		// The history, which names the actor, is hidden, so this line records who requested the purge.
		p.add(settleReporting(m, "purged", info("purged", "instance", g.View.Instance, "actor", m.Item.Actor, "forced", m.Item.Force)))
	}
	return p, nil
}

// hide turns the record into a tombstone, or makes a tombstone reserve the id for longer.
func (g purging) hide() *Write { return &Write{Hide: g.Now.At.Add(IDHeld)} }

// frees deletes what a fork has copied, and turns its record into a tombstone, so that no write of
// the copy takes effect. freeAt is when its id can be reused; zero means now.
func (g purging) frees(freeAt time.Time) (p Plan) {
	r := g.View.Record
	tombstone := &store.Record{Instance: r.Instance, ExecutionID: r.ExecutionID, Purged: true, FreeAt: freeAt}
	deletion := *r
	deletion.EndedAt = g.Now.At
	p.Send.Deletion, p.Record = &deletion, &Write{Failed: "could not give up the copy of the fork %q", Change: &store.RecordChange{
		If: store.RecordCondition{Exists: true, Reserved: &r.Reserved}, Create: tombstone, UpdatedAt: g.Now.At}}
	return p
}

package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// purge hides a finished instance at once; its history is deleted by a work
// item that comes no sooner than the grace after its end, for a stalled writer
// must never find its slot free again. A running instance is refused unless
// forced; then it is terminated first.
func (t *turn) purge(ctx context.Context, m *message) error {
	if m.item.UpToExecution > 0 {
		return t.deleteHistory(ctx, m)
	}
	if !t.described {
		if err := t.describe(ctx); err != nil {
			return err
		}
	}
	r := t.record
	switch {
	case r == nil:
		t.group.purgeMarks += markOf(m) + t.aheadMarks(m)
		t.settle(m, "unknown_instance")
		return nil
	case r.Purged:
		// It comes behind another purge, and perhaps again behind the next start.
		if marks := t.aheadMarks(m) + markOf(m); store.AddMarks(r.Purges, marks) != r.Purges {
			if err := t.hide(ctx, r, marks); err != nil {
				return err
			}
		}
		t.settle(m, "purged")
		return nil
	case ofFormer(r, m):
		// It purged an earlier life of this id, and comes again.
		t.settleKnown(ctx, m)
		return nil
	case m.item.ExecutionID != 0 && m.item.ExecutionID != r.ExecutionID:
		t.settle(m, "late")
		return nil
	case !r.Status.Terminal() && !m.item.Force:
		t.Logger.WarnContext(ctx, "purge refused: the instance runs; terminate it, or purge with force", "instance", t.group.instance)
		t.settle(m, "purge_refused")
		return nil
	case !r.Status.Terminal():
		if err := t.forceEnd(ctx, m.item.Actor); err != nil {
			return err
		}
		r = t.record
	}
	// The deletion is scheduled first: hidden, an instance no longer says when
	// it ended, and one that was not hidden is not deleted.
	if err := t.scheduleDeletion(ctx, r); err != nil {
		return err
	}
	if err := t.hide(ctx, r, t.aheadMarks(m)+startMark(r)+markOf(m)); err != nil {
		return err
	}
	t.keep = false
	t.settle(m, "purged")
	return nil
}

// hide makes a tombstone of the record, and notes marks in it.
func (t *turn) hide(ctx context.Context, r *store.Record, marks string) error {
	if err := t.Store.Hide(ctx, t.group.instance, r.ExecutionID, marks); err != nil {
		return fmt.Errorf("host: instance %q not hidden: %w", t.group.instance, err)
	}
	t.record = &store.Record{Instance: r.Instance, ExecutionID: r.ExecutionID, StartID: r.StartID, Purged: true, Purges: store.AddMarks(r.Purges, marks)}
	return nil
}

// onlyPurges reports whether nothing else is to be done.
func (g *group) onlyPurges() bool {
	return !slices.ContainsFunc(g.open(), func(m *message) bool { return m.item.Kind != wire.PurgeInstance })
}

// patienceOfPurges is how often purges go round for a key.
const patienceOfPurges = 8

// goneRoundEnough reports whether purges have come back for long enough to what
// has ended and nobody who takes them has the key to: an hour and more, as it is by
// default. What their turns may not have dispatched is given up then. A build that
// can read newer events comes back; a key may not.
func (g *group) goneRoundEnough() bool {
	return g.onlyPurges() && !slices.ContainsFunc(g.open(), func(m *message) bool { return m.item.Hops < patienceOfPurges })
}

// errPurged asks for another turn of the messages behind a purge: they are not
// for the instance that it has hidden. A start begins another.
var errPurged = errors.New("host: the instance was purged ahead of the messages left")

// afterPurge returns errPurged behind a message that has purged the instance, if
// others are left.
func (t *turn) afterPurge(m *message, rest []*message) error {
	if m.item.Kind == wire.PurgeInstance && t.record != nil && t.record.Purged && len(rest) > 0 {
		return errPurged
	}
	return nil
}

// forceEnd ends what runs. A history that is corrupt can't be ended; its
// record is.
func (t *turn) forceEnd(ctx context.Context, actor string) error {
	if t.x != nil && !t.x.Ended() {
		return t.impose(ctx, history.ImposedTerminated, actor, history.Failure{Kind: history.FailureTerminated, Message: "purged"})
	}
	if t.x != nil {
		// It ended between the reads of its record and of its history. What
		// its own end wrote in the record stands.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.group.instance, t.execution, store.ErrConflict)
	}
	// Ahead of the record's end: what comes again behind that finds it ended.
	if err := t.tellParents(ctx, &history.Failure{Kind: history.FailureTerminated, Message: "purged"}); err != nil {
		return err
	}
	now, status := t.Clock.Now(), store.StatusTerminated
	change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: t.record.ExecutionID, Running: true}, Status: &status, EndedAt: &now, UpdatedAt: now}
	if err := t.Store.UpdateRecord(ctx, t.group.instance, change); err != nil {
		return fmt.Errorf("host: record of instance %q not ended: %w", t.group.instance, err)
	}
	t.changed(&change)
	return nil
}

// tellParents tells those who wait for an instance that is corrupt that it ends,
// those among them that attached themselves as far as its history can be read.
func (t *turn) tellParents(ctx context.Context, f *history.Failure) error {
	var parents []*history.Parent
	if p := t.record.Parent; p != nil {
		parents = append(parents, p)
	}
	turns, err := t.read(ctx, t.record.ExecutionID)
	if err != nil && !corrupt(err) {
		return err
	}
	if err == nil {
		parents = append(parents, engine.AttachedIn(eventsOf(turns))...)
	}
	out := t.newOutbox()
	for _, p := range parents {
		out.parent(p, t.group.instance, t.record.Name, &history.Event{Kind: history.OrchestrationFailed, Failure: f})
	}
	return t.flush(ctx, out)
}

func (t *turn) scheduleDeletion(ctx context.Context, r *store.Record) error {
	now := t.Clock.Now()
	due := r.EndedAt.Add(t.Settings.PurgeGrace)
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: t.group.instance, UpToExecution: r.ExecutionID,
		ID: fmt.Sprintf("delete-%d", r.ExecutionID), NotBeforeMS: due.UnixMilli(), SentMS: due.UnixMilli()}
	if t.Timer == nil || due.Sub(now) <= t.Settings.TimerLeast {
		return t.sendRound(ctx, &item, due)
	}
	body, err := t.edge.encode(&item)
	if err == nil {
		err = t.Timer.Schedule(ctx, timer.Schedule{Name: timer.Name(t.group.instance, r.ExecutionID, 0), Due: due, Body: body, Group: wire.Group(t.group.instance)})
	}
	if err != nil {
		return fmt.Errorf("host: deletion of instance %q not scheduled: %w", t.group.instance, err)
	}
	return nil
}

// deleteHistory deletes in pages. It can be interrupted: what is left of a
// history never looks like a valid one, and the work item goes on.
func (t *turn) deleteHistory(ctx context.Context, m *message) error {
	upTo := m.item.UpToExecution
	if !t.described {
		if err := t.describe(ctx); err != nil {
			return err
		}
	}
	if r := t.record; r == nil || r.Purged && r.ExecutionID < upTo || !r.Purged && r.FirstExecution <= upTo {
		// Not hidden: it was started again before it was, or was never purged.
		t.settle(m, "purge_refused")
		return nil
	}
	if m.item.NotBeforeMS == 0 {
		// Nobody who asks for it by hand knows when it ended.
		item := m.item
		due := t.Clock.Now().Add(t.Settings.PurgeGrace)
		item.NotBeforeMS = due.UnixMilli()
		if err := t.sendRound(ctx, &item, due); err != nil {
			return err
		}
		t.Observer.Count(CountDelayed, "grace", 1)
		m.state = settled
		return nil
	}
	for {
		done, err := t.Store.DeleteHistory(ctx, t.group.instance, upTo, t.Settings.PurgePage)
		if err != nil {
			return fmt.Errorf("host: history of instance %q not deleted: %w", t.group.instance, err)
		}
		if done {
			t.settle(m, "deleted")
			return nil
		}
		if !hasTime(ctx, t.Clock, t.Settings.TurnTime) {
			return t.deleteLater(ctx, m)
		}
	}
}

func (t *turn) deleteLater(ctx context.Context, m *message) error {
	item := m.item
	item.Hops++
	body, err := t.edge.again(&item)
	if err == nil {
		err = t.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(t.group.instance),
			DedupID: wire.HopDedupID(wire.DedupID(&item), m.ID)})
	}
	if err != nil {
		return fmt.Errorf("%w: deletion of instance %q: %w", errDispatch, t.group.instance, err)
	}
	t.settle(m, "deleting")
	return nil
}

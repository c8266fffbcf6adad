package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/host/internal/reading"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// An id lives once. A purge leaves a tombstone, which refuses every start until it
// is older than any message lives: what comes late for the purged instance finds no
// other in its place.

// idHeld is how long the id of a purged instance refuses a start: fifteen days, a
// day more than any item is applied (wire.MaxAge), which is as long as SQS keeps
// a message at most
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html).
const idHeld = wire.MaxAge + 24*time.Hour

// purge hides a finished instance at once; its history is deleted by a work
// item that comes no sooner than the grace after its end, for a stalled writer
// must never find its slot free again. A running instance is refused: a client that
// forces a purge sends a terminate ahead of it. All that came before a purge in its group
// is acknowledged, so that nothing has to be sent again from what it hides.
func (t *turn) purge(ctx context.Context, m *inbox.Message) error {
	if m.Item.UpToExecution > 0 {
		return t.deleteHistory(ctx, m)
	}
	if err := t.describeOnce(ctx); err != nil {
		return err
	}
	r := t.Record
	switch {
	case r == nil, r.Free(t.Clock.Now()):
		t.Logger.InfoContext(ctx, "purge without effect: there is no such instance", "instance", t.Instance)
		t.Settle(m, "unknown_instance")
		return nil
	case r.Purged:
		// The deletion may have been lost with its schedule: it is scheduled again, and
		// finds nothing if it was made.
		again := *r
		again.EndedAt = t.Clock.Now()
		if err := t.scheduleDeletion(ctx, &again); err != nil {
			return err
		}
		t.Settle(m, "purged")
		return nil
	case m.Item.ExecutionID != 0 && m.Item.ExecutionID != r.ExecutionID:
		t.Settle(m, "late")
		return nil
	case !r.Status.Terminal() && t.corrupt && m.Item.Force:
		if err := t.endCorrupt(ctx); err != nil {
			return err
		}
		r = t.Record
	case !r.Status.Terminal() && t.x != nil && t.x.Ended():
		// It ended between the reads of its record and of its history.
		return fmt.Errorf("host: instance %q ended execution %d while it was read: %w", t.Instance, t.execution, store.ErrConflict)
	case !r.Status.Terminal():
		t.Logger.WarnContext(ctx, "purge refused: the instance runs; terminate it first", "instance", t.Instance)
		t.Settle(m, "purge_refused")
		return nil
	}
	// The deletion is scheduled first: hidden, an instance no longer says when
	// it ended, and one that was not hidden is not deleted.
	if err := t.scheduleDeletion(ctx, r); err != nil {
		return err
	}
	if err := t.hide(ctx); err != nil {
		return err
	}
	t.keep = false
	// The history is hidden, and with it the actor: this line keeps who asked.
	t.Logger.InfoContext(ctx, "purged", "instance", t.Instance, "actor", m.Item.Actor, "forced", m.Item.Force)
	t.Settle(m, "purged")
	return nil
}

// hide makes a tombstone of the record, or has the one that is there hold the id
// for longer.
func (t *turn) hide(ctx context.Context) error {
	freeAt := t.Clock.Now().Add(idHeld)
	if err := t.Store.Hide(ctx, t.Instance, t.Record.ExecutionID, freeAt); err != nil {
		return fmt.Errorf("host: instance %q not hidden: %w", t.Instance, err)
	}
	hidden := t.Record.Hidden(freeAt)
	t.Record = &hidden
	return nil
}

// afterPurge settles what comes for a purged instance. Nothing begins under its id
// before it is free, and by then what was sent to it is too old to be applied.
func (t *turn) afterPurge(ctx context.Context, m *inbox.Message) error {
	if m.EndsChild() {
		return t.forbidStart(ctx, m)
	}
	if m.Item.Kind == wire.ExternalRaised {
		t.Logger.InfoContext(ctx, "event without effect: the instance was purged", "instance", t.Instance, "event", m.Item.Name, "id", m.Item.ID)
	}
	t.Settle(m, "purged_instance")
	return nil
}

// refuseStart settles a start whose id is that of a purged instance: it can never
// begin. Its parent is told.
func (t *turn) refuseStart(ctx context.Context, m *inbox.Message) error {
	free := t.Record.FreeAt.UTC().Format(time.RFC3339)
	t.Logger.WarnContext(ctx, "start refused: an instance of that id was purged, and the id is not free again yet",
		"instance", t.Instance, "id", m.Item.ID, "name", m.Item.Name, "free_at", free)
	return t.tellRefused(ctx, m, "purged_id", taken(history.FailurePurged,
		"an instance %q was purged, and its id is free again at %s; choose another id for the child, or none", t.Instance, free))
}

// onlyHides reports whether nothing else is to be done but to hide what has ended: that
// needs no key of its history. A purge with force waits for the key: the terminate that
// was sent ahead of it may go round for that, with what it has still to send.
func (g *group) onlyHides() bool {
	return !slices.ContainsFunc(g.open(), func(m *inbox.Message) bool { return !m.Purges() || m.Item.Force })
}

// onlyPurges reports whether nothing else is to be done.
func (g *group) onlyPurges() bool {
	return !slices.ContainsFunc(g.open(), func(m *inbox.Message) bool { return m.Item.Kind != wire.PurgeInstance })
}

// endCorrupt ends the record of an instance whose history is corrupt, and can't be
// ended.
func (t *turn) endCorrupt(ctx context.Context) error {
	// Before the record ends: a redelivery after that finds the instance ended, and
	// tells nobody.
	if err := t.tellParents(ctx, &history.Failure{Kind: history.FailureTerminated, Message: "purged"}); err != nil {
		return err
	}
	now, status, read := t.Clock.Now(), store.StatusTerminated, t.Record.Stamp
	change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: t.Record.ExecutionID, Running: true, Stamp: &read}, Status: &status, EndedAt: &now, UpdatedAt: now}
	if err := t.change(ctx, change); err != nil {
		return fmt.Errorf("host: record of instance %q not ended: %w", t.Instance, err)
	}
	return nil
}

// tellParents tells those who wait for an instance that is corrupt that it ends,
// those among them that attached themselves as far as its history can be read.
func (t *turn) tellParents(ctx context.Context, f *history.Failure) error {
	var parents []*history.Parent
	if p := t.Record.Parent; p != nil {
		parents = append(parents, p)
	}
	turns, err := t.Read(ctx, t.Record.ExecutionID)
	if err != nil && !reading.Corrupt(err) {
		return err
	}
	if err == nil {
		parents = append(parents, engine.AttachedIn(reading.EventsOf(turns))...)
	}
	out := t.sender.New()
	for _, p := range parents {
		out.Parent(p, t.Instance, t.Record.Name, &history.Event{Kind: history.OrchestrationFailed, Failure: f}, nil)
	}
	return t.sender.Send(ctx, out)
}

// scheduleDeletion has the histories up to the execution of the record deleted, the grace
// after its end.
func (o *maker) scheduleDeletion(ctx context.Context, r *store.Record) error {
	now := o.Clock.Now()
	due := r.EndedAt.Add(o.Settings.Purge.Grace)
	item := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: r.Instance, UpToExecution: r.ExecutionID,
		ID: fmt.Sprintf("delete-%d", r.ExecutionID), NotBeforeMS: due.UnixMilli(), SentMS: due.UnixMilli()}
	if o.sender.Timer == nil || due.Sub(now) <= o.Settings.Dispatch.TimerLeast {
		item.Hops++
		return o.SendLater(ctx, &item, due, nil)
	}
	body, err := o.Edge.Encode(&item)
	if err == nil {
		err = o.sender.Timer.Schedule(ctx, timer.Schedule{Name: timer.Name(r.Instance, r.ExecutionID, 0), Due: due, Body: body, Group: wire.Group(r.Instance)})
	}
	if err != nil {
		return fmt.Errorf("host: deletion of instance %q not scheduled: %w", r.Instance, err)
	}
	return nil
}

// deleteHistory deletes in pages. It can be interrupted: what is left of a
// history never looks like a valid one, and the work item goes on.
func (t *turn) deleteHistory(ctx context.Context, m *inbox.Message) error {
	upTo := m.Item.UpToExecution
	if err := t.describeOnce(ctx); err != nil {
		return err
	}
	if r := t.Record; r == nil || r.Purged && r.ExecutionID < upTo || !r.Purged && r.FirstExecution <= upTo {
		// Not hidden: it was never purged.
		t.Settle(m, "purge_refused")
		return nil
	}
	if m.Item.NotBeforeMS == 0 {
		// Nobody who asks for it by hand knows when it ended.
		item := m.Item
		due := t.Clock.Now().Add(t.Settings.Purge.Grace)
		item.NotBeforeMS = due.UnixMilli()
		return t.SendRound(ctx, m, item, due, "grace")
	}
	for {
		done, err := t.Store.DeleteHistory(ctx, t.Instance, upTo, t.Settings.Purge.Page)
		if err != nil {
			return fmt.Errorf("host: history of instance %q not deleted: %w", t.Instance, err)
		}
		if done {
			t.Settle(m, "deleted")
			return nil
		}
		if !clock.HasTime(ctx, t.Clock, t.Settings.Turn.Time) {
			rest := m.Item
			rest.Hops++
			if err := t.PassOn(ctx, m, &rest, wire.HopDedupID(wire.DedupID(&rest), m.ID)); err != nil {
				return err
			}
			t.Settle(m, "deleting")
			return nil
		}
	}
}

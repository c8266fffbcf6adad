package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/store"
)

// longestAwaited is the maximum length of such a note's message, in bytes.
const longestAwaited = 2 << 10

// noteAwaited notes in the record, for operators, that the instance waits for another build.
// longest is the longest pause between two deliveries of its requeued messages. Each delivery costs
// a read, and a write if the note would expire before the next one. If it fails, only the note is
// missing.
func (o *maker) noteAwaited(ctx context.Context, instance string, longest time.Duration, a store.Problem) {
	r, err := o.tables.Store.Describe(ctx, instance)
	now := o.settler.Clock.Now()
	if errors.Is(err, store.ErrNotFound) || err == nil && (r.Purged || r.Problem != nil || r.Status.Terminal()) {
		return
	}
	a.SinceMS, a.NextMS = now.UnixMilli(), now.Add(2*longest+time.Minute).UnixMilli()
	if b := r.Awaiting(now); err == nil && b != nil && b.Kind == a.Kind && b.Patch == a.Patch {
		if b.NextMS > now.Add(longest).UnixMilli() {
			return
		}
		a.SinceMS = b.SinceMS
	}
	if err == nil {
		a.Message, a.Build = edge.Cut(a.Message, longestAwaited), o.terms.Build
		awaits := &a
		err = o.tables.Store.UpdateRecord(ctx, instance, store.RecordChange{If: store.RecordCondition{ExecutionID: r.ExecutionID, Running: true}, Awaits: &awaits, UpdatedAt: now})
	}
	if err != nil && !errors.Is(err, store.ErrConflict) {
		o.settler.Logger.WarnContext(ctx, "cannot note in the record that the instance waits for another build", "instance", instance, "error", err)
	}
}

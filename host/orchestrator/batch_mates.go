package orchestrator

import (
	"context"
	"sync"
	"time"
)

// batchMates are the attempts that share an invocation. Lambda deletes the
// messages of a batch when the whole invocation has returned, so the message of
// a short attempt may become visible again, and be run again, while a longer one
// beside it still works. The process therefore deletes a message that is done
// shortly before it would become visible; one whose batch returns in time costs
// no request.
type batchMates struct {
	w *Worker

	mu      sync.Mutex
	working int
	stops   []func() bool
	parted  bool
}

func (w *Worker) newBatchMates(n int) *batchMates { return &batchMates{w: w, working: n} }

// finished takes in that a message is no longer worked on.
func (b *batchMates) finished(ctx context.Context, m *message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.working--; b.working == 0 || m.state != settled {
		return
	}
	b.deleteAt(ctx, m, m.visible.Add(-b.w.Settings.VisibilityMargin/2))
}

// deleteAt deletes a message at a time, unless the invocation returns before. A
// delete that fails is tried again until the message is visible. The caller
// holds the lock.
func (b *batchMates) deleteAt(ctx context.Context, m *message, at time.Time) {
	b.stops = append(b.stops, b.w.Clock.AfterFunc(at.Sub(b.w.Clock.Now()), func() {
		if b.over() {
			return
		}
		err := b.w.Queues.Activity.Delete(ctx, m.Message)
		if err == nil {
			return
		}
		b.w.Logger.WarnContext(m.about(ctx), "message of an attempt that is done not deleted; it may run again beside its batch", "message_id", m.ID, "error", err)
		b.mu.Lock()
		defer b.mu.Unlock()
		if next := b.w.Clock.Now().Add(b.w.Settings.VisibilityMargin / 6); !b.parted && next.Before(m.visible) {
			b.deleteAt(ctx, m, next)
		}
	}))
}

// deleteDone deletes the messages that are done.
func (b *batchMates) deleteDone(ctx context.Context, messages []*message) {
	for _, m := range messages {
		if m.state != settled || m.deleted {
			continue
		}
		if err := b.w.Queues.Activity.Delete(ctx, m.Message); err != nil {
			b.w.Logger.WarnContext(m.about(ctx), "message that is done not deleted", "message_id", m.ID, "error", err)
			continue
		}
		m.deleted = true
	}
}

func (b *batchMates) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.parted
}

// part stops what is still to come: the invocation returns, and Lambda deletes
// the messages.
func (b *batchMates) part() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parted = true
	for _, stop := range b.stops {
		stop()
	}
}

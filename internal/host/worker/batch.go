package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// batch holds the messages of one invocation. Lambda deletes them only after the whole invocation has returned, so the
// message of a short attempt may become visible again, and run again, while a longer attempt of the batch is still
// running. The worker therefore deletes a finished message shortly before it would become visible. If the batch returns
// before that, it makes no request.
type batch struct {
	w     *Worker
	tasks []task
	// whole is the time that the invocation had left when it started; 0 for no limit.
	whole time.Duration

	// running is the number of attempts that are running.
	running atomic.Int32

	mu      sync.Mutex
	working int
	stops   []func() bool // of scheduled deletions
	over    bool
}

func (w *Worker) receive(ctx context.Context, deliveries []platform.Delivery) *batch {
	b := &batch{w: w, tasks: make([]task, len(deliveries)), working: len(deliveries)}
	b.whole, _ = clock.Left(ctx, w.Clock)
	messages := make([]queue.Message, len(deliveries))
	for i, d := range deliveries {
		messages[i] = d.Message
	}
	terms := lease.Terms{Visibility: w.Settings.Attempt.QueueVisibility, Margin: w.Settings.Attempt.VisibilityMargin}
	for i, held := range lease.Take(ctx, w.Clock, w.Queues.Activity, terms, messages) {
		b.tasks[i] = task{Message: messages[i], visible: held.Until, batch: b}
		if held.Lost {
			b.tasks[i].state = lost
			b.working--
			w.Observer.Count(host.CountReturned, delivery.NotHeld, 1)
			item, _ := wire.ParseText(messages[i].Body)
			w.Logger.InfoContext(delivery.LogContext(ctx, &item), "message skipped: it may become visible before the invocation ends", "message_id", messages[i].ID, "instance", item.Instance, "error", held.Err)
		}
	}
	return b
}

// handle handles a message. alone means that no other attempt of the batch is running.
func (b *batch) handle(ctx context.Context, t *task, alone bool) {
	if t.state == lost {
		return
	}
	if b.w.handle(ctx, t, alone); t.state == waits {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.working--; b.working > 0 && t.state == done {
		b.deleteAt(ctx, t, t.visible.Add(-b.w.Settings.Attempt.VisibilityMargin/2))
	}
}

// handleAlone handles, one after another, the messages that had to wait for the rest of the batch.
func (b *batch) handleAlone(ctx context.Context) {
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state != waits {
			continue
		}
		if b.hasTimeFor(ctx, t) {
			// Delete finished messages first, so that they do not run again if this attempt kills the process.
			b.deleteDone(ctx)
			b.handle(ctx, t, true)
			continue
		}
		b.w.Observer.Count(host.CountReturned, "no time", 1)
		t.state = open
		b.mu.Lock()
		b.working--
		b.mu.Unlock()
	}
}

// hasTimeFor reports whether an attempt that had to wait for the rest of its batch still has its full time. Otherwise
// it could time out because of the other attempts. An attempt that needs more than a whole invocation always runs.
func (b *batch) hasTimeFor(ctx context.Context, t *task) bool {
	need := b.w.Settings.Attempt.Timeout
	if r := t.item.Retry; r != nil && r.TimeoutMS > 0 {
		need = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	need += b.w.Settings.Attempt.ExitTime
	return need > b.whole || clock.HasTime(ctx, b.w.Clock, need)
}

// works reports whether an attempt of the batch is running, which keeps the invocation running in
// any case.
func (b *batch) works() bool { return b.running.Load() > 0 }

// together reports whether the batch has other messages that are handled at the same time.
func (b *batch) together() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.working > 1 && b.w.Settings.Parallelism > 1
}

// deleteAt deletes a message at the given time, unless the invocation returns first. A failed delete is retried until
// the message becomes visible. The caller holds the lock.
func (b *batch) deleteAt(ctx context.Context, t *task, at time.Time) {
	b.stops = append(b.stops, b.w.Clock.AfterFunc(at.Sub(b.w.Clock.Now()), func() {
		b.mu.Lock()
		over := b.over
		b.mu.Unlock()
		if over {
			return
		}
		err := b.w.Queues.Activity.Delete(ctx, t.Message)
		if err == nil {
			return
		}
		b.w.Logger.WarnContext(t.logContext(ctx), "could not delete the message of a finished attempt; the attempt may run again while the rest of its batch runs", "message_id", t.ID, "error", err)
		b.mu.Lock()
		defer b.mu.Unlock()
		if next := b.w.Clock.Now().Add(b.w.Settings.Attempt.VisibilityMargin / 6); !b.over && next.Before(t.visible) {
			b.deleteAt(ctx, t, next)
		}
	}))
}

// deleteDone deletes the messages of finished attempts.
func (b *batch) deleteDone(ctx context.Context) {
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state != done || t.deleted {
			continue
		}
		if err := b.w.Queues.Activity.Delete(ctx, t.Message); err != nil {
			b.w.Logger.WarnContext(t.logContext(ctx), "could not delete the message of a finished attempt", "message_id", t.ID, "error", err)
			continue
		}
		t.deleted = true
	}
}

// handBack makes the unfinished messages visible in their queue again after a delay, and
// returns their ids.
func (b *batch) handBack(ctx context.Context) []string {
	failed := []string{}
	var back delivery.Comeback
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state == done || t.state != lost && t.state != parked && b.w.renew(ctx, t) {
			continue
		}
		failed = append(failed, t.ID)
		if t.state == lost || t.state == parked {
			continue // Another process may hold the message, or may have called its parked attempt.
		}
		back.Add(b.w.Queues.Activity, &t.Message, &t.item, t.back)
	}
	back.Send(ctx, b.w.Logger.DebugContext)
	return failed
}

// end stops the scheduled deletions because the invocation returns.
func (b *batch) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	for _, stop := range b.stops {
		stop()
	}
}

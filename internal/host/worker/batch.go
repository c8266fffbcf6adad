package worker

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// batch is what one invocation received. Lambda deletes the messages of a batch
// when the whole invocation has returned, so the message of a short attempt may
// become visible again, and be run again, while a longer one beside it still
// works. The process therefore deletes a message that is done shortly before it
// would become visible; one whose batch returns in time costs no request.
type batch struct {
	w     *Worker
	tasks []task
	// whole is how long the invocation had at its beginning; 0 for no limit.
	whole time.Duration

	mu      sync.Mutex
	working int
	stops   []func() bool // of deletions that are still to come
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
		b.tasks[i] = task{Message: messages[i], visible: held.Until}
		if held.Lost {
			b.tasks[i].state = lost
			b.working--
			w.Observer.Count(host.CountHandedBack, delivery.NotHeld, 1)
			item, _ := wire.ParseText(messages[i].Body)
			w.Logger.InfoContext(delivery.About(ctx, &item), "message not taken: its visibility may end before the invocation does", "message_id", messages[i].ID, "instance", item.Instance, "error", held.Err)
		}
	}
	return b
}

// handle handles a message. alone: no other attempt of the batch runs beside it.
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

// handleAlone handles the messages that had to wait for the others, one after the
// other.
func (b *batch) handleAlone(ctx context.Context) {
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state != waits {
			continue
		}
		if b.hasTimeFor(ctx, t) {
			// What is done must not be done again if this attempt ends the process.
			b.deleteDone(ctx)
			b.handle(ctx, t, true)
			continue
		}
		b.w.Observer.Count(host.CountHandedBack, "no time", 1)
		t.state = open
		b.mu.Lock()
		b.working--
		b.mu.Unlock()
	}
}

// hasTimeFor reports whether an attempt that had to wait for the others of its
// batch still has the time that it was given: cut short, it would fail for what
// the others took. One that asks for more than a whole invocation never has it.
func (b *batch) hasTimeFor(ctx context.Context, t *task) bool {
	need := b.w.Settings.Attempt.Timeout
	if r := t.item.Retry; r != nil && r.TimeoutMS > 0 {
		need = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	need += b.w.Settings.Attempt.ExitTime
	return need > b.whole || clock.HasTime(ctx, b.w.Clock, need)
}

// deleteAt deletes a message at a time, unless the invocation returns before. A
// delete that fails is tried again until the message is visible. The caller
// holds the lock.
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
		b.w.Logger.WarnContext(t.about(ctx), "message of an attempt that is done not deleted; it may run again beside its batch", "message_id", t.ID, "error", err)
		b.mu.Lock()
		defer b.mu.Unlock()
		if next := b.w.Clock.Now().Add(b.w.Settings.Attempt.VisibilityMargin / 6); !b.over && next.Before(t.visible) {
			b.deleteAt(ctx, t, next)
		}
	}))
}

// deleteDone deletes the messages that are done.
func (b *batch) deleteDone(ctx context.Context) {
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state != done || t.deleted {
			continue
		}
		if err := b.w.Queues.Activity.Delete(ctx, t.Message); err != nil {
			b.w.Logger.WarnContext(t.about(ctx), "message that is done not deleted", "message_id", t.ID, "error", err)
			continue
		}
		t.deleted = true
	}
}

// handBack lets the messages that are not done come again, and returns their ids.
func (b *batch) handBack(ctx context.Context) []string {
	failed := []string{}
	var back delivery.Comeback
	for i := range b.tasks {
		t := &b.tasks[i]
		if t.state == done || t.state != lost && t.state != inLine && b.w.renew(ctx, t) {
			continue
		}
		failed = append(failed, t.ID)
		if t.state == lost || t.state == inLine {
			continue // Its visibility may be another's, or somebody may have called it.
		}
		back.Add(b.w.Queues.Activity, &t.Message, &t.item, t.back)
	}
	back.Send(ctx, b.w.Logger.DebugContext)
	return failed
}

// end stops the deletions that are still to come: the invocation returns.
func (b *batch) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	for _, stop := range b.stops {
		stop()
	}
}

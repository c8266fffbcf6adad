package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// running holds the attempts that this process is running, so that the process never runs the same
// attempt twice at the same time. A duplicate message exists if a process died after it sent the
// attempt and before it acknowledged the message that caused it: the process that receives that
// message next sends the attempt again. A queue that delivers a message twice also causes a
// duplicate.
//
// A duplicate may also be received after the attempt was answered: a process that was killed leaves one message in the
// queue, and its successor, which repeats the turn, sends another. Then the attempt runs again, as at-least-once
// allows. The process remembers the most recently answered attempts so that it can log such a repeat.
type running struct {
	mu       sync.Mutex
	attempts map[attemptID]*made
	// answered are the answered attempts; order lists them, oldest first.
	answered map[attemptID]bool
	order    []attemptID
}

// mostAnswered is the maximum number of answered attempts that are kept.
const mostAnswered = 1024

// attemptID identifies an attempt. The token distinguishes it from a forged message, which must not suppress a genuine
// attempt.
type attemptID struct {
	store.ActivityKey
	number int
	token  string
}

// made is an attempt that is running.
type made struct {
	// message is the id of the message that the attempt runs for.
	message string
	// early is set if an operator sent that message.
	early bool
	// until is the latest time at which the attempt ends.
	until time.Time
	// again is the latest delivery of that message, if it was redelivered while the attempt was running.
	again *queue.Message
}

func (t *task) attemptID() attemptID {
	return attemptID{t.key(), max(t.item.Attempt, 1), t.item.Token}
}

// enter records that an attempt runs for a message. If the attempt is already running, enter returns a copy of its entry
// instead.
func (r *running) enter(t *task) (other *made) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := t.attemptID()
	if other := r.attempts[id]; other != nil {
		if other.message == t.ID {
			other.again = &t.Message
		}
		now := *other
		return &now
	}
	if r.attempts == nil {
		r.attempts = map[attemptID]*made{}
	}
	r.attempts[id] = &made{message: t.ID, early: t.item.ID != ""}
	return nil
}

// answer records that an attempt was answered.
func (r *running) answer(id attemptID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered[id] {
		return
	}
	if r.answered == nil {
		r.answered = map[attemptID]bool{}
	}
	r.answered[id], r.order = true, append(r.order, id)
	if len(r.order) > mostAnswered {
		delete(r.answered, r.order[0])
		r.order = r.order[1:]
	}
}

// wasAnswered reports whether this process has already run and answered an attempt.
func (r *running) wasAnswered(id attemptID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered[id]
}

// lasts records the latest time at which an attempt ends.
func (r *running) lasts(id attemptID, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts[id].until = until
}

// leave records that an attempt has ended, and returns its message if the message was delivered
// again in the meantime.
func (r *running) leave(id attemptID) (again *queue.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	again = r.attempts[id].again
	delete(r.attempts, id)
	return again
}

// beside handles a message whose attempt is already running in this process. A copy is
// acknowledged, because the running attempt's message stays in the queue until the attempt is
// answered. If the running attempt's own message became visible too early, it returns to the queue.
// A message that an operator sent (early) also returns, because it may have claimed the attempt. So
// does any message of an attempt that runs for an operator's message, because the claim may assign
// the attempt to the other message.
func (w *Worker) beside(ctx context.Context, t *task, other *made) error {
	if other.message == t.ID || t.item.ID != "" || other.early {
		return &underWay{t.item.Attempt, other.until, "this process"}
	}
	w.Logger.DebugContext(ctx, "copy of a running attempt dropped", attrs(&t.item, "message_id", t.ID, "running_for", other.message)...)
	return w.give(ctx, &answer{outcome: "superseded"})
}

// left deletes the message of a finished attempt if the message was delivered again in the
// meantime, because its batch can no longer acknowledge it.
func (w *Worker) left(ctx context.Context, again *queue.Message, done bool) {
	if again == nil || !done {
		return
	}
	if err := w.Queues.Activity.Delete(ctx, *again); err != nil {
		w.Logger.WarnContext(ctx, "could not delete the message of a finished attempt; the attempt may run again", "message_id", again.ID, "error", fmt.Errorf("delivered again: %w", err))
	}
}

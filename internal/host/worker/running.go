package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// running are the attempts that this process makes, so that it makes none twice
// side by side. A second message of one comes of a process that died after it had
// sent the attempt and before it acknowledged what made it send: whoever is given
// that again sends the attempt again. It also comes of a queue that delivers twice.
//
// A second message may also be received after the attempt was answered: a process that was killed
// leaves one in the queue, and the next process sends another, because its turn comes again. Then
// the attempt is made again, as at least once allows. The newest attempts that were answered are
// known for the log.
type running struct {
	mu       sync.Mutex
	attempts map[attemptID]*made
	// answered are they, order the oldest first.
	answered map[attemptID]bool
	order    []attemptID
}

// mostAnswered is how many answered attempts are known.
const mostAnswered = 1024

// attemptID is an attempt. The token tells it from one that somebody made up, for
// whose sake no true one may be left out.
type attemptID struct {
	store.ActivityKey
	number int
	token  string
}

// made is an attempt that is being made.
type made struct {
	// message is the id of the message that the attempt is made for.
	message string
	// early: an operator has sent that message.
	early bool
	// until when it is over.
	until time.Time
	// again is that message as it was delivered last, if that was meanwhile.
	again *queue.Message
}

func (t *task) attemptID() attemptID {
	return attemptID{t.key(), max(t.item.Attempt, 1), t.item.Token}
}

// enter notes that an attempt is made for a message. It returns the attempt that is
// under way already, if any, as it is now.
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

// answer notes that what follows from an attempt was sent.
func (r *running) answer(t *task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := t.attemptID()
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

// wasAnswered reports whether this process has made the attempt of a message, and has answered it.
func (r *running) wasAnswered(t *task) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answered[t.attemptID()]
}

// lasts notes until when an attempt is over.
func (r *running) lasts(t *task, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts[t.attemptID()].until = until
}

// leave notes that an attempt is over, and returns its message if that was
// delivered again meanwhile.
func (r *running) leave(t *task) (again *queue.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := t.attemptID()
	again = r.attempts[id].again
	delete(r.attempts, id)
	return again
}

// beside is what becomes of a message whose attempt this process makes already. A
// copy is done: the message that the attempt is made for stays until what follows
// from it was sent. That message itself, visible again too early, goes back; and so does one
// that an operator has sent (early), because a claim of it may stand, and one beside that, because
// it may be left the attempt.
func (w *Worker) beside(ctx context.Context, t *task, other *made) error {
	if other.message == t.ID || t.item.ID != "" || other.early {
		return &underWay{t.item.Attempt, other.until, "this process"}
	}
	w.Logger.DebugContext(ctx, "copy of an attempt that is being made left out", attrs(&t.item, "message_id", t.ID, "made_for", other.message)...)
	return w.give(ctx, &answer{outcome: "superseded"})
}

// left is told of an attempt that is over. If its message was delivered again meanwhile, its
// batch can't acknowledge it any more.
func (w *Worker) left(ctx context.Context, t *task, again *queue.Message, done bool) {
	if again == nil || !done {
		return
	}
	if err := w.Queues.Activity.Delete(ctx, *again); err != nil {
		w.Logger.WarnContext(ctx, "message of an attempt that is done not deleted; it may run again", "message_id", t.ID, "error", fmt.Errorf("delivered again: %w", err))
	}
}

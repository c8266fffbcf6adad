package deadletter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Verdict is the result of a visit to a dead letter.
type Verdict struct {
	// Gone means that visit has deleted it.
	Gone bool
	// Last means that Look can stop.
	Last bool
}

// releaseTime is the time limit for making the messages visible again.
const releaseTime = 10 * time.Second

// Look calls visit once for every dead letter of a queue that can be received. Only the first ten messages of a message
// group can be received; later ones follow only after these were deleted. At the end it makes the remaining messages
// visible again.
//
// wait is how long each receive waits for a message. SQS asks all its servers only if it may wait.
func (all Queues) Look(ctx context.Context, name string, wait time.Duration, visit func(*Letter) (Verdict, error)) (err error) {
	q := all[name]
	if q == nil {
		return fmt.Errorf("deadletter: unknown queue %q", name)
	}
	held := map[string]queue.Message{}
	var order []string // of the ids, as received
	defer func() {
		// Ctrl-C must not leave the messages hidden.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		for _, id := range order {
			m, kept := held[id]
			if !kept {
				continue
			}
			if e := q.SetVisibility(ctx, 0, m); e != nil && !errors.Is(e, queue.ErrReceiptExpired) && err == nil {
				err = fmt.Errorf("dead letter %s stays hidden until its visibility timeout expires: %w", m.ID, e)
			}
		}
	}()
	for {
		batch, err := q.Receive(ctx, queue.MaxReceive, wait)
		if err != nil {
			return err
		}
		var fresh []queue.Message
		for _, m := range batch {
			if _, seen := held[m.ID]; !seen {
				fresh, order = append(fresh, m), append(order, m.ID)
			}
			// Only the newest receipt is valid.
			held[m.ID] = m
		}
		if len(fresh) == 0 {
			return nil
		}
		for _, m := range fresh {
			what, err := visit(LetterOf(name, m))
			if what.Gone {
				delete(held, m.ID)
			}
			if err != nil || what.Last {
				return err
			}
		}
	}
}

// Select returns the selected dead letters, at most limit of each queue, and the names of the queues that may have more.
func (all Queues) Select(ctx context.Context, s *Selection, limit int, wait time.Duration) (letters []*Letter, more []string, err error) {
	for _, name := range s.Queues() {
		n := 0
		err := all.Look(ctx, name, wait, func(l *Letter) (Verdict, error) {
			if !s.Has(l) {
				return Verdict{}, nil
			}
			letters = append(letters, l)
			n++
			return Verdict{Last: n == limit || len(s.IDs) > 0 && len(letters) == len(s.IDs)}, nil
		})
		if err != nil {
			return nil, nil, err
		}
		if n == limit && len(s.IDs) == 0 {
			more = append(more, name)
		}
	}
	return letters, more, nil
}

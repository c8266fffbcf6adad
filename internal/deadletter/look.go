package deadletter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Verdict on a dead letter that was looked at.
type Verdict struct {
	// Gone: it was deleted.
	Gone bool
	// Last: no more need be looked at.
	Last bool
}

// releaseTime is how long giving back what was looked at may take.
const releaseTime = 10 * time.Second

// Look shows visit every dead letter of a queue once, as far as the queue lets
// them be seen: of one message group the first ten, and those behind them only
// when they are gone. What is kept is visible to others again at the end.
//
// wait is how long each receive waits for a message: SQS asks all its servers only
// if it may wait.
func (all Queues) Look(ctx context.Context, name string, wait time.Duration, visit func(*Letter) (Verdict, error)) (err error) {
	q := all[name]
	if q == nil {
		return fmt.Errorf("deadletter: there is no queue %q", name)
	}
	held := map[string]queue.Message{}
	var order []string // of the ids, as they were received
	defer func() {
		// Ctrl-C must not leave them hidden.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		for _, id := range order {
			m, kept := held[id]
			if !kept {
				continue
			}
			if e := q.SetVisibility(ctx, 0, m); e != nil && !errors.Is(e, queue.ErrReceiptExpired) && err == nil {
				err = fmt.Errorf("dead letter %s is hidden until its visibility timeout has passed: %w", m.ID, e)
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
			// The newest receipt is the one that counts.
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

// Select returns the dead letters selected, at most limit of each queue, and the
// queues in which there may be more.
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

// Package lease keeps the messages of a batch invisible to others for as long as the
// invocation that received them may work on them.
//
// A queue hides a message from its receipt on, and not from when its handler begins: a
// batch that Lambda has received waits for a function that is throttled for as long as the
// visibility of its messages lasts
// (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
package lease

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Skew is by how much the clocks of two processes, or of a process and a service, may
// differ.
const Skew = 10 * time.Second

// Terms are for how long a queue hides what it hands out, and how long beyond the end of
// an invocation its messages are to be hidden.
type Terms struct {
	Visibility, Margin time.Duration
}

// Held is what an invocation knows of a message when it begins.
type Held struct {
	// Until this time the message belongs to this process alone.
	Until time.Time
	// Lost: it may be another's already, or be so before the invocation ends. Nothing
	// may be done about it, its visibility is left alone, and it is handed back.
	Lost bool
	// Err is why it could not be kept; nil where it was not tried.
	Err error
}

// Take finds out until when the messages of a batch, all of one queue, are this process's
// own. Those that plainly are until the end of the invocation cost no call; for the others
// it renews the visibility once, up to that end and the margin. A renewal that is refused,
// throttled or not answered has not happened. A message whose visibility may be over is
// lost without a call, and on a standard queue also where it may be over when the call
// is answered: there an old receipt may succeed and prove nothing (ChangeMessageVisibility).
//
// An invocation without a deadline renews nothing.
func Take(ctx context.Context, c clock.Clock, q queue.Queue, terms Terms, messages []queue.Message) []Held {
	now := c.Now()
	held := make([]Held, len(messages))
	left, bounded := clock.Left(ctx, c)
	need := now.Add(left + terms.Margin)
	var renewed []queue.Message
	var at []int
	for i, m := range messages {
		switch known := !m.ReceivedAt.IsZero(); {
		case known:
			held[i].Until = m.ReceivedAt.Add(terms.Visibility - Skew)
		default:
			held[i].Until = now
		}
		switch {
		case !bounded:
			held[i].Until = now.Add(terms.Visibility)
		case !held[i].Until.Before(need):
		case !m.ReceivedAt.IsZero() && !now.Before(held[i].Until):
			held[i].Lost = true
		default:
			renewed, at = append(renewed, m), append(at, i)
		}
	}
	if len(renewed) == 0 {
		return held
	}
	failed := failures(q.SetVisibility(ctx, min(need.Sub(now), queue.MaxVisibility), renewed...), len(renewed))
	for n, i := range at {
		if err := failed[n]; err != nil {
			held[i].Lost, held[i].Err = true, err
			continue
		}
		if known := !messages[i].ReceivedAt.IsZero(); known && !q.FIFO() && !c.Now().Before(held[i].Until) {
			held[i].Lost = true
			continue
		}
		held[i].Until = need
	}
	return held
}

// failures are the errors of a call by the index of the message.
func failures(err error, of int) map[int]error {
	if err == nil {
		return nil
	}
	if partial, ok := errors.AsType[*queue.PartialError](err); ok {
		return partial.Failed
	}
	all := map[int]error{}
	for n := range of {
		all[n] = err
	}
	return all
}

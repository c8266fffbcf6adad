// Package lease keeps the messages of a batch hidden from other processes for as long as the
// invocation that received them may work on them.
//
// The visibility timeout of a message starts when it is received, not when its handler starts. If
// the function is throttled, a batch that Lambda has received waits for up to the visibility
// timeout of its messages
// (https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html).
package lease

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Skew is the largest clock skew between two processes, or between a process and a service.
const Skew = 10 * time.Second

// Terms are the visibility timeout of a queue, and how long after the end of an invocation its
// messages must stay hidden.
type Terms struct {
	Visibility, Margin time.Duration
}

// Held is what an invocation knows about a message when it starts.
type Held struct {
	// Until is the time until which the message belongs to this process alone.
	Until time.Time
	// Lost is set if another process may hold the message, or may receive it before the invocation
	// ends. It must not be processed, its visibility is not changed, and it is returned as failed.
	Lost bool
	// Err is why the message could not be kept; nil if keeping it was not tried.
	Err error
}

// Take determines until when the messages of a batch, all of one queue, belong to this process. A
// message that certainly belongs to the process until the end of the invocation costs no call. For
// the others, Take extends the visibility timeout once, to the end of the invocation plus the
// margin. An extension that is refused, throttled or not answered does not count. A message whose
// visibility timeout may have expired is lost without a call. On a standard queue it is also lost
// if its visibility timeout may have expired when the response arrives, because a call with an old
// receipt may succeed there and so proves nothing (ChangeMessageVisibility).
//
// An invocation without a deadline extends nothing.
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

// failures returns the errors of a call, by the index of the message.
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

package engine

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// inlineQueue holds inline activities in the order of scheduling. They run inside the turn when all
// coroutines rest. The host runs them and passes in each result as a separate arrival, so the rules
// are unchanged.
type inlineQueue struct{ futures []*Future }

func (q *inlineQueue) push(f *Future) { q.futures = append(q.futures, f) }

// open drops futures that are no longer open and returns the rest.
func (q *inlineQueue) open() []*Future {
	for len(q.futures) > 0 && q.futures[0].state != open {
		q.futures = q.futures[1:]
	}
	return q.futures
}

func (x *Execution) inlineCalls() []InlineCall {
	var calls []InlineCall
	for _, f := range x.openInline.open() {
		if f.state != open {
			continue
		}
		e := x.events.at(int(f.id) - 1)
		call := InlineCall{EventID: e.EventID, Name: e.Name, Input: e.Payload, Retry: e.Retry, AtMS: x.sinceMS(e), Headers: e.Headers}
		if e.EventID < x.ledger.redriven && e.Retry != nil && e.Retry.AttemptsMade > 0 {
			// A redrive starts the activity again with all of its attempts, like any other
			// activity.
			retry := *e.Retry
			retry.AttemptsMade = 0
			call.Retry = &retry
		}
		calls = append(calls, call)
	}
	return calls
}

// sinceMS returns the time at which the TotalTimeout of an inline activity starts, for
// all of its attempts: the time of its first scheduling event. After a redrive the
// whole TotalTimeout starts again when the code has agreed with the copied events, even
// for a retry that was waiting.
func (x *Execution) sinceMS(e *history.Event) int64 {
	first := e
	if r := e.Retry; r != nil && r.FirstEventID > 0 && r.FirstEventID < e.EventID {
		first = x.events.at(int(r.FirstEventID) - 1)
	}
	if redriven := x.ledger.redriven; first.EventID < redriven {
		return x.events.at(int(max(redriven, x.ledger.released)) - 1).AtMS
	}
	return first.AtMS
}

// RunsInline notes that the code of an inline activity starts, so that the error for a
// durable call inside it names the activity. The returned function notes that it has
// ended.
func (x *Execution) RunsInline(name string) (ended func()) {
	x.inline.Store(&name)
	return func() { x.inline.Store(nil) }
}

// Inline runs an activity inside the turn and waits for its result. If the delay before a retry is
// too long for a turn, the host leaves the retry to Inline, which then creates a timer and a new
// scheduling event. The new event records how many attempts were made.
func (c *Context) Inline(call ActivityCall) ([]byte, error) {
	call.Inline = true
	for {
		f := c.Activity(call)
		value, err := c.Await(f)
		var failure *FailureError
		if !errors.As(err, &failure) || failure.Failure.RetryAfterMS <= 0 {
			return value, err
		}
		if _, err := c.Await(c.Timer(time.Duration(failure.Failure.RetryAfterMS) * time.Millisecond)); err != nil {
			return nil, err
		}
		var retry history.Retry
		if call.Retry != nil {
			retry = *call.Retry
		}
		retry.AttemptsMade = failure.Failure.Attempt
		if retry.FirstEventID == 0 {
			retry.FirstEventID = f.id
		}
		call.Retry = &retry
	}
}

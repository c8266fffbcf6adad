package client

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Waiting is what an instance waits for, and what has come for it that nothing
// took.
type Waiting struct {
	// Open is what [Client.WaitingFor] returns.
	Open []PendingOperation
	// Untaken are the external events of the current execution that no wait took,
	// in the order in which they came.
	Untaken []UntakenEvent
}

// UntakenEvent is an external event that no wait has taken: it is kept until one
// does, was rejected, or was left when the instance ended.
type UntakenEvent struct {
	EventID int64
	Name    string
	// At is when it was recorded.
	At time.Time
	// Actor and SenderID as its sender gave them.
	Actor, SenderID string
	// RejectedBy is the event that records its rejection by a wait, and Reason
	// why; 0 and empty for one that was not rejected.
	RejectedBy int64
	Reason     string
}

// Waiting returns what the instance waits for, and which external events nothing
// has taken; of one that has ended those that were left. It reads what WaitingFor
// reads, and the history of an instance that has ended too.
//
// Error: [*NotFoundError].
func (c *Client) Waiting(ctx context.Context, instance string) (Waiting, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return Waiting{}, err
	}
	return c.waiting(ctx, d)
}

func (c *Client) waiting(ctx context.Context, d Description) (Waiting, error) {
	turns, _, err := c.read(ctx, d, 0)
	if err != nil {
		return Waiting{}, err
	}
	w := Waiting{Untaken: Untaken(turns)}
	if d.Status.Terminal() {
		return w, nil
	}
	w.Open = openOperations(turns)
	return w, c.describeChildren(ctx, w.Open)
}

// Untaken returns the external events that no wait has taken of an execution with
// these turns. It follows rule 7 of the design: events of a name are taken first in
// first out, so the last ones are left over.
func Untaken(turns []store.Turn) []UntakenEvent {
	waits := map[string]int{} // by name, those that were not cancelled
	cancelled := map[int64]bool{}
	rejected := map[int64]*history.Event{}
	for i := range turns {
		for _, id := range turns[i].Cancelled {
			cancelled[id] = true
		}
	}
	for i := range turns {
		for j := range turns[i].Events {
			switch e := &turns[i].Events[j]; e.Kind {
			case history.ExternalSubscribed:
				if !cancelled[e.EventID] {
					waits[e.Name]++
				}
			case history.ExternalRejected:
				rejected[e.SourceEventID] = e
			}
		}
	}
	var left []UntakenEvent
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			if e.Kind != history.ExternalEvent {
				continue
			}
			u := UntakenEvent{EventID: e.EventID, Name: e.Name, At: time.UnixMilli(e.AtMS).UTC(), Actor: e.Actor, SenderID: e.SenderID}
			if r := rejected[e.EventID]; r != nil {
				u.RejectedBy, u.Reason = r.EventID, r.Reason
			} else if waits[e.Name] > 0 {
				waits[e.Name]--
				continue
			}
			left = append(left, u)
		}
	}
	return left
}

package client

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/untaken"
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
	var w Waiting
	for _, e := range untaken.Of(turns) {
		w.Untaken = append(w.Untaken, UntakenEvent(e))
	}
	if d.Status.Terminal() {
		return w, nil
	}
	w.Open = openOperations(turns)
	return w, c.describeChildren(ctx, w.Open)
}

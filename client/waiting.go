package client

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/unconsumed"
)

// Pending is what an instance waits for, the events that it has received but not consumed, and the
// updates that it has not answered.
type Pending struct {
	// Operations is what [Client.PendingOperations] returns.
	Operations []PendingOperation
	// UnconsumedEvents are the external events of the current execution that no wait has consumed, in
	// the order in which they were recorded.
	UnconsumedEvents []UnconsumedEvent
	// Updates are the updates that the current execution has neither rejected nor answered, in the
	// order in which they were recorded; none for an instance that has ended. Their events are the
	// request (UpdateSent) or the acceptance.
	Updates []UpdateStatus
}

// UnconsumedEvent is an external event that no wait has consumed. It is kept for a later wait, was
// rejected, or was left when the instance ended.
type UnconsumedEvent struct {
	EventID int64  `json:"event_id"`
	Name    string `json:"name"`
	// At is when it was recorded.
	At time.Time `json:"at"`
	// Actor and SenderID as the sender gave them.
	Actor    string `json:"actor,omitempty"`
	SenderID string `json:"sender_id,omitempty"`
	// RejectedBy is the event that records that a wait rejected it, and Reason is why; 0 and empty
	// if it was not rejected.
	RejectedBy int64  `json:"rejected_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// Pending returns what the instance waits for, the external events that no wait has consumed, and the
// updates that are not answered. For an ended instance it returns the events that were left. It reads what PendingOperations reads, and
// also the history of an ended instance.
//
// Error: [*NotFoundError].
func (c *Client) Pending(ctx context.Context, instance string) (Pending, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return Pending{}, err
	}
	return c.waiting(ctx, d)
}

func (c *Client) waiting(ctx context.Context, d Description) (Pending, error) {
	turns, _, err := c.read(ctx, d, 0)
	if err != nil {
		return Pending{}, err
	}
	var w Pending
	for _, e := range unconsumed.Of(turns) {
		w.UnconsumedEvents = append(w.UnconsumedEvents, UnconsumedEvent(e))
	}
	if d.Status.Terminal() {
		return w, nil
	}
	for _, u := range unconsumed.Updates(turns) {
		s := UpdateStatus{Instance: d.Instance, ID: u.ID, Name: u.Name, Stage: UpdateSent, ExecutionID: u.ExecutionID, EventID: u.EventID, At: u.At}
		if u.Accepted {
			s.Stage = UpdateAccepted
		}
		w.Updates = append(w.Updates, s)
	}
	w.Operations = openOperations(turns)
	return w, c.describeChildren(ctx, w.Operations)
}

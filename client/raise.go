package client

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// RaiseRequest is an untyped external event for [Client.Raise]. Programs that have the declaration use
// [Raise].
type RaiseRequest struct {
	// Instance that receives the event.
	Instance string
	// Name of the event.
	Name string
	// DeduplicationID identifies this event, so that repeating it is harmless; empty for a random id.
	// The history records it as the id of the sender. An instance that continues as new keeps the
	// newest 256 ids; see [WithDeduplicationID].
	DeduplicationID string
	// Data is JSON; nil for none.
	Data json.RawMessage
	// CheckRunning reads the record of the instance first; see the option [CheckRunning].
	CheckRunning bool
}

// Raise raises an external event for an instance. It returns when the event is queued, and does not
// check whether the instance exists: it reads nothing, so it needs no permission to read. What happens
// to the event depends on the instance:
//
//   - It runs: the event is kept until the code waits for an event of that name. Events that are still
//     kept when the instance ends are lost.
//   - It has not started yet: the event waits for the start, for 15 minutes by default, and then
//     becomes a dead letter (early).
//   - It has ended or was purged: the event has no effect, and the sender is not notified.
//
// [CheckRunning] distinguishes these cases before it sends anything, and [Client.ValidateRaise] reports
// whether the instance waits for the event.
//
// Errors: [*turnstile.InvalidArgumentError], [*turnstile.PayloadTooLargeError], and those of
// CheckRunning.
func (c *Client) Raise(ctx context.Context, r RaiseRequest) error {
	err := errors.Join(validInstance(r.Instance), validEvent(r.Name), validID("deduplication id", r.DeduplicationID))
	if err != nil {
		return err
	}
	if len(r.Data) > turnstile.MaxPayload {
		return &turnstile.PayloadTooLargeError{What: "data of event", Name: r.Name, Size: len(r.Data), Limit: turnstile.MaxPayload}
	}
	item := wire.Item{Kind: wire.ExternalRaised, Instance: r.Instance, ID: r.DeduplicationID, Name: r.Name, Data: r.Data}
	if item.ID == "" {
		if item.ID, err = c.newID(); err != nil {
			return err
		}
	}
	send := c.send
	if r.CheckRunning {
		send = c.sendToRunning
	}
	return c.intercepted(ctx, "raise", item, item.Data, send)
}

// RaiseOption is an option of [Raise]: [WithDeduplicationID], [CheckRunning].
type RaiseOption interface{ applyToRaise(*RaiseRequest) }

type raiseOption func(*RaiseRequest)

func (f raiseOption) applyToRaise(r *RaiseRequest) { f(r) }

// CheckRunning makes [Raise] read the record of the instance first:
//
//   - If the instance has ended, Raise returns an [*EndedError] and sends nothing.
//   - If it was purged, Raise returns a [*NotFoundError] and sends nothing.
//   - If it has no record, Raise sends the event and returns [ErrNoRecord]: the instance was never
//     started, or its start is still queued and the event waits for it.
//
// It costs one strongly consistent read of a record, and needs permission to read. An instance may
// still end between the read and the event. CheckRunning does not check whether the code waits for the
// event; [Client.ValidateRaise] does, by reading the history.
//
//	err := client.Raise(ctx, c, Approved, "order-17", approval, client.CheckRunning())
//	if ended, ok := errors.AsType[*client.EndedError](err); ok {
//		// too late: it is ended.Status
//	}
func CheckRunning() RaiseOption {
	return raiseOption(func(r *RaiseRequest) { r.CheckRunning = true })
}

// Raise raises the event for an instance; see [Client.Raise]. Without [CheckRunning], Raise does not
// report that the instance has ended or does not exist.
//
//	err := client.Raise(ctx, c, Approved, "order-17", Approval{By: "Grace"})
func Raise[T any](ctx context.Context, c *Client, e turnstile.Event[T], instance string, data T, options ...RaiseOption) error {
	payload, err := encode(data, "data of event", e.Name())
	if err != nil {
		return err
	}
	r := RaiseRequest{Instance: instance, Name: e.Name(), Data: payload}
	for _, o := range options {
		o.applyToRaise(&r)
	}
	return c.Raise(ctx, r)
}

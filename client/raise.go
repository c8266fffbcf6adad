package client

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// RaiseRequest is an external event as [Client.Raise] takes it: untyped.
// Programs that have the declaration use [Raise].
type RaiseRequest struct {
	// Instance that the event is for.
	Instance string
	// Name of the event.
	Name string
	// DeduplicationID tells a repeat, which is harmless, from another event; empty
	// for a random one. The history records it as the id of the sender. An instance that
	// continues as new takes the newest 256 ids along; see [WithDeduplicationID].
	DeduplicationID string
	// Data is JSON; nil for none.
	Data json.RawMessage
	// CheckRunning looks at the instance first; see the option [CheckRunning].
	CheckRunning bool
}

// Raise raises an external event for an instance. It returns when the event is
// queued, and does not look whether there is such an instance: it reads nothing,
// so that a program may raise events that may read nothing. What becomes of it:
//
//   - The instance runs: the event is kept until its code waits for it, whatever
//     the name; what is left at the end is lost.
//   - It has not started yet: the event waits for the start, for 15 minutes
//     by default, and becomes a dead letter then (early).
//   - It has ended, or was purged: the event has no effect, and nobody is told.
//
// [CheckRunning] tells these apart before anything is sent, and [Client.CheckRaise]
// says whether the instance waits for the event.
//
// Errors: [*turnstile.InvalidArgumentError], [*turnstile.PayloadTooLargeError], and
// those of CheckRunning.
func (c *Client) Raise(ctx context.Context, r RaiseRequest) error {
	err := errors.Join(validInstance(r.Instance), validName("event", r.Name), validID("deduplication id", r.DeduplicationID))
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

// CheckRunning has [Raise] read the record of the instance first:
//
//   - [*EndedError], and nothing sent, if it has ended,
//   - [*NotFoundError], and nothing sent, if it was purged,
//   - [ErrNoRecord], and sent all the same, if there is no record of it: it was
//     never started, or its start is still queued, and the event waits for that.
//
// It costs one strongly consistent read of a record, and needs the permission to
// read. An instance may end in between, and whether its code waits for the event
// is not looked at: [Client.CheckRaise] knows, for a read of the history.
//
//	err := client.Raise(ctx, c, Approved, "order-17", approval, client.CheckRunning())
//	if ended, ok := errors.AsType[*client.EndedError](err); ok {
//		// too late: it is ended.Status
//	}
func CheckRunning() RaiseOption {
	return raiseOption(func(r *RaiseRequest) { r.CheckRunning = true })
}

// Raise raises the event for an instance; see [Client.Raise]. Without [CheckRunning]
// a caller does not learn that the instance has ended or does not exist.
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

package client

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/wire"
)

// RaiseRequest is an external event as [Client.Raise] takes it: untyped.
// Programs that have the declaration use [Raise].
type RaiseRequest struct {
	// Instance that the event is for.
	Instance string
	// Name of the event.
	Name string
	// SenderID tells a repeat, which is harmless, from another event; empty
	// for a random one.
	SenderID string
	// Data is JSON; nil for none.
	Data json.RawMessage
}

// Raise raises an external event for an instance. It returns when the
// event is queued. One for an instance that has not started yet waits for a
// quarter of an hour by default; one for an instance that has ended has no
// effect.
//
// Errors: [*turnstile.InvalidNameError], [*turnstile.PayloadTooLargeError].
func (c *Client) Raise(ctx context.Context, r RaiseRequest) error {
	err := errors.Join(validInstance(r.Instance), validName("event", r.Name), validID("sender id", r.SenderID))
	if err != nil {
		return err
	}
	if len(r.Data) > turnstile.MaxPayload {
		return &turnstile.PayloadTooLargeError{What: "data of event", Name: r.Name, Size: len(r.Data), Limit: turnstile.MaxPayload}
	}
	item := wire.Item{Kind: wire.ExternalRaised, Instance: r.Instance, ID: r.SenderID, Name: r.Name, Data: r.Data}
	if item.ID == "" {
		if item.ID, err = c.newID(); err != nil {
			return err
		}
	}
	return c.intercepted(ctx, "raise", item, item.Data, c.send)
}

// RaiseOption is an option of [Raise]: [SenderID].
type RaiseOption interface{ applyToRaise(*RaiseRequest) }

type raiseOption func(*RaiseRequest)

func (f raiseOption) applyToRaise(r *RaiseRequest) { f(r) }

// SenderID tells a repeat of an event, which is harmless, from another event.
// A service that may repeat its call gives it an id of the request.
func SenderID(id string) RaiseOption {
	return raiseOption(func(r *RaiseRequest) { r.SenderID = id })
}

// Raise raises the event for an instance; see [Client.Raise].
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

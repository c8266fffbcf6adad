package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// UpdateRequest is an untyped update for [Client.StartUpdate]. Programs that have the declaration use
// [Update] and [StartUpdate].
type UpdateRequest struct {
	// Instance that decides about the update.
	Instance string `json:"instance"`
	// Name of the update.
	Name string `json:"name"`
	// DeduplicationID identifies the update for as long as its answer is kept, at least 15 days; empty
	// for a random id. A repeat with the same id gets the same answer.
	DeduplicationID string `json:"deduplication_id,omitempty"`
	// Input is JSON; nil for none.
	Input json.RawMessage `json:"input,omitempty"`
	// ExpiresAt is when the instance rejects the update if it has not decided before; see [WithExpiresAt].
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// UpdateOption is an option of [Update] and [StartUpdate]: [WithDeduplicationID], [WithExpiresAt].
type UpdateOption interface{ applyToUpdate(*UpdateRequest) }

type updateOption func(*UpdateRequest)

func (f updateOption) applyToUpdate(r *UpdateRequest) { f(r) }

// WithExpiresAt makes the instance reject the update if it has not decided before t, by the clock of the
// orchestrator. Use it if a late effect is worse than none: without it, an update that the caller no
// longer waits for still takes effect.
func WithExpiresAt(t time.Time) UpdateOption {
	return updateOption(func(r *UpdateRequest) { r.ExpiresAt = t })
}

// Update sends an update to an instance and waits for its answer.
//
//	delivery, err := client.Update(ctx, c, ChangeAddress, "order-17", address)
//
// Errors: [*UpdateRejectedError], [*UpdateError] for the error of the handler, [*UpdateWaitError] if the
// context ends first, and the errors of [StartUpdate]. Give the context a deadline.
func Update[In, Out any](ctx context.Context, c *Client, u turnstile.Update[In, Out], instance string, in In, options ...UpdateOption) (Out, error) {
	h, err := StartUpdate(ctx, c, u, instance, in, options...)
	if err != nil {
		var none Out
		return none, err
	}
	return h.Wait(ctx)
}

// StartUpdate sends an update to an instance and returns a handle to it, without waiting for the
// instance.
//
// Errors: [*NotFoundError], [*PurgedError] or [*EndedError], after which nothing was sent;
// [*turnstile.EncodeError], [*turnstile.PayloadTooLargeError]. A client that cannot read instances
// sends without checking them.
func StartUpdate[In, Out any](ctx context.Context, c *Client, u turnstile.Update[In, Out], instance string, in In, options ...UpdateOption) (*UpdateHandle[Out], error) {
	input, err := encode(in, "input of update", u.Name())
	if err != nil {
		return nil, err
	}
	r := UpdateRequest{Instance: instance, Name: u.Name(), Input: input}
	for _, o := range options {
		o.applyToUpdate(&r)
	}
	s, err := c.StartUpdate(ctx, r)
	if err != nil {
		return nil, err
	}
	return AttachUpdate(c, u, instance, s.ID), nil
}

// UpdateHandle is a handle to an update that was sent, with the type of its output.
type UpdateHandle[Out any] struct {
	// Instance that decides about the update, and the id of the update.
	Instance, ID string

	client *Client
	name   string
}

// AttachUpdate returns a handle to the update with that id, which another call or process may have sent.
// It sends and reads nothing.
func AttachUpdate[In, Out any](c *Client, u turnstile.Update[In, Out], instance, id string) *UpdateHandle[Out] {
	return &UpdateHandle[Out]{Instance: instance, ID: id, client: c, name: u.Name()}
}

// Status returns how far the update has come; see [Client.UpdateStatus].
func (h *UpdateHandle[Out]) Status(ctx context.Context) (UpdateStatus, error) {
	return h.client.UpdateStatus(ctx, h.Instance, h.ID)
}

// WaitAccepted waits until the instance has decided about the update. Its errors are those of
// [Client.WaitUpdate], and [*UpdateRejectedError].
func (h *UpdateHandle[Out]) WaitAccepted(ctx context.Context) error {
	s, err := h.client.WaitUpdate(ctx, h.Instance, h.ID, UpdateAccepted)
	if err != nil || s.Stage != UpdateRejected {
		return err
	}
	return &UpdateRejectedError{Instance: s.Instance, ID: s.ID, Reason: s.Reason}
}

// Wait waits for the answer and returns the output of the handler.
//
// Errors: those of [Client.WaitUpdate], [*UpdateRejectedError], [*UpdateError], and
// [*turnstile.DecodeError] for an output that cannot be decoded into Out.
func (h *UpdateHandle[Out]) Wait(ctx context.Context) (Out, error) {
	var none Out
	s, err := h.client.WaitUpdate(ctx, h.Instance, h.ID, UpdateCompleted)
	if err == nil {
		err = s.Err()
	}
	if err != nil {
		return none, err
	}
	return decode[Out](s.Output, "output of update", h.name)
}

// StartUpdate is the untyped form of [StartUpdate]. The status has the id of the update.
func (c *Client) StartUpdate(ctx context.Context, r UpdateRequest) (UpdateStatus, error) {
	none := UpdateStatus{}
	err := errors.Join(validInstance(r.Instance), validUpdate(r.Name), validID("deduplication id", r.DeduplicationID))
	if err != nil {
		return none, err
	}
	if len(r.Input) > turnstile.MaxPayload {
		return none, &turnstile.PayloadTooLargeError{What: "input of update", Name: r.Name, Size: len(r.Input), Limit: turnstile.MaxPayload}
	}
	item := wire.Item{Kind: wire.ExternalRaised, Instance: r.Instance, ID: r.DeduplicationID, Name: history.UpdatePrefix + r.Name, Data: r.Input}
	if !r.ExpiresAt.IsZero() {
		item.ExpiresAtMS = max(r.ExpiresAt.UnixMilli(), 1)
	}
	if item.ID == "" {
		if item.ID, err = c.newID(); err != nil {
			return none, err
		}
	}
	err = c.intercepted(ctx, "update", item, item.Data, func(ctx context.Context, item wire.Item) error {
		if !c.blind() {
			d, err := c.Describe(ctx, r.Instance)
			switch {
			case err != nil:
				return err
			case d.Status.Terminal() && r.DeduplicationID == "":
				return &EndedError{Instance: r.Instance, Status: d.Status}
			case d.Status.Terminal():
				return c.repeated(ctx, &d, item.ID)
			}
		}
		return c.send(ctx, item)
	})
	return UpdateStatus{Instance: r.Instance, ID: item.ID, Stage: UpdateSent}, err
}

// repeated returns an *EndedError for an ended instance, unless the request repeats an update that the
// instance has decided about.
func (c *Client) repeated(ctx context.Context, d *Description, id string) error {
	s, err := c.readAnswer(ctx, d.StartID, UpdateStatus{Instance: d.Instance, ID: id, Stage: UpdateSent})
	if err == nil && s.Stage == UpdateSent {
		s, err = c.atEnd(ctx, d, s)
	}
	if err == nil && s.Stage == UpdateSent {
		err = &EndedError{Instance: d.Instance, Status: d.Status}
	}
	return err
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
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

// UpdateStage is how far an update has come.
type UpdateStage string

// The stages of an update.
const (
	// UpdateSent: the instance has not decided yet.
	UpdateSent UpdateStage = "sent"
	// UpdateAccepted: the validator has accepted the update, and its handler runs.
	UpdateAccepted UpdateStage = "accepted"
	// UpdateRejected: the validator has rejected the update, which has no effect.
	UpdateRejected UpdateStage = "rejected"
	// UpdateCompleted: the handler has returned an output.
	UpdateCompleted UpdateStage = "completed"
	// UpdateFailed: the handler has returned an error.
	UpdateFailed UpdateStage = "failed"
	// UpdateUnfinished: the instance has ended, or its execution has continued as new, before the handler
	// returned. What the handler has done remains.
	UpdateUnfinished UpdateStage = "unfinished"
)

// Answered reports whether the stage is final.
func (s UpdateStage) Answered() bool { return s != UpdateSent && s != UpdateAccepted }

// UpdateStatus is what is known about an update.
type UpdateStatus struct {
	Instance string `json:"instance"`
	// ID of the update.
	ID string `json:"id"`
	// Name of the update; empty if the instance has not decided, except in [Pending].
	Name  string      `json:"name,omitempty"`
	Stage UpdateStage `json:"stage"`
	// ExecutionID and EventID are the event that set the stage; 0 for a stage without one.
	ExecutionID int64 `json:"execution_id,omitempty"`
	EventID     int64 `json:"event_id,omitempty"`
	// At is when it was recorded.
	At time.Time `json:"at,omitzero"`
	// Output of the handler (UpdateCompleted).
	Output json.RawMessage `json:"output,omitempty"`
	// Reason of a rejection.
	Reason string `json:"reason,omitempty"`
	// Failure of the handler (UpdateFailed).
	Failure *history.Failure `json:"failure,omitempty"`
}

// UpdateRejectedError is returned if the instance rejected an update. The update has had no effect.
type UpdateRejectedError struct {
	Instance string `json:"instance"`
	ID       string `json:"id"`
	// Reason is the text of the error of the validator.
	Reason string `json:"reason"`
}

func (e *UpdateRejectedError) Error() string {
	return fmt.Sprintf("turnstile: instance %q rejected update %q: %s", e.Instance, e.ID, e.Reason)
}

// UpdateError is returned if the handler of an update returned an error, or did not return before the
// end of its execution. What the handler has done remains.
type UpdateError struct {
	Instance string `json:"instance"`
	ID       string `json:"id"`
	// Failure of the handler; nil if it did not return.
	Failure *history.Failure `json:"failure,omitempty"`
}

func (e *UpdateError) Error() string {
	if e.Failure == nil {
		return fmt.Sprintf("turnstile: update %q of instance %q was accepted, but its handler did not return before its execution ended: "+
			"the orchestration can call AllHandlersFinished before it ends or continues as new", e.ID, e.Instance)
	}
	return fmt.Sprintf("turnstile: update %q of instance %q failed: %s", e.ID, e.Instance, e.Failure.Message)
}

// Is reports true for [turnstile.ErrCancelled] or [turnstile.ErrTimeout], depending on the kind of the
// failure.
func (e *UpdateError) Is(target error) bool {
	return e.Failure != nil && turnstile.FailureKind(e.Failure.Kind).Is(target)
}

// FailureCode returns the code of the error, for turnstile.ErrorCode.
func (e *UpdateError) FailureCode() string {
	if e.Failure == nil {
		return ""
	}
	return e.Failure.Code
}

// UpdateWaitError is returned if the context of a wait ended before the update was answered. It wraps
// the error of the context. The update stays sent; the wait can be repeated.
type UpdateWaitError struct {
	Instance string
	ID       string
	// Stage of the update.
	Stage UpdateStage
	// Last is the last state of the instance that the wait read; nil if it read none.
	Last *Description
	Err  error
}

func (e *UpdateWaitError) Error() string {
	state := "has not decided about it; an update without a handler waits until the code has one"
	if e.Stage == UpdateAccepted {
		state = "has accepted it, and its handler has not returned"
	}
	if d := e.Last; d != nil {
		switch {
		case d.Problem != nil:
			state += fmt.Sprintf("; the instance is stuck (%s: %s)", d.Problem.Kind, d.Problem.Message)
		case d.Suspension != nil:
			state += "; the instance is suspended"
		}
	}
	return fmt.Sprintf("turnstile: gave up waiting for update %q: instance %q %s: %v", e.ID, e.Instance, state, e.Err)
}

// Unwrap returns [context.DeadlineExceeded] or [context.Canceled].
func (e *UpdateWaitError) Unwrap() error { return e.Err }

// Is reports true for [turnstile.ErrTimeout] if the deadline passed.
func (e *UpdateWaitError) Is(target error) bool {
	return target == turnstile.ErrTimeout && errors.Is(e.Err, context.DeadlineExceeded)
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

// Err returns the error of the stage: [*UpdateRejectedError] or [*UpdateError]; nil for UpdateSent,
// UpdateAccepted and UpdateCompleted.
func (s *UpdateStatus) Err() error {
	switch s.Stage {
	case UpdateRejected:
		return &UpdateRejectedError{Instance: s.Instance, ID: s.ID, Reason: s.Reason}
	case UpdateFailed, UpdateUnfinished:
		return &UpdateError{Instance: s.Instance, ID: s.ID, Failure: s.Failure}
	}
	return nil
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

// UpdateStatus returns how far the update with that id has come. It reads the record of the instance and
// one item, and for an instance that has ended also histories if the update has no answer.
//
// Errors: [*NotFoundError], [*EndedError] for an instance that ended before it decided, [ErrNoStore]
// (wrapped) for a client that cannot read.
func (c *Client) UpdateStatus(ctx context.Context, instance, id string) (UpdateStatus, error) {
	return c.waitUpdate(ctx, instance, id, func(UpdateStage) bool { return true })
}

// WaitUpdate waits until the update with that id is answered or, with the stage UpdateAccepted, until
// the instance has decided about it. It reads one item 20 ms after the first read and then at intervals
// that grow to a second, and the record of the instance first and once a second.
//
// It also waits for an instance that has no record yet ([WithUpdate]).
//
// Errors: [*NotFoundError] for an instance that was purged, [*EndedError] for one that ended before it
// decided, [*UpdateWaitError] if the context ends first, [ErrNoStore] (wrapped) for a client that cannot read.
// Give the context a deadline.
func (c *Client) WaitUpdate(ctx context.Context, instance, id string, stage UpdateStage) (UpdateStatus, error) {
	return c.waitUpdate(ctx, instance, id, func(s UpdateStage) bool {
		return s.Answered() || s == UpdateAccepted && stage == UpdateAccepted
	})
}

// starting reports whether an instance was not found, and may have been sent its start.
func starting(err error) bool {
	missing, ok := errors.AsType[*NotFoundError](err)
	return ok && missing.FreeAt.IsZero()
}

const firstUpdatePause, longestUpdatePause = 20 * time.Millisecond, time.Second

func (c *Client) waitUpdate(ctx context.Context, instance, id string, enough func(UpdateStage) bool) (UpdateStatus, error) {
	none := UpdateStatus{}
	if err := errors.Join(validInstance(instance), validID("deduplication id", id)); err != nil {
		return none, err
	}
	if c.blind() {
		return none, fmt.Errorf("the update %q of instance %q was sent, but its answer cannot be read: %w; attach the policy for clients that read", id, instance, ErrNoStore)
	}
	s := UpdateStatus{Instance: instance, ID: id, Stage: UpdateSent}
	var d *Description
	since := time.Duration(0)
	for pause := firstUpdatePause; ; pause = min(pause+pause/2, longestUpdatePause) {
		// Get the channel before the read, so that no change is missed in between.
		var changed <-chan struct{}
		if c.cfg.Changed != nil {
			changed = c.cfg.Changed(instance)
		}
		if d == nil || changed != nil || since >= longestUpdatePause {
			r, err := c.Describe(ctx, instance)
			switch {
			case ctx.Err() != nil:
				return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
			case errors.Is(err, store.ErrUnavailable) && d != nil:
			case starting(err) && !enough(s.Stage):
				if !c.pause(ctx, pause, changed) {
					return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Err: ctx.Err()}
				}
				continue
			case err != nil:
				return none, err
			default:
				d, since = &r, 0
			}
		}
		found, err := c.readAnswer(ctx, d.StartID, s)
		switch {
		case ctx.Err() != nil:
			return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
		case errors.Is(err, store.ErrUnavailable) && !enough(UpdateSent):
			// The store throttled the read; the next one may succeed.
		case err != nil:
			return none, err
		default:
			s = found
		}
		if !s.Stage.Answered() && (d.Status.Terminal() || s.ExecutionID > 0 && s.ExecutionID < d.ExecutionID) {
			// The end was committed before its answers were put.
			if s, err = c.atEnd(ctx, d, s); err != nil {
				return none, err
			}
			if s.Stage == UpdateSent {
				return none, &EndedError{Instance: instance, Status: d.Status}
			}
		}
		if enough(s.Stage) {
			return s, nil
		}
		if !c.pause(ctx, pause, changed) {
			return none, &UpdateWaitError{Instance: instance, ID: id, Stage: s.Stage, Last: d, Err: ctx.Err()}
		}
		since += pause
	}
}

// readAnswer reads the answer to an update. Without one it returns s.
func (c *Client) readAnswer(ctx context.Context, startID string, s UpdateStatus) (UpdateStatus, error) {
	a, err := c.cfg.Store.ReadAnswer(ctx, store.AnswerKey{Instance: s.Instance, StartID: startID, ID: s.ID})
	if errors.Is(err, store.ErrNoAnswer) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	events, err := c.cfg.Codecs.OpenEvents(s.Instance, a.ExecutionID, []history.Event{a.Event})
	if err != nil {
		return s, err
	}
	return s.at(a.ExecutionID, &events[0]), nil
}

// at returns the status that an event about the update gives it.
func (s UpdateStatus) at(executionID int64, e *history.Event) UpdateStatus {
	name, _ := e.Update()
	s = UpdateStatus{Instance: s.Instance, ID: s.ID, Name: name, ExecutionID: executionID, EventID: e.EventID, At: time.UnixMilli(e.AtMS).UTC()}
	switch {
	case e.Kind == history.ExternalRejected:
		s.Stage, s.Reason = UpdateRejected, e.Reason
	case e.Op == history.OpAcceptUpdate:
		s.Stage = UpdateAccepted
	case e.Failure != nil:
		s.Stage, s.Failure = UpdateFailed, e.Failure
	default:
		s.Stage, s.Output = UpdateCompleted, json.RawMessage(e.Payload)
	}
	return s
}

// lookedBack is how many executions are searched for an update that has no answer.
const lookedBack = 10

// atEnd returns what the histories have about an update whose execution has ended: UpdateUnfinished if
// its handler did not return, UpdateSent if no execution decided about it.
func (c *Client) atEnd(ctx context.Context, d *Description, s UpdateStatus) (UpdateStatus, error) {
	last := d.ExecutionID
	if s.ExecutionID > 0 {
		last = s.ExecutionID
	}
	for n := last; n > max(last-lookedBack, 0); n-- {
		turns, _, err := c.read(ctx, *d, n)
		if err != nil {
			return s, err
		}
		if len(turns) == 0 && slices.Contains(d.Skipped, n) {
			continue
		}
		if len(turns) == 0 || turns[0].Events[0].Start != nil && turns[0].Events[0].Start.StartID != d.StartID {
			break
		}
		found := false
		for i := range turns {
			for j := range turns[i].Events {
				e := &turns[i].Events[j]
				if _, update := e.Update(); update && e.SenderID == s.ID && e.Kind != history.ExternalEvent {
					opened, err := c.cfg.Codecs.OpenEvents(s.Instance, n, []history.Event{*e})
					if err != nil {
						return s, err
					}
					s, found = s.at(n, &opened[0]), true
				}
			}
		}
		if found {
			break
		}
	}
	if s.Stage == UpdateAccepted {
		s.Stage = UpdateUnfinished
	}
	return s, nil
}

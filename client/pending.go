package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// TokenError is returned if a string is not the completion token of an activity.
type TokenError struct {
	// Problem describes what is wrong with it, and what to do.
	Problem string
}

func (e *TokenError) Error() string { return "turnstile: completion token: " + e.Problem }

// NotPendingError is returned if an activity can no longer be completed, because it is already
// complete or the orchestration no longer waits for it. Nothing was sent.
type NotPendingError struct {
	Instance    string
	ExecutionID int64
	// EventID of the ActivityScheduled.
	EventID int64
	// Cancelled is set if the orchestration asked the activity to stop. The error is then a
	// [turnstile.ErrCancelled].
	Cancelled bool
	// Problem describes what happened to the activity.
	Problem string
}

func (e *NotPendingError) Error() string {
	return fmt.Sprintf("turnstile: activity %d of instance %q execution %d is not pending: %s", e.EventID, e.Instance, e.ExecutionID, e.Problem)
}

// Is reports true for [turnstile.ErrCancelled] if the activity was cancelled.
func (e *NotPendingError) Is(target error) bool {
	return e.Cancelled && target == turnstile.ErrCancelled
}

// Complete completes a pending activity with its result; see [Client.Complete].
func Complete[In, Out any](ctx context.Context, c *Client, a turnstile.Activity[In, Out], token string, result Out) error {
	data, err := encode(result, "result of activity", a.Name())
	if err != nil {
		return err
	}
	return c.Complete(ctx, token, data)
}

// Complete completes a pending activity by its completion token. result is JSON; nil for none. It
// returns when the result is queued. If several results are sent at the same time, the first applies.
//
// Errors: [*TokenError] if the token names no activity; [*NotPendingError] if the activity is already
// complete or the orchestration no longer waits for it; [*turnstile.PayloadTooLargeError]. Only the
// orchestrator can detect a forged token for a pending activity: the message becomes a dead letter, and
// the activity stays pending. After a redrive that started the activity again ([Client.Redrive]), the
// earlier token also completes it.
func (c *Client) Complete(ctx context.Context, token string, result json.RawMessage) error {
	return c.answer(ctx, token, wire.Item{Kind: wire.ActivityCompleted, Result: result}, len(result))
}

// Fail fails the pending activity with this completion token, as if the activity had returned the
// error. The failure is final: the retry policy applies only to attempts. Errors: those of
// [Client.Complete]; also [*NotPendingError] for a token from before a redrive that started the
// activity again.
func (c *Client) Fail(ctx context.Context, token string, failure error) error {
	if failure == nil {
		return &turnstile.MisuseError{Call: "Client.Fail", Problem: "the error is nil: use Client.Complete for an activity that succeeded"}
	}
	f := activities.FailureOf(failure)
	f.Message, f.Retryable = failure.Error(), false
	return c.answer(ctx, token, wire.Item{Kind: wire.ActivityFailed, Details: wire.FailureOf(f)}, len(f.Details))
}

// Heartbeat reports that the pending activity with this completion token is still in progress,
// which restarts its HeartbeatTimeout. details are JSON for the next attempt; nil keeps the details
// of the previous heartbeat. A token from before a redrive is treated as by [Client.Complete].
// Errors: those of [Client.Complete]; errors.Is(err, turnstile.ErrCancelled) reports that the
// orchestration no longer needs the result.
func (c *Client) Heartbeat(ctx context.Context, token string, details json.RawMessage) error {
	return c.answer(ctx, token, wire.Item{Kind: wire.ActivityHeartbeat, Data: details}, len(details))
}

// answer sends a completion, failure or heartbeat of a pending activity by its token.
func (c *Client) answer(ctx context.Context, token string, item wire.Item, size int) error {
	t, err := wire.ParseActivityToken(token)
	if err != nil {
		return &TokenError{Problem: err.Error()}
	}
	if size > turnstile.MaxPayload {
		return &turnstile.PayloadTooLargeError{What: "result or details of a pending activity", Size: size, Limit: turnstile.MaxPayload}
	}
	item.Instance, item.ExecutionID, item.SourceEventID, item.Token = t.Instance, t.ExecutionID, t.EventID, t.Token
	operation, payload := "complete", item.Result
	switch item.Kind {
	case wire.ActivityFailed:
		operation, payload = "fail", item.Details.Details
	case wire.ActivityHeartbeat:
		operation, payload = "heartbeat", item.Data
		if item.ID, err = c.newID(); err != nil {
			return err
		}
	}
	return c.intercepted(ctx, operation, item, payload, func(ctx context.Context, item wire.Item) error {
		if err := c.checkPending(ctx, t, item.Kind); err != nil && !c.blind() {
			return err
		}
		return c.send(ctx, item)
	})
}

// checkPending checks in the history whether the activity that the token names is open, so that a late
// caller gets an error. Only the orchestrator has the key that verifies a token: a forged token for an
// open activity is sent, and becomes a dead letter.
//
// A token of an earlier execution is valid if a redrive copied the activity.
func (c *Client) checkPending(ctx context.Context, t wire.ActivityToken, kind wire.Kind) error {
	wrong := &TokenError{Problem: "no activity has this token: it is wrong, the instance was purged, or the tables were restored to a time before the activity"}
	d, err := c.cfg.Store.Describe(ctx, t.Instance)
	if errors.Is(err, store.ErrNotFound) {
		return wrong
	} else if err != nil {
		return err
	}
	if t.ExecutionID < d.ExecutionID {
		turns, execution, err := c.read(ctx, Description{Instance: t.Instance, ExecutionID: d.ExecutionID}, 0)
		if err != nil {
			return err
		}
		if takesOver(turns, t) {
			err := notPending(turns, t, execution)
			if err == nil && kind == wire.ActivityFailed {
				return &NotPendingError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: t.EventID, Problem: fmt.Sprintf(
					"a redrive has started it again in execution %d, where a result still counts and a failure does not; fail it with the token of its new attempt", execution)}
			}
			return err
		}
	}
	turns, err := c.cfg.Store.Read(ctx, t.Instance, t.ExecutionID, 1)
	if err != nil {
		return err
	}
	if !namesActivity(turns, t) {
		return wrong
	}
	return notPending(turns, t, t.ExecutionID)
}

// takesOver reports whether an execution copied the activity of a token of an earlier execution, so
// that a result still completes it.
func takesOver(turns []store.Turn, t wire.ActivityToken) bool {
	if !namesActivity(turns, t) {
		return false
	}
	o := turns[0].Events[0].Start.Origin
	return o != nil && slices.ContainsFunc(o.Carried, func(k history.Carried) bool {
		return k.EventID == t.EventID && redriving.CarriedSince(o, t.Instance, k) <= t.ExecutionID
	})
}

// notPending returns a [*NotPendingError] if the activity of a token is not open in an execution.
func notPending(turns []store.Turn, t wire.ActivityToken, execution int64) error {
	gone := &NotPendingError{Instance: t.Instance, ExecutionID: execution, EventID: t.EventID}
	for i := range turns {
		for _, id := range turns[i].Cancelled {
			if id == t.EventID {
				gone.Cancelled, gone.Problem = true, "the orchestration cancelled it"
			}
		}
		for j := range turns[i].Events {
			switch e := &turns[i].Events[j]; {
			case e.SourceEventID == t.EventID && e.Kind.Completes() == history.ActivityScheduled:
				gone.Cancelled = false
				gone.Problem = fmt.Sprintf("it was completed at event %d (%s)", e.EventID, e.Kind)
				return gone
			case e.Kind.Terminal() && gone.Problem == "":
				gone.Problem = fmt.Sprintf("its execution has ended (%s)", e.Kind)
			}
		}
	}
	if gone.Problem == "" {
		return nil
	}
	return gone
}

// namesActivity reports whether a token may belong to an activity in this history: the history has
// the activity, scheduled at the same time. A token with a different time belongs to an activity
// that was lost when the tables were restored.
func namesActivity(turns []store.Turn, t wire.ActivityToken) bool {
	if len(turns) == 0 || turns[0].Events[0].Start == nil {
		return false
	}
	for i := range turns {
		for j := range turns[i].Events {
			if e := &turns[i].Events[j]; e.EventID == t.EventID {
				at, ok := keyring.EventTime(t.Token)
				return e.Kind == history.ActivityScheduled && !e.Inline && (!ok || at == e.AtMS)
			}
		}
	}
	return false
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
)

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

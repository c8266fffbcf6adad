package client

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Errors of a [Client], for errors.Is.
var (
	// ErrNotFound means that the instance does not exist, or was purged. An instance whose start is
	// still queued is not found either.
	ErrNotFound = store.ErrNotFound
	// ErrPurged means that an instance with that id was purged, and the id cannot be reused yet.
	// [*PurgedError] has the time from which it can be reused.
	ErrPurged = errors.New("the instance was purged, and its id cannot be reused yet")
	// ErrNoRecord means that the message was sent, but the instance has no record yet. If its start
	// is queued, the message takes effect after the start; otherwise it has no effect.
	ErrNoRecord = errors.New("sent, but the instance has no record yet")
	// ErrNotSuspended means that [Client.Reschedule] was called for an instance that is neither
	// scheduled nor suspended. Nothing was sent.
	ErrNotSuspended = errors.New("the instance is not suspended")
	// ErrNotWaiting means that the event in the call is not an open operation of the right kind, or
	// the operation is not waiting. Nothing was sent.
	ErrNotWaiting = errors.New("the operation is not waiting")
	// ErrNoStore means that the client has no Store, so it cannot read instances.
	ErrNoStore = errors.New("turnstile: this client has no Store (on AWS: TURNSTILE_HISTORY_TABLE and TURNSTILE_INSTANCES_TABLE are not set): it can start instances and raise events, but cannot read instances")
	// ErrNoActivities means that the client has no store of activities, so it cannot read or change
	// the limits of activities. It also cannot read the state of a running activity beyond what the
	// history contains.
	ErrNoActivities = errors.New("turnstile: this client has no store of activities (client.Config.Activities)")
)

// NotFoundError is an [ErrNotFound] that names the instance.
type NotFoundError struct {
	Instance string `json:"instance"`
	// FreeAt is when the id can be reused if an instance with that id was purged; zero otherwise.
	FreeAt time.Time `json:"free_at,omitzero"`
}

func (e *NotFoundError) Error() string {
	if !e.FreeAt.IsZero() {
		return fmt.Sprintf("turnstile: instance %q has been purged; its id can be reused from %s", e.Instance, e.FreeAt.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("turnstile: there is no instance %q: it was not started (its start may still be queued), or it has been purged", e.Instance)
}

// Is reports true for [ErrNotFound].
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// PurgedError is returned if an instance with that id was purged and no instance can start under
// the id before FreeAt: 15 days after the purge, which is longer than any message for the purged
// instance lives. Nothing was sent.
type PurgedError struct {
	Instance string
	// FreeAt is when the id can be reused.
	FreeAt time.Time
}

func (e *PurgedError) Error() string {
	return fmt.Sprintf("turnstile: instance %q was purged, and its id can be reused from %s; choose another instance id", e.Instance, e.FreeAt.UTC().Format(time.RFC3339))
}

// Is reports true for [ErrPurged].
func (e *PurgedError) Is(target error) bool { return target == ErrPurged }

// AlreadyExistsError is returned if another start created the instance first, whether the instance
// still runs or has ended. This start changed nothing.
type AlreadyExistsError struct {
	Instance string
	// StartID is the start id of the start that created the instance.
	StartID string
	// Name is the orchestration that the other start started, Status the status of the instance.
	Name   string
	Status Status
}

func (e *AlreadyExistsError) Error() string {
	return fmt.Sprintf("turnstile: instance %q already exists: it was started as %s by start %q and is %s; choose another instance id, or use the existing instance", e.Instance, e.Name, e.StartID, e.Status)
}

// EndedError is returned if an instance has ended, so a cancel, a terminate or an event has no
// effect on it. Nothing was sent.
type EndedError struct {
	Instance string
	Status   Status
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("turnstile: instance %q has already ended (%s)", e.Instance, e.Status)
}

// StillRunningError is returned if an instance is still running: [Client.Purge] does not delete it
// without [Force], and [Client.Restart] does not restart it. Nothing was sent.
type StillRunningError struct {
	Instance string
	Status   Status

	restart bool
}

func (e *StillRunningError) Error() string {
	if e.restart {
		return fmt.Sprintf("turnstile: instance %q is still running (%s): wait for its end, or terminate it, before you restart it", e.Instance, e.Status)
	}
	return fmt.Sprintf("turnstile: instance %q is still running (%s): wait for its end, or use Force, which terminates it first", e.Instance, e.Status)
}

// WaitError is returned if the context of a wait ended before the instance did. It wraps the
// context's error. The wait can be repeated.
type WaitError struct {
	Instance string
	// Last is the last state that the wait read; nil if the instance has no record yet.
	Last *Description
	Err  error
}

func (e *WaitError) Error() string {
	state := "has not started"
	if e.Last != nil {
		state = "is " + string(e.Last.Status)
		if p := e.Last.Problem; p != nil {
			why := p.Message
			if !strings.HasPrefix(why, p.Kind+":") {
				why = p.Kind + ": " + why
			}
			state += " (" + why + ")"
		}
	}
	return fmt.Sprintf("turnstile: gave up waiting for instance %q, which %s: %v", e.Instance, state, e.Err)
}

// Unwrap returns [context.DeadlineExceeded] or [context.Canceled].
func (e *WaitError) Unwrap() error { return e.Err }

// Is reports true for [turnstile.ErrTimeout] if the deadline passed.
func (e *WaitError) Is(target error) bool {
	timeout, ok := e.Err.(interface{ Timeout() bool })
	return target == turnstile.ErrTimeout && ok && timeout.Timeout()
}

// OrchestrationError is the failure of an orchestration, as returned to a caller that waits for it.
type OrchestrationError struct {
	// Orchestration is the name of the orchestration, Instance its instance id.
	Orchestration string
	Instance      string
	// Kind distinguishes a failure from a cancelled ([turnstile.KindCancelled]) or terminated
	// ([turnstile.KindTerminated]) instance.
	Kind turnstile.FailureKind
	// Message of the error that the orchestration returned.
	Message string
	// Code of the error that the orchestration returned; may be empty.
	Code string
	// Source names the activity or orchestration that failed first.
	Source string
	// Attempt is the number of the last attempt of the activity whose error the orchestration returned;
	// 0 if it returned no activity's error.
	Attempt int
	// Retryable is true if another attempt could succeed: after an error or a timeout that was not
	// marked with [turnstile.NonRetryable]. Cancellation, termination, invalid input and similar
	// failures are final.
	Retryable bool
	// Stack of a panic; empty otherwise.
	Stack string
}

func (e *OrchestrationError) Error() string {
	kind := ""
	if e.Kind != turnstile.KindApplication {
		kind = " (" + string(e.Kind) + ")"
	}
	return fmt.Sprintf("orchestration %q (instance %q) failed%s: %s", e.Orchestration, e.Instance, kind, e.Message)
}

// Is reports true for [turnstile.ErrCancelled], [turnstile.ErrTerminated] or [turnstile.ErrTimeout],
// depending on Kind.
func (e *OrchestrationError) Is(target error) bool { return e.Kind.Is(target) }

// FailureCode returns Code, for turnstile.ErrorCode.
func (e *OrchestrationError) FailureCode() string { return e.Code }

func orchestrationError(d *Description) *OrchestrationError {
	f := d.Failure
	if f == nil {
		// Only the status is known: report that.
		kind := history.FailureApplication
		if d.Status == StatusCancelled || d.Status == StatusTerminated {
			kind = string(d.Status)
		}
		f = &history.Failure{Kind: kind, Message: "the record has no failure"}
	}
	return &OrchestrationError{
		Orchestration: d.Name, Instance: d.Instance, Kind: turnstile.FailureKind(f.Kind), Message: f.Message,
		Code: f.Code, Source: f.Source, Attempt: f.Attempt, Retryable: f.Retryable, Stack: strings.TrimSpace(f.Stack),
	}
}

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

// Errors of a [Client] to test with errors.Is.
var (
	// ErrNotFound: the instance does not exist, or was purged. A start
	// that is still queued is not found either.
	ErrNotFound = store.ErrNotFound
	// ErrPurged: an instance of that id was purged, and the id is not free again
	// yet. [*PurgedError] says when it is.
	ErrPurged = errors.New("the instance was purged, and its id is not free yet")
	// ErrNoRecord: the item was sent, but the instance has no record yet. If its start is
	// queued, the item takes effect after it; otherwise it has no effect.
	ErrNoRecord = errors.New("sent, but the instance has no record yet")
	// ErrNotSuspended: [Client.Reschedule] of an instance that is neither scheduled nor
	// suspended. Nothing was sent.
	ErrNotSuspended = errors.New("the instance is not suspended")
	// ErrNotWaiting: [Client.FireTimer] of an event that is no open timer, or [Client.RetryNow] of
	// one that is no activity whose retry waits. Nothing was sent.
	ErrNotWaiting = errors.New("nothing waits there")
	// ErrNoStore: the client has no Store, so it cannot read instances.
	ErrNoStore = errors.New("turnstile: this client has no Store (on AWS: no TURNSTILE_HISTORY_TABLE and TURNSTILE_INSTANCES_TABLE): it can start instances and raise events, and cannot read them")
	// ErrNoActivities: the client has no store of activities, so it cannot read what is
	// known of a running activity outside its history.
	ErrNoActivities = errors.New("turnstile: this client was not given the store of activities (client.Config.Activities)")
)

// NotFoundError is an [ErrNotFound] that names the instance.
type NotFoundError struct {
	Instance string
	// FreeAt is, where an instance of that id was purged, when the id may be started
	// again; zero else.
	FreeAt time.Time
}

func (e *NotFoundError) Error() string {
	if !e.FreeAt.IsZero() {
		return fmt.Sprintf("turnstile: instance %q has been purged; its id is free again at %s", e.Instance, e.FreeAt.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("turnstile: there is no instance %q: it was not started (a start may still be queued) or it has been purged", e.Instance)
}

// Is makes it an [ErrNotFound].
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// PurgedError says that an instance of that id was purged, and that nothing begins
// under its id before FreeAt: 15 days after the purge, longer than any message for
// the purged instance lives. Nothing was sent.
type PurgedError struct {
	Instance string
	// FreeAt is when the id may be started again.
	FreeAt time.Time
}

func (e *PurgedError) Error() string {
	return fmt.Sprintf("turnstile: instance %q was purged, and its id is free again at %s; choose another instance id", e.Instance, e.FreeAt.UTC().Format(time.RFC3339))
}

// Is makes it an [ErrPurged].
func (e *PurgedError) Is(target error) bool { return target == ErrPurged }

// AlreadyExistsError says that another start of the instance was first,
// whether it still runs or has ended. Nothing was changed by this one.
type AlreadyExistsError struct {
	Instance string
	// StartID of the start that won.
	StartID string
	// Name of the orchestration that it started, and its status.
	Name   string
	Status Status
}

func (e *AlreadyExistsError) Error() string {
	return fmt.Sprintf("turnstile: instance %q already exists: it was started as %s by start %q and is %s; choose another instance id, or use that one", e.Instance, e.Name, e.StartID, e.Status)
}

// EndedError says that an instance has ended, so that a cancel, a terminate or an
// event has no effect on it. Nothing was sent.
type EndedError struct {
	Instance string
	Status   Status
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("turnstile: instance %q has ended already (%s)", e.Instance, e.Status)
}

// StillRunningError says that a running instance is not purged without [Force], and not
// begun again by [Client.Rerun]. Nothing was sent.
type StillRunningError struct {
	Instance string
	Status   Status

	rerun bool
}

func (e *StillRunningError) Error() string {
	if e.rerun {
		return fmt.Sprintf("turnstile: instance %q is still running (%s): wait for its end, or terminate it, before it begins again", e.Instance, e.Status)
	}
	return fmt.Sprintf("turnstile: instance %q is still running (%s): wait for its end, or force the purge, which terminates it first", e.Instance, e.Status)
}

// WaitError says that an instance had not ended when the context of the wait
// did. It wraps the context's error; waiting can begin again.
type WaitError struct {
	Instance string
	// Last is how the instance was last seen; nil if it has no record yet.
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

// Is makes a deadline that passed a [turnstile.ErrTimeout].
func (e *WaitError) Is(target error) bool {
	timeout, ok := e.Err.(interface{ Timeout() bool })
	return target == turnstile.ErrTimeout && ok && timeout.Timeout()
}

// OrchestrationError is the failure of an orchestration, as whoever waits for
// it sees it.
type OrchestrationError struct {
	// Orchestration is its name, Instance its instance id.
	Orchestration string
	Instance      string
	// Kind tells a failure from a cancelled ([turnstile.KindCancelled]) or
	// terminated ([turnstile.KindTerminated]) instance.
	Kind turnstile.FailureKind
	// Message of the error that it returned.
	Message string
	// Code of the error that it returned; may be empty.
	Code string
	// Source names the activity or orchestration that failed first.
	Source string
	// Attempt is the number of the last attempt of the activity whose error it
	// returned; 0 if it returned none.
	Attempt int
	// Retryable says whether the failure is open to another attempt: an error, or
	// a timeout, that nobody marked with [turnstile.NonRetryable]. A cancel, a
	// terminate, an input that cannot be taken and the like are final.
	Retryable bool
	// Stack of a panic.
	Stack string
}

func (e *OrchestrationError) Error() string {
	kind := ""
	if e.Kind != turnstile.KindApplication {
		kind = " (" + string(e.Kind) + ")"
	}
	return fmt.Sprintf("orchestration %q (instance %q) failed%s: %s", e.Orchestration, e.Instance, kind, e.Message)
}

// Is makes it a [turnstile.ErrCancelled], a [turnstile.ErrTerminated] or a
// [turnstile.ErrTimeout] by its kind.
func (e *OrchestrationError) Is(target error) bool { return e.Kind.Is(target) }

// FailureCode returns Code: turnstile.ErrorCode finds it so.
func (e *OrchestrationError) FailureCode() string { return e.Code }

func orchestrationError(d *Description) *OrchestrationError {
	f := d.Failure
	if f == nil {
		// The status alone is known: say so rather than nothing.
		kind := history.FailureApplication
		if d.Status == StatusCancelled || d.Status == StatusTerminated {
			kind = string(d.Status)
		}
		f = &history.Failure{Kind: kind, Message: "the record holds no failure"}
	}
	return &OrchestrationError{
		Orchestration: d.Name, Instance: d.Instance, Kind: turnstile.FailureKind(f.Kind), Message: f.Message,
		Code: f.Code, Source: f.Source, Attempt: f.Attempt, Retryable: f.Retryable, Stack: strings.TrimSpace(f.Stack),
	}
}

package turnstile

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// FailureKind is the reason for a failure as one word.
type FailureKind string

// These are the kinds of failure, as histories record them.
const (
	// KindApplication means that the author's code returned an error.
	KindApplication FailureKind = history.FailureApplication
	// KindPanic means that an activity, or an orchestration with [FailWhenStuck], panicked.
	KindPanic FailureKind = history.FailurePanic
	// KindTimeout means that an attempt exceeded its AttemptTimeout, or that the timeout of a wait
	// or a scope expired.
	KindTimeout FailureKind = history.FailureTimeout
	// KindTotalTimeout means that an activity exceeded its TotalTimeout.
	KindTotalTimeout FailureKind = history.FailureTotalTimeout
	// KindHeartbeatTimeout means that an attempt sent no heartbeat for longer than its
	// HeartbeatTimeout.
	KindHeartbeatTimeout FailureKind = history.FailureHeartbeatTimeout
	// KindInterrupted means that the worker died during an attempt of an AtMostOnce activity.
	KindInterrupted FailureKind = history.FailureInterrupted
	// KindCancelled means that the operation or the instance was itself cancelled. An orchestration
	// that only returns the error of another cancellation has KindApplication.
	KindCancelled FailureKind = history.FailureCancelled
	// KindTerminated means that the instance was terminated.
	KindTerminated FailureKind = history.FailureTerminated
	// KindLost means that the worker died during every delivery of the activity.
	KindLost FailureKind = history.FailureLost
	// KindNotRegistered means that an inline activity is not registered in the build that runs the
	// orchestration. An activity that runs on a worker waits instead, until a build registers it or
	// its TotalTimeout expires.
	KindNotRegistered FailureKind = history.FailureNotRegistered
	// KindAlreadyExists means that the instance id of a child is already in use.
	KindAlreadyExists FailureKind = history.FailureAlreadyExists
	// KindPurged means that the instance id of a child belonged to a purged instance. The id can be
	// used again 15 days after the purge; the message has the date.
	KindPurged FailureKind = history.FailurePurged
	// KindTooLarge means that a result exceeds its limit.
	KindTooLarge FailureKind = history.FailureTooLarge
	// KindInvalidInput means that the input cannot be decoded into the implementation's type.
	KindInvalidInput FailureKind = history.FailureInvalidInput
	// KindLimit means that the instance exceeded a limit.
	KindLimit FailureKind = history.FailureLimit
	// KindStuck means that [FailWhenStuck] ended the instance for a reason other than a panic.
	KindStuck FailureKind = history.FailureStuck
)

// ActivityError is the failure of an activity, after its last attempt.
type ActivityError struct {
	// Activity is the activity's name.
	Activity string
	// EventID is the id of its ActivityScheduled event in the history.
	EventID int64
	Kind    FailureKind
	// Attempt is the number of the last attempt; 0 if there was none.
	Attempt int
	// Message is the message of the activity's own error.
	Message string
	// Code is the code that the activity gave the error ([WithCode]); may be empty.
	Code string
	// Retryable is true if the failure permitted another attempt: it was not marked with
	// NonRetryable, and RetryPolicy.NonRetryableCodes does not list its code.
	Retryable bool
	// Stack is the stack trace of a panic.
	Stack string

	failure history.Failure
}

func (e *ActivityError) Error() string {
	text := fmt.Sprintf("activity %q failed", e.Activity)
	if e.Attempt > 1 {
		text += fmt.Sprintf(" on attempt %d", e.Attempt)
	}
	return text + ofKind(e.Kind) + ": " + e.Message
}

// Is reports whether target is [ErrCancelled] or [ErrTimeout] and matches the Kind. All three kinds
// of timeout are an [ErrTimeout].
func (e *ActivityError) Is(target error) bool { return e.Kind.Is(target) }

// Failure returns the failure that is recorded if an orchestration returns the error.
func (e *ActivityError) Failure() *history.Failure { return sourced(e.failure, e.Activity) }

// ChildError is the failure of a sub-orchestration.
type ChildError struct {
	// Orchestration is the child's name, Instance its instance id.
	Orchestration string
	Instance      string
	// EventID is the id of its SubOrchestrationScheduled event in the history.
	EventID int64
	// Kind is KindCancelled or KindTerminated if the child was cancelled or terminated,
	// KindAlreadyExists or KindPurged if its id is in use or belongs to a purged instance, and
	// another kind if the child failed.
	Kind FailureKind
	// Message is the message of the child's failure.
	Message string
	// Code is the code of the error that the child returned; may be empty.
	Code string
	// Source is the name of the activity or orchestration that failed first.
	Source string
	// Attempt is the number of the last attempt of the activity whose error the child returned; 0
	// if the child returned no activity's error.
	Attempt int
	// Retryable is true if the failure permits another attempt. It is false if the error was marked
	// with [NonRetryable], or if the child returned the error of an activity that was not retried
	// for that reason.
	Retryable bool

	failure history.Failure
}

func (e *ChildError) Error() string {
	return fmt.Sprintf("sub-orchestration %q (instance %q) failed%s: %s", e.Orchestration, e.Instance, ofKind(e.Kind), e.Message)
}

// Is reports whether target is [ErrCancelled], [ErrTerminated] or [ErrTimeout] and matches the
// Kind.
func (e *ChildError) Is(target error) bool { return e.Kind.Is(target) }

// Failure returns the failure that is recorded if an orchestration returns the error.
func (e *ChildError) Failure() *history.Failure { return sourced(e.failure, e.Orchestration) }

func sourced(f history.Failure, source string) *history.Failure {
	if f.Source == "" {
		f.Source = source
	}
	return &f
}

func ofKind(kind FailureKind) string {
	if kind == KindApplication {
		return ""
	}
	return " (" + string(kind) + ")"
}

// Is reports whether a failure of this kind matches target: [ErrCancelled], [ErrTerminated] or
// [ErrTimeout]. All three kinds of timeout are an [ErrTimeout].
func (kind FailureKind) Is(target error) bool {
	switch target {
	case ErrCancelled:
		return kind == KindCancelled
	case ErrTerminated:
		return kind == KindTerminated
	case ErrTimeout:
		return kind == KindTimeout || kind == KindTotalTimeout || kind == KindHeartbeatTimeout
	}
	return false
}

// explain converts an engine failure to the exported error type of its operation. Other errors are
// returned unchanged.
func explain(err error, kind subject, name, instance string) error {
	failure, ok := errors.AsType[*engine.FailureError](err)
	if !ok {
		return err
	}
	f := failure.Failure
	switch kind {
	case ofActivity:
		return &ActivityError{
			Activity: name, EventID: failure.EventID, Kind: FailureKind(f.Kind), Attempt: f.Attempt,
			Message: f.Message, Code: f.Code, Retryable: f.Retryable, Stack: f.Stack, failure: f,
		}
	case ofChild:
		if instance == "" {
			instance = f.Instance
		}
		return &ChildError{
			Orchestration: name, Instance: instance, EventID: failure.EventID, Kind: FailureKind(f.Kind),
			Message: f.Message, Code: f.Code, Source: f.Source, Attempt: f.Attempt, Retryable: f.Retryable, failure: f,
		}
	}
	return err
}

// explainAmong is explain for the error of one of several futures.
func explainAmong[F Awaitable](err error, futures []F) error {
	if failure, ok := errors.AsType[*engine.FailureError](err); ok {
		for _, f := range futures {
			if f.operation().EventID() == failure.EventID {
				return f.explain(err)
			}
		}
	}
	return err
}

// recordedError is an author's error together with the failure that is recorded for it.
type recordedError struct {
	err     error
	failure history.Failure
}

func (e *recordedError) Error() string             { return e.err.Error() }
func (e *recordedError) Unwrap() error             { return e.err }
func (e *recordedError) Failure() *history.Failure { f := e.failure; return &f }

// recordable returns an error whose recorded failure has the whole text of err, such as "charging
// order 7: activity "Charge" failed", if err wraps or joins errors that have failures of their own.
func recordable(err error) error {
	f := marks.Of(err).Failure
	if f == nil {
		return err
	}
	f.Message = err.Error()
	return &recordedError{err: err, failure: *f}
}

func failureOfPayload(err error) history.Failure {
	f := history.Failure{Kind: history.FailureApplication, Message: err.Error()}
	if _, ok := errors.AsType[*PayloadTooLargeError](err); ok {
		f.Kind = history.FailureTooLarge
	}
	return f
}

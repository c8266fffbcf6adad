package turnstile

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// FailureKind says in one word why something failed.
type FailureKind string

// The kinds of failure. They stand in histories.
const (
	// KindApplication is an error that the author's code returned.
	KindApplication FailureKind = history.FailureApplication
	// KindPanic is a panic in an activity, or in an orchestration that fails
	// by FailWhenStuck.
	KindPanic FailureKind = history.FailurePanic
	// KindTimeout is an attempt out of time (AttemptTimeout), a wait, or a
	// scope.
	KindTimeout FailureKind = history.FailureTimeout
	// KindTotalTimeout is an activity not done within its TotalTimeout.
	KindTotalTimeout FailureKind = history.FailureTotalTimeout
	// KindHeartbeatTimeout is an attempt without a heartbeat for longer than
	// its HeartbeatTimeout.
	KindHeartbeatTimeout FailureKind = history.FailureHeartbeatTimeout
	// KindInterrupted is an attempt, of an activity that runs AtMostOnce, in
	// which a worker died.
	KindInterrupted FailureKind = history.FailureInterrupted
	// KindCancelled is the end of who was itself cancelled. An orchestration that
	// only returns the error of another one's cancellation has KindApplication.
	KindCancelled FailureKind = history.FailureCancelled
	// KindTerminated is an end by terminate.
	KindTerminated FailureKind = history.FailureTerminated
	// KindLost is an activity whose worker died on every delivery.
	KindLost FailureKind = history.FailureLost
	// KindNotRegistered is an inline activity that the build which runs the
	// orchestration does not know. One that goes to a worker waits until a build
	// has it, or until its TotalTimeout.
	KindNotRegistered FailureKind = history.FailureNotRegistered
	// KindAlreadyExists is a child whose instance id is taken.
	KindAlreadyExists FailureKind = history.FailureAlreadyExists
	// KindPurged is a child whose instance id belonged to a purged instance: it is
	// free again 15 days after the purge, as the message says.
	KindPurged FailureKind = history.FailurePurged
	// KindTooLarge is a result over its limit.
	KindTooLarge FailureKind = history.FailureTooLarge
	// KindInvalidInput is an input that the implementation's type cannot take.
	KindInvalidInput FailureKind = history.FailureInvalidInput
	// KindLimit is an end imposed by a limit.
	KindLimit FailureKind = history.FailureLimit
	// KindStuck is an end by FailWhenStuck for another reason than a panic.
	KindStuck FailureKind = history.FailureStuck
)

// ActivityError is the failure of an activity, after its last attempt.
type ActivityError struct {
	// Activity is its name.
	Activity string
	// EventID of its ActivityScheduled in the history.
	EventID int64
	Kind    FailureKind
	// Attempt is the number of the last attempt; 0 if there was none.
	Attempt int
	// Message of the activity's own error.
	Message string
	// Code that the activity gave it (WithCode); may be empty.
	Code string
	// Retryable says whether the failure was open to another attempt.
	Retryable bool
	// Stack of a panic.
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

// Is makes it an [ErrCancelled] or an [ErrTimeout] by its kind; all three kinds
// of timeout are one.
func (e *ActivityError) Is(target error) bool { return e.Kind.Is(target) }

// Failure says how it is recorded if an orchestration returns it.
func (e *ActivityError) Failure() *history.Failure { return sourced(e.failure, e.Activity) }

// ChildError is the failure of a sub-orchestration.
type ChildError struct {
	// Orchestration is its name, Instance its instance id.
	Orchestration string
	Instance      string
	// EventID of its SubOrchestrationScheduled in the history.
	EventID int64
	// Kind tells a failure from a cancelled (KindCancelled) or terminated
	// (KindTerminated) child, and from an id that was taken
	// (KindAlreadyExists) or belongs to a purged instance (KindPurged).
	Kind FailureKind
	// Message of the child's failure.
	Message string
	// Code of the error that it returned; may be empty.
	Code string
	// Source names the activity or orchestration that failed first.
	Source string
	// Attempt is the number of the last attempt of the activity whose error the
	// child returned; 0 if it returned none.
	Attempt int
	// Retryable says whether the failure is open to another attempt: not if it was marked with
	// NonRetryable, or if the activity whose error the child returned was not retried for that.
	Retryable bool

	failure history.Failure
}

func (e *ChildError) Error() string {
	return fmt.Sprintf("sub-orchestration %q (instance %q) failed%s: %s", e.Orchestration, e.Instance, ofKind(e.Kind), e.Message)
}

// Is makes it an [ErrCancelled], an [ErrTerminated] or an [ErrTimeout] by its
// kind.
func (e *ChildError) Is(target error) bool { return e.Kind.Is(target) }

// Failure says how it is recorded if an orchestration returns it.
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

// Is reports whether a failure of this kind is target: [ErrCancelled],
// [ErrTerminated] or [ErrTimeout], which all three kinds of timeout are.
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

// explain gives a failure as the engine has it the type that authors act on.
// Other errors stay what they are.
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

// explainAmong is explain for an error of one of several futures.
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

// recordedError is an author's error together with how it is recorded.
type recordedError struct {
	err     error
	failure history.Failure
}

func (e *recordedError) Error() string             { return e.err.Error() }
func (e *recordedError) Unwrap() error             { return e.err }
func (e *recordedError) Failure() *history.Failure { f := e.failure; return &f }

// recordable lets an error that wraps, or joins, some with failures of their own be
// recorded with its whole text: "charging order 7: activity "Charge" failed".
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

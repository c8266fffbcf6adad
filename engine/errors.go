package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/near"
)

// Errors that durable calls return. They may be wrapped; test for them with errors.Is.
var (
	// ErrCancelled means that the operation, its scope or the instance was cancelled.
	ErrCancelled = errors.New("cancelled")
	// ErrTimeout means that the timeout of a scope was exceeded.
	ErrTimeout = errors.New("out of time")
	// ErrUnwinding is the error of a durable call in a deferred function while the coroutine is
	// unwound, or during a panic or runtime.Goexit. Nothing is recorded.
	ErrUnwinding = errors.New("durable call in a deferred function while the orchestration is unwound or panics; nothing is recorded; clean up where a call returns an error, not in a deferred function")
	// ErrNested is the error of a durable call inside a side effect or an inline activity.
	ErrNested = errors.New("durable call inside code that must not make one; nothing is recorded")
	// ErrNotRunning is the error of a durable call that another goroutine makes, or whose context
	// belongs to an orchestration that is not running.
	ErrNotRunning = errors.New("durable call outside the running orchestration; make it in the orchestration, on its own goroutine, with its own Context")
	// ErrNothingToWaitFor is the error of a Select or Any without operations.
	ErrNothingToWaitFor = errors.New("nothing to wait for: at least one operation is required")
	// ErrForeignFuture is the error of a call with a future of a different execution.
	ErrForeignFuture = errors.New("a Future of another instance or execution; await it in the one that started it")
)

// MisuseError reports a call that is a mistake in the program, whatever the data. Calls
// that return an error return it; others panic with it. Nothing is recorded for the call.
type MisuseError struct {
	// Call is the durable call: "activity Charge", "Await".
	Call string
	// Inside names the code that made the call, for an ErrNested: `side effect "rate"`,
	// `inline activity "Charge"`.
	Inside string
	// Problem says what is wrong and what to do instead.
	Problem string
	// Err is ErrNested, ErrNotRunning or ErrForeignFuture; nil for all other mistakes.
	Err error
}

// nestedIn returns the error for a durable call inside code that must not make one.
func nestedIn(call, inside string) *MisuseError {
	return &MisuseError{Call: call, Inside: inside, Err: ErrNested,
		Problem: fmt.Sprintf("%s inside %s: %v; make the call in the orchestration, before or after it", call, inside, ErrNested)}
}

func foreignFuture(call string) *MisuseError {
	return &MisuseError{Call: call, Err: ErrForeignFuture, Problem: call + ": " + ErrForeignFuture.Error()}
}

func (e *MisuseError) Error() string {
	if e.Err != nil { // The problem starts with the call.
		return "turnstile: " + e.Problem
	}
	return "turnstile: " + e.Call + ": " + e.Problem
}

// Unwrap returns Err.
func (e *MisuseError) Unwrap() error { return e.Err }

// Plain returns the text, which does not quote a payload.
func (e *MisuseError) Plain() string { return e.Error() }

// Failure returns a final failure, because another attempt would run the same code.
func (e *MisuseError) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: e.Error()}
}

// CancelledError is an ErrCancelled or ErrTimeout with its reason.
type CancelledError struct {
	// What was cancelled: "activity Charge (event 5)", "scope", "instance".
	What string
	// Reason that the caller gave; may be empty.
	Reason string
	// Timeout is set if a timeout cancelled the scope. The error is then an ErrTimeout,
	// not an ErrCancelled.
	Timeout bool
}

func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return e.What + " was cancelled"
	}
	return e.What + " was cancelled: " + e.Reason
}

// Is matches ErrTimeout if Timeout is set, and ErrCancelled otherwise.
func (e *CancelledError) Is(target error) bool {
	if e.Timeout {
		return target == ErrTimeout
	}
	return target == ErrCancelled
}

// of returns the same cancellation for another operation.
func (e *CancelledError) of(what string) *CancelledError {
	return &CancelledError{What: what, Reason: e.Reason, Timeout: e.Timeout}
}

// FailureError is the recorded failure of an activity or a child.
type FailureError struct {
	// What failed: "activity Charge", "sub-orchestration Ship".
	What string
	// EventID of the scheduling event.
	EventID int64
	Failure history.Failure
}

func (e *FailureError) Error() string {
	return fmt.Sprintf("%s failed (%s): %s", e.What, e.Failure.Kind, e.Failure.Message)
}

// Is matches ErrCancelled if the child or activity ended as cancelled.
func (e *FailureError) Is(target error) bool {
	return target == ErrCancelled && e.Failure.Kind == history.FailureCancelled
}

// RecordedFailure returns Failure. An error that wraps e keeps its code, details and
// finality (see package marks).
func (e *FailureError) RecordedFailure() *history.Failure { return &e.Failure }

// notRegisteredError is returned if this build has no orchestration with this name or version.
type notRegisteredError struct {
	Name, Version string
	Registered    []string
}

func (e *notRegisteredError) Error() string {
	what := fmt.Sprintf("orchestration %q", e.Name)
	if e.Version != "" {
		what += fmt.Sprintf(" version %q", e.Version)
	}
	list := strings.Join(e.Registered, ", ")
	if list == "" {
		list = "nothing"
	}
	return fmt.Sprintf("%s is not registered in this build (registered: %s)%s; deploy a build that has it", what, list, near.Hint(e.Name, e.names()))
}

// names returns the registered names without their versions.
func (e *notRegisteredError) names() []string {
	all := make([]string, len(e.Registered))
	for i, r := range e.Registered {
		all[i], _, _ = strings.Cut(r, "@")
	}
	return all
}

// CorruptionError is returned if recorded events cannot form a history. The orchestration's code
// never causes this error, and a nondeterminism error never hides it (rule 5).
type CorruptionError struct {
	Instance    string
	ExecutionID int64
	// EventID of the event that cannot follow the events before it.
	EventID int64
	Reason  string
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("history of instance %q execution %d is corrupt at event %d: %s", e.Instance, e.ExecutionID, e.EventID, e.Reason)
}

// NondeterminismError is returned if the code disagrees with the history.
type NondeterminismError struct {
	Instance    string
	ExecutionID int64
	// EventID of the first event on which they disagree.
	EventID int64
	// Rule of docs/design.md that is violated: 3 (an operation does not match), 4
	// (unclaimed events, or a different end), 9 (strict mode).
	Rule int
	// Recorded describes the event in the history, Attempted what the code did.
	Recorded, Attempted string
	// Location is file:line of the call in the author's code, or of the wait if the code
	// made no call; empty if the code ended.
	Location string
}

func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("nondeterminism in instance %q execution %d at event %d: history has %s, the code%s %s; deploy code that agrees with the history",
		e.Instance, e.ExecutionID, e.EventID, e.Recorded, at(e.Location), e.Attempted)
}

// at returns " at " and the place, or "" if the place is not known.
func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// StuckKind is the kind of reason for which an execution is stuck.
type StuckKind string

// The reasons for being stuck, also used in store.Problem.Kind.
const (
	StuckNondeterminism StuckKind = "nondeterminism"
	StuckPanic          StuckKind = "panic"
	StuckNotRegistered  StuckKind = "not_registered"
	StuckBlocked        StuckKind = "blocked"
	StuckDeadlock       StuckKind = "deadlock"
	StuckLimit          StuckKind = "limit"
)

// StuckError describes why the code of an execution cannot continue (rule 11).
type StuckError struct {
	Kind        StuckKind
	Instance    string
	ExecutionID int64
	// EventID of the arrival that the code was visiting, or of the event that it failed
	// to claim.
	EventID int64
	Message string
	// Stack of the panic or of the blocked goroutine.
	Stack string
	// Patch names the patch that explains a nondeterminism; other builds may agree with the
	// history. Either the history has the marker of the patch at the event, and this code did not
	// ask for it; or this code asked for the patch in a recorded round that has no marker, perhaps
	// because code that had retired the patch recorded it. If the history has the decision about an
	// update for which this code has no handler, Patch is "update " and the name of the update.
	Patch string
	// Err is the cause, if there is one: a *NondeterminismError, or that nothing is registered.
	Err error
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("instance %q execution %d is stuck at event %d (%s): %s", e.Instance, e.ExecutionID, e.EventID, e.Kind, e.Message)
}

func (e *StuckError) Unwrap() error { return e.Err }

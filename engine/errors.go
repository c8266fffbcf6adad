package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/near"
)

// Errors that durable calls return; wrapped, test with errors.Is.
var (
	// ErrCancelled: the operation, its scope or the instance was cancelled.
	ErrCancelled = errors.New("cancelled")
	// ErrTimeout: the time of a scope was over.
	ErrTimeout = errors.New("out of time")
	// ErrUnwinding: a durable call in a deferred function while the coroutine
	// is being unwound at the end of a turn, or while a panic or
	// runtime.Goexit is under way. Nothing is recorded.
	ErrUnwinding = errors.New("durable call in a deferred function while the orchestration is put away or panics, nothing is recorded; clean up after an error instead")
	// ErrNested: a durable call inside a side effect or an inline activity.
	ErrNested = errors.New("durable call inside code that must not make one; nothing is recorded for it")
	// ErrNotRunning: a durable call on a context whose orchestration is not
	// running now: from another goroutine, or after the orchestration ended.
	ErrNotRunning = errors.New("durable call while this orchestration does not run its code; make it in the orchestration, on its own goroutine, with the Context that it was given")
	// ErrNothingToWaitFor: Select or Any over nothing.
	ErrNothingToWaitFor = errors.New("nothing to wait for: no operations given, where one at least is needed")
	// ErrForeignFuture: a future of another execution.
	ErrForeignFuture = errors.New("a Future of another instance or execution; await it in the one that started it")
)

// MisuseError says that a call is a mistake in the program, whatever the data. A call that
// has an error returns it, and nothing was recorded for the call; any other panics with it.
type MisuseError struct {
	// Call that was made: "activity Charge", "Await".
	Call string
	// Inside which code, for an ErrNested: `side effect "rate"`, `inline activity "Charge"`.
	Inside string
	// Problem, and what to do instead.
	Problem string
	// Err is an ErrNested, an ErrNotRunning or an ErrForeignFuture; nil for all other
	// mistakes.
	Err error
}

// nestedIn is the misuse of a durable call inside code that must not make one.
func nestedIn(call, inside string) *MisuseError {
	return &MisuseError{Call: call, Inside: inside, Err: ErrNested,
		Problem: fmt.Sprintf("%s inside %s: %v; make the call in the orchestration, before or after it", call, inside, ErrNested)}
}

func foreignFuture(call string) *MisuseError {
	return &MisuseError{Call: call, Err: ErrForeignFuture, Problem: call + ": " + ErrForeignFuture.Error()}
}

func (e *MisuseError) Error() string {
	if e.Err != nil { // Its text begins with the call.
		return "turnstile: " + e.Problem
	}
	return "turnstile: " + e.Call + ": " + e.Problem
}

// Unwrap returns Err.
func (e *MisuseError) Unwrap() error { return e.Err }

// Plain returns the text, which quotes no payload.
func (e *MisuseError) Plain() string { return e.Error() }

// Failure records it as final: another attempt would meet the same code.
func (e *MisuseError) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: e.Error()}
}

// CancelledError is an ErrCancelled with its reason.
type CancelledError struct {
	// What was cancelled: "activity Charge (event 5)", "scope", "instance".
	What string
	// Reason that was given; may be empty.
	Reason string
	// Timeout is set if the time of a scope was over: then it is an ErrTimeout
	// and no ErrCancelled.
	Timeout bool
}

func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return e.What + " was cancelled"
	}
	return e.What + " was cancelled: " + e.Reason
}

// Is makes it an ErrCancelled, or an ErrTimeout if the time of its scope was
// over.
func (e *CancelledError) Is(target error) bool {
	if e.Timeout {
		return target == ErrTimeout
	}
	return target == ErrCancelled
}

// of returns the same cancellation of something else.
func (e *CancelledError) of(what string) *CancelledError {
	return &CancelledError{What: what, Reason: e.Reason, Timeout: e.Timeout}
}

// FailureError is a recorded failure of an activity or a child.
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

// Is makes a child or an activity that ended as cancelled an ErrCancelled.
func (e *FailureError) Is(target error) bool {
	return target == ErrCancelled && e.Failure.Kind == history.FailureCancelled
}

// RecordedFailure returns Failure: code, details and finality are marks of an error
// that wraps it.
func (e *FailureError) RecordedFailure() *history.Failure { return &e.Failure }

// NotRegisteredError says that a name or version is unknown to this build.
type NotRegisteredError struct {
	Name, Version string
	Registered    []string
}

func (e *NotRegisteredError) Error() string {
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

// names are those that are registered, without their versions.
func (e *NotRegisteredError) names() []string {
	all := make([]string, len(e.Registered))
	for i, r := range e.Registered {
		all[i], _, _ = strings.Cut(r, "@")
	}
	return all
}

// CorruptionError says that recorded events can't be a history. It is never
// the fault of the code, and never shadowed by nondeterminism (rule 5).
type CorruptionError struct {
	Instance    string
	ExecutionID int64
	// EventID of the event that can't stand where it is.
	EventID int64
	Reason  string
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("history of instance %q execution %d is corrupt at event %d: %s", e.Instance, e.ExecutionID, e.EventID, e.Reason)
}

// NondeterminismError says that code and history disagree.
type NondeterminismError struct {
	Instance    string
	ExecutionID int64
	// EventID at which they part.
	EventID int64
	// Rule of docs/design.md that is broken: 3 (a claim does not match), 4
	// (left-over events or another end), 9 (strict mode).
	Rule int
	// Recorded is what history has, Attempted what the code did.
	Recorded, Attempted string
	// Location is file:line of the call in the author's code, or of where it
	// waits in place of making one; empty where it has ended.
	Location string
}

func (e *NondeterminismError) Error() string {
	return fmt.Sprintf("nondeterminism in instance %q execution %d at event %d: history has %s, the code%s %s; deploy code that agrees with the history",
		e.Instance, e.ExecutionID, e.EventID, e.Recorded, at(e.Location), e.Attempted)
}

// at names a place, if it is known.
func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// StuckKind says why an execution is stuck.
type StuckKind string

// The reasons for being stuck. They stand in store.Problem.Kind too.
const (
	StuckNondeterminism StuckKind = "nondeterminism"
	StuckPanic          StuckKind = "panic"
	StuckNotRegistered  StuckKind = "not_registered"
	StuckBlocked        StuckKind = "blocked"
	StuckDeadlock       StuckKind = "deadlock"
	StuckLimit          StuckKind = "limit"
)

// StuckError is why the code of an execution can't go on (rule 11).
type StuckError struct {
	Kind        StuckKind
	Instance    string
	ExecutionID int64
	// EventID of the arrival whose visit, or the event whose claim, failed.
	EventID int64
	Message string
	// Stack of the panic or of the blocked goroutine.
	Stack string
	// Patch is set on a nondeterminism that may be none to another build, and
	// names the patch: its marker stands where code and history part, and this
	// code did not ask for it; or this code asked for it in a recorded round
	// that has no marker, as one has none that was recorded by code which has
	// retired the patch.
	Patch string
	// Err is the cause where there is one: *NondeterminismError,
	// *NotRegisteredError.
	Err error
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("instance %q execution %d is stuck at event %d (%s): %s", e.Instance, e.ExecutionID, e.EventID, e.Kind, e.Message)
}

func (e *StuckError) Unwrap() error { return e.Err }

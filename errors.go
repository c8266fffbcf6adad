package turnstile

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// These errors are returned by durable calls and by a client's Wait. Test for them with errors.Is.
var (
	// ErrCancelled means that the operation, its scope or the instance was cancelled. An
	// orchestration that returns it, wrapped or not, has the status cancelled if the instance
	// itself was cancelled, and failed otherwise.
	ErrCancelled = engine.ErrCancelled
	// ErrTimeout matches a *TimeoutError, an activity or a child that failed because of a timeout,
	// and the *CancelledError of a scope whose timeout expired.
	ErrTimeout = engine.ErrTimeout
	// ErrTerminated means that the instance or the child was terminated.
	ErrTerminated = errors.New("terminated")
	// ErrNothingToWaitFor is returned by Select and Any if they are called without operations.
	ErrNothingToWaitFor = engine.ErrNothingToWaitFor
	// ErrNested is wrapped by the *MisuseError of a durable call inside a side effect or an inline
	// activity.
	ErrNested = engine.ErrNested
	// ErrNotRunning is wrapped by the *MisuseError of a durable call on a context whose
	// orchestration is not running at that moment: after it has ended, or from another goroutine.
	// On AWS only the first case is always detected: a goroutine that makes durable calls can crash
	// the process. Package embedded detects both.
	ErrNotRunning = engine.ErrNotRunning
	// ErrForeignFuture is wrapped by the *MisuseError of a call with a Future of another instance,
	// or of another execution.
	ErrForeignFuture = engine.ErrForeignFuture
	// ErrUnwinding is returned by a durable call in a deferred function while the orchestration is
	// unloaded at the end of a turn, or during a panic. Nothing was recorded.
	ErrUnwinding = engine.ErrUnwinding
	// ErrPending is returned by an activity that has passed on its
	// ActivityInfo(ctx).CompletionToken, for example to a person, to another service, or to a job
	// that takes hours. The attempt ends, and no process waits for the result. The holder of the
	// token completes or fails the activity (client.Complete, client.Client.Fail). [TotalTimeout]
	// limits the time until then, and [HeartbeatTimeout] limits the time between two calls of
	// client.Client.Heartbeat.
	ErrPending = activities.ErrPending
)

// CancelledError is an [ErrCancelled] with its reason. Every durable call may return one. It is an
// alias of the type in package engine:
//
//	type CancelledError struct {
//		// What was cancelled: "activity Charge (event 5)", "scope", "instance".
//		What string
//		// Reason that the caller gave; may be empty.
//		Reason string
//		// Timeout is set if a timeout cancelled the scope. The error is then an ErrTimeout,
//		// not an ErrCancelled.
//		Timeout bool
//	}
type CancelledError = engine.CancelledError

// TimeoutError is returned if an event did not arrive in time. It is an [ErrTimeout].
type TimeoutError struct {
	// What is the kind of operation that was waited for, such as "event"; Name is its name.
	What, Name string
	// After is the duration of the wait.
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s %q did not arrive within %s", e.What, e.Name, e.After)
}

// Is reports whether target is [ErrTimeout].
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Failure returns the failure that is recorded if an orchestration returns the error.
func (e *TimeoutError) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureTimeout, Message: e.Error(), Retryable: true}
}

// EncodeError is returned if a value cannot be encoded as JSON. [App.Err] returns it for a type
// whose values cannot be encoded, or cannot be decoded again, such as a struct with a field of type
// error. Nothing was recorded.
type EncodeError struct {
	// What is the kind of value, for example "input of activity"; Name is the name of its
	// declaration.
	What, Name string
	// Type is the Go type of the value.
	Type string
	Err  error
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("the %s (%s) cannot be encoded as JSON: %v", named(e.What, e.Name), e.Type, e.Err)
}

// Unwrap returns the encoder's error.
func (e *EncodeError) Unwrap() error { return e.Err }

// DecodeError is returned if a JSON value from outside cannot be decoded into its Go type. The
// history keeps the value unchanged.
//
// Its text quotes the value and the decoder's error. If a codec encodes the payloads of the
// orchestration or activity, the text quotes neither, because failures and logs are not encoded. It
// has the type, the length and the offset instead. Payload and Err are complete in both cases.
type DecodeError struct {
	// What is the kind of value, for example "input of activity"; Name is the name of its
	// declaration.
	What, Name string
	// Type is the Go type that cannot decode the value.
	Type string
	// Payload is the value as it was received.
	Payload []byte
	Err     error

	encoded bool
}

func (e *DecodeError) Error() string {
	if e.encoded {
		return e.Plain()
	}
	payload := string(e.Payload)
	if len(payload) > 120 {
		payload = payload[:120] + "…"
	}
	// Replay compares this text if the orchestration fails with it, and kept histories contain it.
	return fmt.Sprintf("the %s is not a %s: %v; it is %s", named(e.What, e.Name), e.Type, e.Err, payload)
}

// Unwrap returns the decoder's error, which names the position in the JSON.
func (e *DecodeError) Unwrap() error { return e.Err }

// PayloadTooLargeError is returned if a value exceeds the limit of one payload. Nothing was
// recorded or sent.
type PayloadTooLargeError struct {
	// What is the kind of value, for example "input of activity"; Name is the name of its
	// declaration.
	What, Name string
	// Size is the size of the value as JSON, Limit the limit; both in bytes.
	Size, Limit int
}

func (e *PayloadTooLargeError) Error() string {
	return fmt.Sprintf("the %s has %d bytes as JSON, more than the limit of %d: store it elsewhere and pass a reference", named(e.What, e.Name), e.Size, e.Limit)
}

// MisuseError reports a call that is wrong for any data. Durable calls that return an error return
// a MisuseError if no durable call may be made at that point; all other mistakes panic with one. In
// an orchestration the panic makes the instance stuck; the instance continues after a build without
// the mistake is deployed. On a goroutine that the program itself started, the panic ends the
// process, as any panic does. It is an alias of the type in package engine:
//
//	type MisuseError struct {
//		// Call is the durable call: "activity Charge", "Await".
//		Call string
//		// Inside names the code that made the call, for an ErrNested: `side effect "rate"`,
//		// `inline activity "Charge"`.
//		Inside string
//		// Problem says what is wrong and what to do instead.
//		Problem string
//		// Err is ErrNested, ErrNotRunning or ErrForeignFuture; nil for all other mistakes.
//		Err error
//	}
type MisuseError = engine.MisuseError

// InvalidArgumentError reports an argument that the call cannot use: a number out of range, or an
// instance id or a name that breaks the rules. Nothing was sent or recorded.
type InvalidArgumentError struct {
	// Call and Argument name the call and its argument, such as "Map" and "limit". For an instance
	// id, a name, a version or another id, Call is empty, Argument is the kind ("instance id",
	// "activity name"), and Value is the value that was given.
	Call, Argument, Value string
	// Problem says what is wrong, with the limit or the valid values.
	Problem string
}

func (e *InvalidArgumentError) Error() string {
	if e.Call == "" {
		value := e.Value
		if len(value) > 80 {
			value = value[:80] + "…"
		}
		return fmt.Sprintf("turnstile: invalid %s %q: %s", e.Argument, value, e.Problem)
	}
	return fmt.Sprintf("%s: the %s %s", e.Call, e.Argument, e.Problem)
}

// unsound returns the MisuseError of a declaration that cannot work: the zero value, or one with a
// problem that its constructor found.
func unsound(call, name, constructor string, problem error) *MisuseError {
	if problem == nil {
		return &MisuseError{Call: call, Problem: "the declaration is the zero value: make it with " + constructor}
	}
	return &MisuseError{Call: call, Problem: fmt.Sprintf("the declaration of %q is invalid: %v", name, problem)}
}

// declared adds the problems of a declaration's options, and the line where they were given, to
// earlier problems.
func declared(before error, problems []error, source string) error {
	all := make([]error, 0, len(problems)+1)
	all = append(all, before)
	for _, p := range problems {
		all = append(all, fmt.Errorf("%w (at %s)", p, source))
	}
	return errors.Join(all...)
}

func nilOption(call string) error {
	return &InvalidArgumentError{Call: call, Argument: "option", Problem: "is nil: leave it out"}
}

func named(what, name string) string {
	if name == "" {
		return what
	}
	return fmt.Sprintf("%s %q", what, name)
}

package turnstile

import (
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// Errors to test with errors.Is, from durable calls and from a client's Wait.
var (
	// ErrCancelled: the operation, its scope or the instance was cancelled. An
	// orchestration that was itself cancelled and returns it, wrapped or not,
	// ends as cancelled; if the instance was not cancelled, it has failed.
	ErrCancelled = engine.ErrCancelled
	// ErrTimeout: a *TimeoutError, an activity or a child that failed by
	// timeout, or a *CancelledError of a scope whose time was over.
	ErrTimeout = engine.ErrTimeout
	// ErrTerminated: the instance or the child was terminated.
	ErrTerminated = errors.New("terminated")
	// ErrNothingToWaitFor: Select or Any without operations.
	ErrNothingToWaitFor = engine.ErrNothingToWaitFor
	// ErrNested: a durable call inside a side effect or an inline activity, as
	// a *MisuseError.
	ErrNested = engine.ErrNested
	// ErrNotRunning: a durable call on a context whose orchestration does not
	// run now, as a *MisuseError: after it has ended, or from another goroutine. On AWS only the
	// first is sure to be seen: a goroutine that makes durable calls may end
	// the process. Package embedded sees both.
	ErrNotRunning = engine.ErrNotRunning
	// ErrForeignFuture: a Future of another instance, or of another execution, as a
	// *MisuseError.
	ErrForeignFuture = engine.ErrForeignFuture
	// ErrUnwinding: a durable call in a deferred function while the
	// orchestration is unloaded at the end of a turn, or while a panic is under
	// way. Nothing was recorded.
	ErrUnwinding = engine.ErrUnwinding
	// ErrPending: what an activity returns when it has handed out its
	// ActivityInfo(ctx).CompletionToken, to a person, another service, a machine
	// that works for hours: nothing runs meanwhile, and whoever has the token
	// completes the activity or lets it fail (client.Complete,
	// client.Client.Fail). [TotalTimeout] bounds how long that may take, and
	// [HeartbeatTimeout] how long may pass between two client.Client.Heartbeat.
	ErrPending = activities.ErrPending
)

// CancelledError is an [ErrCancelled] with its reason. Every durable call may
// return one. It is the same type as in package engine:
//
//	type CancelledError struct {
//		// What was cancelled: "activity Charge (event 5)", "scope", "instance".
//		What string
//		// Reason that was given; may be empty.
//		Reason string
//		// Timeout is set if the time of a scope was over: then it is an ErrTimeout
//		// and no ErrCancelled.
//		Timeout bool
//	}
type CancelledError = engine.CancelledError

// TimeoutError says that what was waited for did not come in time. It is an
// [ErrTimeout].
type TimeoutError struct {
	// What is the kind of thing that was waited for, such as "event"; Name is its name.
	What, Name string
	// After is how long.
	After time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s %q did not come within %s", e.What, e.Name, e.After)
}

// Is makes it an [ErrTimeout].
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Failure says how it is recorded if an orchestration returns it.
func (e *TimeoutError) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureTimeout, Message: e.Error(), Retryable: true}
}

// EncodeError says that a value has no JSON form, or, from [App.Err], that a type has
// none that can be read again, such as one with a field of type error. Nothing was
// recorded.
type EncodeError struct {
	// What names the value, for example "input of activity"; its name follows.
	What, Name string
	// Type of the value in Go.
	Type string
	Err  error
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("the %s (%s) cannot be encoded as JSON: %v", named(e.What, e.Name), e.Type, e.Err)
}

// Unwrap returns the encoder's error.
func (e *EncodeError) Unwrap() error { return e.Err }

// DecodeError says that a type cannot take a JSON value that came from
// outside. The value stays in the history as it came.
//
// Its text quotes the value and what the decoder says of it. In an orchestration
// or an activity whose payloads are sealed it does not, for failures and logs
// are not sealed: it says type, length and the place. Payload and Err have
// all of it there too.
type DecodeError struct {
	// What names the value, for example "data of event"; its name follows.
	What, Name string
	// Type that cannot take it.
	Type string
	// Payload as it came.
	Payload []byte
	Err     error

	sealed bool
}

func (e *DecodeError) Error() string {
	if e.sealed {
		return e.Plain()
	}
	payload := string(e.Payload)
	if len(payload) > 120 {
		payload = payload[:120] + "…"
	}
	return fmt.Sprintf("the %s is not a %s: %v; it is %s", named(e.What, e.Name), e.Type, e.Err, payload)
}

// Unwrap returns the decoder's error, which names the place in the JSON.
func (e *DecodeError) Unwrap() error { return e.Err }

// PayloadTooLargeError says that a value is over the limit of one payload.
// Nothing was recorded or sent.
type PayloadTooLargeError struct {
	// What names the value, for example "input of activity"; its name follows.
	What, Name string
	// Size as JSON, and the limit, in bytes.
	Size, Limit int
}

func (e *PayloadTooLargeError) Error() string {
	return fmt.Sprintf("the %s has %d bytes as JSON, the limit is %d: store it elsewhere and pass a reference", named(e.What, e.Name), e.Size, e.Limit)
}

// MisuseError says that a call is a mistake in the program, whatever the data. A durable
// call that has an error returns it where no durable call may be made; all other mistakes
// are panics with it. In an orchestration the panic makes the instance stuck; the
// instance goes on after a build without the mistake is deployed. On a goroutine
// that the program started itself it ends the process, as any panic does there.
// It is the same type as in package engine:
//
//	type MisuseError struct {
//		// Call that was made: "activity Charge", "Await".
//		Call string
//		// Inside which code, for an ErrNested: `side effect "rate"`, `inline activity "Charge"`.
//		Inside string
//		// Problem, and what to do instead.
//		Problem string
//		// Err is an ErrNested, an ErrNotRunning or an ErrForeignFuture; nil for all other
//		// mistakes.
//		Err error
//	}
type MisuseError = engine.MisuseError

// InvalidArgumentError says that a call was given a value that it cannot work
// with: a number out of range, an instance id or a name that breaks the rules.
// Nothing was sent or recorded.
type InvalidArgumentError struct {
	// Call and its argument: "Map", "limit". Call is empty for an instance id, a name,
	// a version or another id: Argument says which ("instance id", "activity name"), and
	// Value is what was given.
	Call, Argument, Value string
	// Problem, with the limit or the values that can be.
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

// unsound returns the misuse of a declaration that can't work: one that was
// never made, or whose problem was found when it was.
func unsound(call, name, constructor string, problem error) *MisuseError {
	if problem == nil {
		return &MisuseError{Call: call, Problem: "the declaration is the zero value: make it with " + constructor}
	}
	return &MisuseError{Call: call, Problem: fmt.Sprintf("the declaration of %q cannot work: %v", name, problem)}
}

// declared adds what is wrong with the options of a declaration, and where they
// were given, to what was wrong before.
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

package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
)

// Future is a running operation whose result will be a T. It belongs to the execution that started
// it. Copies of the value refer to the same operation.
type Future[T any] struct {
	op   *engine.Future
	kind subject
	name string
	// local holds the result of a branch; nil if the result is decoded from JSON.
	local *T
}

// subject is a future's kind of operation, which determines the error type of a failure.
type subject uint8

const (
	ofOther subject = iota
	ofActivity
	ofChild
	ofTimer
	ofEvent
)

// Awaitable is a Future of any result type, for [Select].
type Awaitable interface {
	// Ready reports whether awaiting the operation returns immediately.
	Ready() bool
	// Cancel cancels the operation. See Future.Cancel.
	Cancel(reason string) error

	operation() *engine.Future
	explain(error) error
}

// Await waits for the operation and returns its result.
//
// Errors: [*ActivityError], [*ChildError], [*DecodeError] for a result or an event that the type
// cannot decode, [*CancelledError] when the operation, the scope of ctx or the instance was
// cancelled. A second Await returns the same result or error. Await records nothing.
func (f Future[T]) Await(ctx Context) (T, error) {
	run := ctx.engine("Future.Await")
	if f.op == nil {
		panic(&MisuseError{Call: "Future.Await", Problem: "the Future is the zero value: it was never started"})
	}
	value, err := run.Await(f.op)
	if err != nil {
		var zero T
		return zero, f.explain(err)
	}
	return f.result(value)
}

// result returns the value of an operation that has succeeded.
func (f Future[T]) result(value []byte) (T, error) {
	if f.local != nil {
		return *f.local, nil
	}
	if f.kind == ofTimer {
		var zero T
		return zero, nil
	}
	return decode[T](value, f.what(), f.name, f.op.Encoded())
}

// resultInto is result that stores into v, which is zero.
func (f Future[T]) resultInto(v *T, value []byte) (err error) {
	if f.local != nil || f.kind == ofTimer {
		*v, err = f.result(value)
		return err
	}
	return decodeInto(v, value, f.what(), f.name, f.op.Encoded())
}

// Ready reports whether awaiting the operation returns immediately, because the history contained
// its completion before the code was run.
func (f Future[T]) Ready() bool { return f.op != nil && f.op.Ready() }

// Cancel cancels the operation: it asks an activity to stop, removes a timer, ends a wait for an
// event, or cancels a child. Awaiting the operation then returns a [*CancelledError]; an operation
// that has already completed keeps its result. Cancel records nothing. The activity
// ([StoppedError]) or child receives the reason, cut to 1,024 bytes.
//
// Cancel has no effect, and returns an error, on a goroutine that the code started itself, and in a
// deferred function while the orchestration is unloaded. Code that calls Cancel in its normal flow
// can ignore the error.
func (f Future[T]) Cancel(reason string) error {
	if f.op == nil {
		return nil
	}
	return f.op.Cancel(reason)
}

// EventID returns the event_id of the scheduling event in the history; 0 if nothing was recorded.
func (f Future[T]) EventID() int64 {
	if f.op == nil {
		return 0
	}
	return f.op.EventID()
}

// Instance returns the instance id of a sub-orchestration, and "" for every other operation.
func (f Future[T]) Instance() string {
	if f.op == nil {
		return ""
	}
	return f.op.Instance()
}

func (f Future[T]) operation() *engine.Future { return f.op }

func (f Future[T]) what() string {
	switch f.kind {
	case ofActivity:
		return "result of activity"
	case ofChild:
		return "output of sub-orchestration"
	case ofEvent:
		return "data of event"
	}
	return "result"
}

// explain converts a recorded failure to the exported error type.
func (f Future[T]) explain(err error) error { return explain(err, f.kind, f.name, f.Instance()) }

// failed returns a completed future for an error that was found before the operation was scheduled.
// It records nothing.
func failed[T any](run *engine.Context, name string, err error) Future[T] {
	return Future[T]{op: run.Go(func(*engine.Context) ([]byte, error) { return nil, err }), name: name}
}

package turnstile

import (
	"github.com/turnstile-go/turnstile/engine"
)

// Future is an operation under way, whose result will be a T. It belongs to
// the execution that started it. It is a value: copies are the same operation.
type Future[T any] struct {
	op   *engine.Future
	kind subject
	name string
	// local is where a branch leaves its result; nil for what comes as JSON.
	local *T
}

// subject is what a future's result comes from; it decides how a failure reads.
type subject uint8

const (
	ofOther subject = iota
	ofActivity
	ofChild
	ofTimer
	ofEvent
)

// Awaitable is any Future: what [Select] takes, whatever the type of the result.
type Awaitable interface {
	// Ready reports whether awaiting it returns at once.
	Ready() bool
	// Cancel cancels the operation. See Future.Cancel.
	Cancel(reason string) error

	operation() *engine.Future
	explain(error) error
}

// Await waits for the operation and returns its result.
//
// Errors: [*ActivityError], [*ChildError], [*DecodeError] for a result or an event
// that the type cannot take, [*CancelledError] when the operation, the scope of
// ctx or the instance was cancelled. Awaiting twice gives the same again. It
// records nothing.
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
	return decode[T](value, f.what(), f.name, f.op.Sealed())
}

// resultInto is result into v, which is zero.
func (f Future[T]) resultInto(v *T, value []byte) (err error) {
	if f.local != nil || f.kind == ofTimer {
		*v, err = f.result(value)
		return err
	}
	return decodeInto(v, value, f.what(), f.name, f.op.Sealed())
}

// Ready reports whether awaiting it returns at once: whether the history had what
// completes it before the code was run.
func (f Future[T]) Ready() bool { return f.op != nil && f.op.Ready() }

// Cancel cancels the operation: an activity is asked to stop, a timer is
// removed, a wait takes no event any more, a child is cancelled. Awaiting it
// returns a [*CancelledError] from then on; what is ready already stays so. It
// records nothing. The reason goes to the activity ([StoppedError]) and to the child
// that are stopped, up to 1,024 bytes of it.
//
// Nothing is cancelled where the orchestration's code does not run: from a
// goroutine that it started itself, or in a deferred function while it is put
// away. The error says so; code that calls it in its own flow need not look.
func (f Future[T]) Cancel(reason string) error {
	if f.op == nil {
		return nil
	}
	return f.op.Cancel(reason)
}

// EventID returns the event_id of the scheduling event in history; 0 if
// nothing was recorded.
func (f Future[T]) EventID() int64 {
	if f.op == nil {
		return 0
	}
	return f.op.EventID()
}

// Instance returns the instance id of a sub-orchestration; empty for all
// others.
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

// explain gives a recorded failure the type that authors act on.
func (f Future[T]) explain(err error) error { return explain(err, f.kind, f.name, f.Instance()) }

// failed returns a future that is ready with an error found before anything
// was scheduled. It records nothing.
func failed[T any](run *engine.Context, name string, err error) Future[T] {
	return Future[T]{op: run.Go(func(*engine.Context) ([]byte, error) { return nil, err }), name: name}
}

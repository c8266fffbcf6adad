package turnstile

import (
	"time"
)

// Event is the declaration of an external event: its name, and the type of its
// data, which travels as JSON. Somebody raises it for an instance (Raise,
// Client.RaiseEvent, or a work item), the orchestration waits for it.
//
// Events are kept until they are waited for, first in, first out by name, and
// each is taken by one wait. Names are case-sensitive.
type Event[T any] struct {
	name   string
	source string
}

// NewEvent declares an external event.
func NewEvent[T any](name string) Event[T] {
	return Event[T]{name: name, source: source()}
}

// Name returns the event's name.
func (e Event[T]) Name() string { return e.name }

// Subscribe starts a wait for the next event of this name and returns at once;
// use it with Select. It records one event.
//
// A wait takes its event even if nobody looks at it any more, so cancel what
// is no longer wanted. Select does that for those that lose.
func (e Event[T]) Subscribe(ctx Context) Future[T] {
	run := ctx.engine(e.name)
	if e.source == "" {
		panic(undeclared("event", "NewEvent"))
	}
	return Future[T]{op: run.ExternalEvent(e.name), kind: ofEvent, name: e.name}
}

// Wait waits for the next event of this name and returns its data.
//
// Errors: *DecodeError for data that T cannot take (the event is consumed, and
// stays in the history), *CancelledError.
func (e Event[T]) Wait(ctx Context) (T, error) {
	return Await(ctx, e.Subscribe(ctx))
}

// WaitFor is Wait for at most d, which returns a *TimeoutError then; an event
// that comes later goes to the next wait.
func (e Event[T]) WaitFor(ctx Context, d time.Duration) (T, error) {
	event, timeout := e.Subscribe(ctx), After(ctx, d)
	first, err := Select(ctx, event, timeout)
	if err != nil {
		var zero T
		return zero, err
	}
	if first == 1 {
		var zero T
		return zero, &TimeoutError{What: "event", Name: e.name, After: d}
	}
	return Await(ctx, event)
}

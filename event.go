package turnstile

import (
	"errors"
	"iter"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// Event declares an external event: its name, and the type of its data, which is encoded as JSON. A
// client (client.Raise), another orchestration ([Event.RaiseTo]) or a work item that another
// program sends raises it for an instance, and the orchestration waits for it.
//
// An event that arrives before a wait is kept. Waits receive the events of one name in order, first
// in, first out, and each event goes to one wait. Names are case-sensitive.
type Event[T any] struct {
	name   string
	source string
	// rejecting is true if waits reject data that T cannot decode.
	rejecting bool
	// problem is the problem with the name or the type; nil if there is none.
	problem error
}

// NewEvent declares an external event.
func NewEvent[T any](name string) Event[T] {
	return Event[T]{name: name, source: source(), problem: errors.Join(validEvent(name), encodable[T]("data of event", name))}
}

// Name returns the event's name.
func (e Event[T]) Name() string { return e.name }

// Rejecting returns a declaration whose waits reject data that T cannot decode, instead of
// returning a [*DecodeError]: the event is consumed, the rejection is recorded with its reason
// (ExternalRejected), and the wait continues with the next event. So an invalid event is dropped
// and does not fail the instance.
//
//	var Approved = turnstile.NewEvent[Approval]("approved").Rejecting()
//
// The decision is made when the wait takes the event, and is recorded. A replay follows the record,
// even if the type has changed or Rejecting was removed. A wait records one ExternalRejected event
// for each event that it rejects, and nothing otherwise.
func (e Event[T]) Rejecting() Event[T] {
	e.rejecting = true
	return e
}

// accepts returns the function that the engine calls before it gives an event to a wait; nil for a
// wait that accepts all data.
func (e Event[T]) accepts(run *engine.Context) engine.Acceptor {
	if !e.rejecting {
		return nil
	}
	name, encoded := e.name, run.Encoded()
	return func(data []byte) error {
		_, err := decode[T](data, "data of event", name, encoded)
		return err
	}
}

// Next starts a wait for the next event of this name and returns immediately; use it with [Select].
// It records one event.
//
// A wait takes its event even if the code no longer waits for it, so cancel waits that the code no
// longer needs. Select does that for the operations that lose. If a wait has taken an event, but
// the code never awaited the wait, selected it or saw it [Future.Ready], the event is passed to the
// next execution when the orchestration continues as new.
func (e Event[T]) Next(ctx Context) Future[T] {
	run := ctx.engine(e.name)
	if e.source == "" || e.problem != nil {
		panic(unsound("Event.Next", e.name, "NewEvent", e.problem))
	}
	return Future[T]{op: run.ExternalEventIf(e.name, e.accepts(run)), kind: ofEvent, name: e.name}
}

// Wait waits for the next event of this name and returns its data. It records one event for the
// wait; the external event itself is recorded when it arrives.
//
// Errors: [*DecodeError] for data that T cannot decode (the event is consumed, and stays in the
// history), [*CancelledError].
func (e Event[T]) Wait(ctx Context) (T, error) {
	return e.Next(ctx).Await(ctx)
}

// TryWait takes the next event if one has already arrived, and reports whether it did. It does not
// wait. An event has arrived if the history contained it before the code was run: the start
// included it, continue-as-new passed it on, or it arrived while the instance was suspended or
// waiting to start. TryWait records one event if it takes one, and nothing otherwise.
//
// It returns the errors of [Event.Wait].
func (e Event[T]) TryWait(ctx Context) (data T, came bool, err error) {
	run := ctx.engine(e.name)
	if e.source == "" || e.problem != nil {
		panic(unsound("Event.TryWait", e.name, "NewEvent", e.problem))
	}
	if err := run.Err(); err != nil {
		return data, false, err
	}
	if came, err = run.EventKept(e.name, e.accepts(run)); err != nil || !came {
		return data, false, err
	}
	data, err = e.Wait(ctx)
	return data, true, err
}

// All yields the events of this name as they arrive, without end. Each iteration records one event
// for the wait and one for the external event, so leave the loop from time to time to continue as
// new (Info(ctx).ContinueAsNewSuggested). Events that no wait has taken are passed to the next
// execution.
//
//	for order, err := range Ordered.All(ctx) {
//		if err != nil {
//			return err
//		}
//		...
//	}
//
// Data that T cannot decode is yielded as a [*DecodeError], and the loop may continue. When the
// scope of ctx or the instance is cancelled, All yields the [*CancelledError] and ends.
func (e Event[T]) All(ctx Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			data, err := e.Wait(ctx)
			if !yield(data, err) {
				return
			}
			var undecodable *DecodeError
			if err != nil && !errors.As(err, &undecodable) {
				return
			}
		}
	}
}

// WaitTimeout waits as [Event.Wait] does, for at most d. After that it returns a [*TimeoutError],
// and an event that arrives later goes to the next wait. It records two events, the wait and a
// timer, and one for whichever completes first.
//
// Errors: the errors of Wait, [*TimeoutError], and [*InvalidArgumentError] for more
// than [MaxTimer].
func (e Event[T]) WaitTimeout(ctx Context, d time.Duration) (T, error) {
	if err := validTimer("Event.WaitTimeout", d); err != nil {
		var zero T
		return zero, err
	}
	event, timeout := e.Next(ctx), After(ctx, d)
	first, err := Select(ctx, event, timeout)
	if err != nil {
		var zero T
		return zero, err
	}
	if first == 1 {
		var zero T
		return zero, &TimeoutError{What: "event", Name: e.name, After: d}
	}
	return event.Await(ctx)
}

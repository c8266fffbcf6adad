package turnstile

import (
	"errors"
	"iter"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// Event is the declaration of an external event: its name, and the type of its
// data, which travels as JSON. Somebody raises it for an instance (client.Raise,
// [Event.RaiseTo], or a work item), the orchestration waits for it.
//
// Events are kept until they are waited for, first in, first out by name, and
// each is taken by one wait. Names are case-sensitive.
type Event[T any] struct {
	name   string
	source string
	// rejecting waits reject what T cannot take.
	rejecting bool
	// problem is what is wrong with the name or the type; nil if nothing is.
	problem error
}

// NewEvent declares an external event.
func NewEvent[T any](name string) Event[T] {
	return Event[T]{name: name, source: source(), problem: errors.Join(validName("event", name), encodable[T]("data of event", name))}
}

// Name returns the event's name.
func (e Event[T]) Name() string { return e.name }

// Rejecting returns the declaration with waits that reject data which T cannot
// take, in place of ending with a [*DecodeError]: the event is consumed, the
// rejection is recorded with its reason (ExternalRejected), and the wait goes on
// waiting for the next. A sender's mistake then costs the sender's event and not
// the instance.
//
//	var Approved = turnstile.NewEvent[Approval]("approved").Rejecting()
//
// It decides when an event is taken, and what is recorded decides from then on:
// neither another type nor taking Rejecting out changes what a replay does. It
// records one event for each that it rejects, and nothing otherwise.
func (e Event[T]) Rejecting() Event[T] {
	e.rejecting = true
	return e
}

// accepts is what the engine asks ahead of giving an event to a wait; nil for
// one that takes all.
func (e Event[T]) accepts(run *engine.Context) engine.Acceptor {
	if !e.rejecting {
		return nil
	}
	name, sealed := e.name, run.Sealed()
	return func(data []byte) error {
		_, err := decode[T](data, "data of event", name, sealed)
		return err
	}
}

// Next starts a wait for the next event of this name and returns at once;
// use it with [Select]. It records one event.
//
// A wait takes its event even if the code no longer waits for it, so cancel waits
// that the code no longer needs. Select does that for those that lose. What a wait took
// and the code was not told of, because it neither awaited the wait, nor selected it,
// nor saw it [Future.Ready], goes over to the next execution when the orchestration
// continues as new.
func (e Event[T]) Next(ctx Context) Future[T] {
	run := ctx.engine(e.name)
	if e.source == "" || e.problem != nil {
		panic(unsound("Event.Next", e.name, "NewEvent", e.problem))
	}
	return Future[T]{op: run.ExternalEventIf(e.name, e.accepts(run)), kind: ofEvent, name: e.name}
}

// Wait waits for the next event of this name and returns its data. It records
// one event for the wait, and the event itself stands in the history when it has
// come.
//
// Errors: [*DecodeError] for data that T cannot take (the event is consumed, and
// stays in the history), [*CancelledError].
func (e Event[T]) Wait(ctx Context) (T, error) {
	return e.Next(ctx).Await(ctx)
}

// TryWait is Wait without waiting: it takes the next event if one has come
// already, and reports whether. An event has come if the history had it before the code
// was run: one that the start brought, that was carried over by continue-as-new, or that
// came while the instance was suspended or waited to start. It records one event if so,
// and nothing if not.
//
// Errors as for Wait.
func (e Event[T]) TryWait(ctx Context) (data T, came bool, err error) {
	run := ctx.engine(e.name)
	if e.source == "" || e.problem != nil {
		panic(unsound("Event.TryWait", e.name, "NewEvent", e.problem))
	}
	if err := run.Err(); err != nil {
		return data, false, err
	}
	if came, err = run.EventKeptIf(e.name, e.accepts(run)); err != nil || !came {
		return data, false, err
	}
	data, err = e.Wait(ctx)
	return data, true, err
}

// All yields the events of this name as they come, without end. Each records
// one event for the wait and one for its coming, so leave the loop now and then
// to continue as new (Info(ctx).ContinueAsNewSuggested); events that have not
// been taken go over.
//
//	for order, err := range Ordered.All(ctx) {
//		if err != nil {
//			return err
//		}
//		...
//	}
//
// Data that T cannot take is yielded as a [*DecodeError], and the loop may go on.
// When the scope of ctx or the instance is cancelled, it yields the
// [*CancelledError] and ends.
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

// WaitTimeout waits as Wait does, for at most d. After that it returns a
// [*TimeoutError], and an event that comes later goes to the next wait. It records two events, the wait and a
// timer, and one for what comes first.
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

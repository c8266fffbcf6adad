package turnstile

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Activity is the declaration of an activity: its name, and the types of its
// input and result, which travel as JSON. It is a value; With returns another
// one. The implementation stands elsewhere, see Implement.
type Activity[In, Out any] struct {
	name   string
	source string
	retry  *history.Retry
	// normalize is kept because making a generic function value costs an
	// allocation each time.
	normalize engine.Normalizer
	// byAddress is sameByAddress of In.
	byAddress bool
	// types is what is wrong with the types, problem that and what is wrong
	// with the name; nil if nothing is.
	types, problem error
	// options is what is wrong with the options.
	options error
}

// NewActivity declares an activity. Names are unique in an application, and
// stand in histories: a name that was used stays what it was.
func NewActivity[In, Out any](name string) Activity[In, Out] {
	types := errors.Join(encodable[In]("input of activity", name), encodable[Out]("result of activity", name))
	return Activity[In, Out]{name: name, source: source(), normalize: normalize[In], byAddress: sameByAddress(reflect.TypeFor[In]()),
		types: types, problem: errors.Join(validName("activity", name), types)}
}

// Name returns the activity's name.
func (a Activity[In, Out]) Name() string { return a.name }

// With returns a copy of the declaration with these options.
//
//	var Charge = turnstile.NewActivity[Order, Receipt]("Charge").
//		With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5}), turnstile.AttemptTimeout(10*time.Second))
//
// They are recorded when the activity is scheduled, and are not compared on
// replay: changing them is safe for running instances. [App.Err] reports invalid
// options, such as a negative timeout, where the activity is implemented, and calls
// return it as an [*InvalidArgumentError].
func (a Activity[In, Out]) With(options ...ActivityOption) Activity[In, Out] {
	var set activityOptions
	if a.retry != nil {
		set.Retry = *a.retry
	}
	for _, o := range options {
		if o == nil {
			set.problems = append(set.problems, nilOption("Activity.With"))
			continue
		}
		o.applyToActivity(&set)
	}
	a.retry = &set.Retry
	if len(set.problems) > 0 {
		a.options = declared(a.options, set.problems, source())
	}
	return a
}

// Implement gives the declaration its implementation, for [NewApp]. The implementation
// may do anything. It runs at least once: a worker may die after the effect and
// before the result is recorded, so make it idempotent
// (ActivityInfo(ctx).IdempotencyKey helps), or declare it [AtMostOnce]. Its context
// ends with the attempt, and, seen at a [Heartbeat], when the orchestration wants
// it to stop: context.Cause is a [*StoppedError] then.
func (a Activity[In, Out]) Implement(implementation func(context.Context, In) (Out, error), options ...ImplementationOption) Part {
	entry := activities.Activity{Name: a.name, Source: source()}
	if a.retry != nil {
		entry.Queue = a.retry.Queue
	}
	for _, o := range options {
		o.applyToImplementation(&entry)
	}
	if implementation != nil {
		name := a.name
		entry.Func = func(ctx context.Context, input []byte) ([]byte, error) {
			in, err := decode[In](input, "input of activity", name, ActivityInfo(ctx).Sealed)
			if err != nil {
				return nil, &recordedError{err: err, failure: history.Failure{Kind: history.FailureInvalidInput, Message: err.Error()}}
			}
			out, err := implementation(ctx, in)
			if err != nil {
				return nil, recordable(err)
			}
			result, err := encode(out, "result of activity", name)
			if err != nil {
				return nil, &recordedError{err: err, failure: failureOfPayload(err)}
			}
			return result, nil
		}
	}
	types := catalog.Declaration{Kind: catalog.Activity, Name: a.name, Takes: reflect.TypeFor[In](), Returns: reflect.TypeFor[Out](), Queue: entry.Queue}
	return activityPart{entry, a.retry, errors.Join(a.types, a.options), types}
}

// Start schedules the activity and returns at once. It records one event.
func (a Activity[In, Out]) Start(ctx Context, in In) Future[Out] {
	run := ctx.engine(a.name)
	if a.normalize == nil || a.problem != nil {
		panic(unsound("Activity.Start", a.name, "NewActivity", a.problem))
	}
	if a.options != nil {
		return failed[Out](run, a.name, a.options)
	}
	input, err := encodeLent(&in, a.byAddress, "input of activity", a.name)
	if err != nil {
		return failed[Out](run, a.name, err)
	}
	defer input.giveBack()
	return Future[Out]{
		op:   run.Activity(engine.ActivityCall{Name: a.name, Input: input.data, Lent: true, Retry: a.retry, Normalize: a.normalize}),
		kind: ofActivity,
		name: a.name,
	}
}

// Call schedules the activity and waits for its result: [Activity.Start] and
// [Future.Await]. It
// records one event, and one when the activity has ended; its retries record
// none.
//
// Errors: [*ActivityError], [*EncodeError] and [*PayloadTooLargeError] for the
// input, [*InvalidArgumentError] for options that cannot be, [*DecodeError] for
// the result, [*CancelledError].
func (a Activity[In, Out]) Call(ctx Context, in In) (Out, error) {
	return a.Start(ctx, in).Await(ctx)
}

// Attempt is what the code of an activity can learn about the attempt that it runs in.
type Attempt struct {
	// Name of the activity.
	Name string
	// Instance and ExecutionID of the orchestration that scheduled the activity, and
	// EventID of the event that says so.
	Instance    string
	ExecutionID int64
	EventID     int64
	// Attempt counts from 1.
	Attempt int
	// Delivery counts the deliveries of this attempt from 1. It is above 1 if a worker
	// died in the attempt.
	Delivery int
	// ScheduledAt is when the orchestration scheduled the activity.
	ScheduledAt time.Time
	// IdempotencyKey is the same for all attempts and deliveries of one activity call,
	// and different for all others. [CommitEvery] says what holds for inline activities
	// that share a commit.
	IdempotencyKey string
	// Deadline is when the attempt's context ends at the latest.
	Deadline time.Time
	// Heartbeat has the details of the last heartbeat of an earlier attempt or delivery,
	// JSON; nil if there was none. [LastHeartbeat] decodes them.
	Heartbeat []byte
	// CompletionToken completes the activity from outside after the attempt has returned
	// [ErrPending]. Nobody can guess it, and it fits into a link. Empty for an inline
	// activity.
	CompletionToken string
	// Headers of the orchestration's start, and those of the context with which it
	// scheduled the activity; nil for none. Not to be changed.
	Headers map[string]string
	// Inline is set for an activity that runs inside the turn.
	Inline bool
	// Sealed is set if a codec seals payloads. Failures and log lines are not sealed, so
	// keep the contents of payloads out of them.
	Sealed bool
}

// ActivityInfo returns the attempt that the code of an activity runs in: instance,
// event, attempt, idempotency key. It returns the zero value outside of activities.
func ActivityInfo(ctx context.Context) Attempt {
	info, _ := activities.InfoFrom(ctx)
	return Attempt(info)
}

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

// Activity declares an activity: its name, and the types of its input and result, which are encoded
// as JSON. It is an immutable value; With returns a changed copy. Implement adds the code, usually
// in another package.
type Activity[In, Out any] struct {
	name   string
	source string
	retry  *history.Retry
	// normalize is kept because making a generic function value allocates.
	normalize engine.Normalizer
	// byAddress is the result of sameByAddress for In.
	byAddress bool
	// types is the problem with the types. problem combines it with the problem with the name. Both
	// are nil for a valid declaration.
	types, problem error
	// options is the problem with the options.
	options error
}

// NewActivity declares an activity. Its name must be unique in an application. Histories contain
// the name, so never reuse the name of a removed activity for a different activity.
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
// Options are recorded when the activity is scheduled and are not compared on replay, so changing
// them is safe for running instances. Invalid options, such as a negative timeout, are reported by
// [App.Err] if the activity is implemented there, and by every call as an [*InvalidArgumentError].
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

// Implement returns the activity with its implementation, for [NewApp]. The implementation may do
// anything. It runs at least once, because a worker can die after the effect and before the result
// is recorded: make it idempotent (ActivityInfo(ctx).IdempotencyKey helps), or declare the activity
// [AtMostOnce]. The context ends with the attempt, or earlier if a [Heartbeat] finds that the
// orchestration no longer needs the result; context.Cause then returns a [*StoppedError].
func (a Activity[In, Out]) Implement(implementation func(context.Context, In) (Out, error), options ...ImplementationOption) Component {
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
			in, err := decode[In](input, "input of activity", name, ActivityInfo(ctx).Encoded)
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

// Start schedules the activity and returns immediately. It records one event.
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

// Call schedules the activity and waits for its result, as [Activity.Start] and [Future.Await] do.
// It records one event, and a second one when the activity ends. Retries record no events.
//
// Errors: [*ActivityError], [*EncodeError] and [*PayloadTooLargeError] for the input,
// [*InvalidArgumentError] for invalid options, [*DecodeError] for the result, [*CancelledError].
func (a Activity[In, Out]) Call(ctx Context, in In) (Out, error) {
	return a.Start(ctx, in).Await(ctx)
}

// ActivityAttempt describes the attempt in which the code of an activity runs.
type ActivityAttempt struct {
	// Name of the activity.
	Name string
	// Instance and ExecutionID identify the orchestration that scheduled the activity. EventID is
	// the id of its ActivityScheduled event.
	Instance    string
	ExecutionID int64
	EventID     int64
	// Number is the number of the attempt, from 1.
	Number int
	// Delivery counts the deliveries of this attempt from 1. It is above 1 if a worker died during
	// the attempt.
	Delivery int
	// ScheduledAt is when the orchestration scheduled the activity.
	ScheduledAt time.Time
	// IdempotencyKey is the same for all attempts and deliveries of one activity call, and
	// different for every other call. See [CommitEvery] for inline activities that share a commit.
	IdempotencyKey string
	// Deadline is the latest time at which the attempt's context ends.
	Deadline time.Time
	// Heartbeat has the details of the last heartbeat of an earlier attempt or delivery, as JSON;
	// nil if there was none. [LastHeartbeat] decodes them.
	Heartbeat []byte
	// CompletionToken completes the activity from outside after the attempt has returned
	// [ErrPending]. It cannot be guessed, and it fits in a URL. It is empty for an inline
	// activity.
	CompletionToken string
	// Headers are the headers of the orchestration's start and of the context with which it
	// scheduled the activity; nil if there are none. Do not change the map.
	Headers map[string]string
	// Inline is true for an activity that runs inside the turn.
	Inline bool
	// Encoded is true if a codec encodes payloads. Failures and log lines are not encoded, so do
	// not put the contents of payloads into either.
	Encoded bool
}

// ActivityInfo returns the attempt in which the code of an activity runs. Outside of activities it
// returns the zero value.
func ActivityInfo(ctx context.Context) ActivityAttempt {
	info, _ := activities.InfoFrom(ctx)
	return ActivityAttempt(info)
}

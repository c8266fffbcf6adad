package turnstile

import (
	"errors"
	"reflect"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Orchestration declares an orchestration: its name, and the types of its input and output, which
// are encoded as JSON. It is an immutable value; With returns a changed copy. Implement adds the
// code.
type Orchestration[In, Out any] struct {
	name      string
	source    string
	options   orchestrationOptions
	normalize engine.Normalizer
	// types is the problem with the types. problem combines it with the problem with the name. Both
	// are nil for a valid declaration.
	types, problem error
	// wrong is the problem with the options.
	wrong error
}

// NewOrchestration declares an orchestration. Its name is unique in an application, except for its
// versions, and is recorded in histories.
func NewOrchestration[In, Out any](name string) Orchestration[In, Out] {
	types := errors.Join(encodable[In]("input of orchestration", name), encodable[Out]("output of orchestration", name))
	return Orchestration[In, Out]{name: name, source: source(), normalize: normalize[In],
		types: types, problem: errors.Join(validName("orchestration", name), types)}
}

// Name returns the orchestration's name.
func (o Orchestration[In, Out]) Name() string { return o.name }

// Version returns the version that [Version] set; empty if none.
func (o Orchestration[In, Out]) Version() string { return o.options.version }

// InstanceID returns the instance id that the option [InstanceID] set; empty if none.
func (o Orchestration[In, Out]) InstanceID() string { return o.options.instance }

// UsesExisting reports whether the declaration has the option [UseExisting].
func (o Orchestration[In, Out]) UsesExisting() bool { return o.options.useExisting }

// Limit returns the key and the number that the option [Limit] set; empty and 0 if none.
func (o Orchestration[In, Out]) Limit() (key string, n int) {
	return o.options.limitKey, o.options.limit
}

// With returns a copy of the declaration with these options. Invalid options, such as a negative
// timeout, are reported by [App.Err] if the orchestration is implemented there, and by every call
// as an [*InvalidArgumentError].
func (o Orchestration[In, Out]) With(options ...OrchestrationOption) Orchestration[In, Out] {
	for _, option := range options {
		if option == nil {
			o.options.problems = append(o.options.problems, nilOption("Orchestration.With"))
			continue
		}
		option.applyToOrchestration(&o.options)
	}
	if len(o.options.problems) > 0 {
		o.wrong, o.options.problems = declared(o.wrong, o.options.problems, source()), nil
	}
	return o
}

// Implement returns the orchestration with its implementation, for [NewApp]:
//
//	app := turnstile.NewApp(
//		Fulfil.Implement(fulfil),
//		Fulfil.With(turnstile.Version("1.2")).Implement(fulfilBySupplier),
//	)
//
// The implementation must be deterministic: see the package documentation.
func (o Orchestration[In, Out]) Implement(implementation func(Context, In) (Out, error)) Component {
	entry := engine.Orchestration{
		Name:           o.name,
		Version:        o.options.version,
		Source:         source(),
		Strict:         o.options.strict,
		FailWhenStuck:  o.options.failWhenStuck,
		Retention:      o.options.retention,
		KeepExecutions: o.options.executions,
		LimitKey:       o.options.limitKey,
		Limit:          o.options.limit,
		Normalize:      normalize[Out],
	}
	if implementation != nil {
		name, timeout := o.name, o.options.timeout
		entry.Func = func(run *engine.Context, input []byte) ([]byte, error) {
			in, err := decode[In](input, "input of orchestration", name, run.Encoded())
			if err != nil {
				return nil, &recordedError{err: err, failure: history.Failure{Kind: history.FailureInvalidInput, Message: err.Error()}}
			}
			ctx := Context{run}
			if timeout > 0 {
				ctx, _ = WithTimeout(ctx, timeout)
			}
			out, err := implementation(ctx, in)
			if err != nil {
				return nil, recordable(err)
			}
			output, err := encode(out, "output of orchestration", name)
			if err != nil {
				return nil, &recordedError{err: err, failure: failureOfPayload(err)}
			}
			return output, nil
		}
	}
	types := catalog.Declaration{Kind: catalog.Orchestration, Name: o.name, Version: o.options.version, Takes: reflect.TypeFor[In](), Returns: reflect.TypeFor[Out]()}
	return orchestrationPart{entry, errors.Join(o.types, o.wrong), types}
}

// Start starts the orchestration as a sub-orchestration and returns immediately. [InstanceID] sets
// the child's instance id; without it the id is derived from the position of the start in the
// history. If the id is in use, the child fails with a [*ChildError] of kind already_exists, or,
// with [UseExisting], the parent waits for the existing instance. Without [Version] the child runs
// on the newest deployed version. Start records one event.
//
// Cancelling or terminating the parent also cancels or terminates the child. If the parent ends in
// another way, the child continues, unless a [ParentClosePolicy] says otherwise. [WithTimeout]
// limits how long the parent waits.
//
// With [Retry], a failed child is retried as another instance, whose id is derived or is
// [InstanceID] with "/2", "/3", … appended. The delays are timers, so each attempt records its own
// events, and each delay records two. A child is not retried if it was cancelled or terminated, if
// its id was in use, if it could not decode its input, or if its error code is among the
// NonRetryableCodes.
func (o Orchestration[In, Out]) Start(ctx Context, in In) Future[Out] {
	run := ctx.engine(o.name)
	if o.options.retry != nil && o.wrong == nil {
		o.sound("Orchestration.Start")
		return o.startWithRetry(ctx, in)
	}
	call, err := o.call("Orchestration.Start", in)
	if err != nil {
		return failed[Out](run, o.name, err)
	}
	return Future[Out]{op: run.Child(call), kind: ofChild, name: o.name}
}

// Call starts the orchestration as a sub-orchestration and waits for its output, as
// [Orchestration.Start] and [Future.Await] do. It records one event, and a second one when the
// child ends.
//
// Errors: [*ChildError]; [*InvalidArgumentError] for an invalid instance id or invalid options;
// [*EncodeError] and [*PayloadTooLargeError] for the input; [*DecodeError] for the output;
// [*CancelledError].
func (o Orchestration[In, Out]) Call(ctx Context, in In) (Out, error) {
	return o.Start(ctx, in).Await(ctx)
}

// StartDetached starts the orchestration as an independent instance, and returns its instance id.
// Nothing waits for the instance, and the failure or cancellation of one instance does not affect
// the other. StartDetached records one event.
func (o Orchestration[In, Out]) StartDetached(ctx Context, in In) (instance string, err error) {
	run := ctx.engine(o.name)
	call, err := o.call("Orchestration.StartDetached", in)
	if err != nil {
		return "", err
	}
	return run.Detach(call)
}

// ContinueAsNew ends this execution and starts the next execution of the same instance, with a new
// input and an empty history. Return its error:
//
//	return Report{}, Remind.ContinueAsNew(ctx, next)
//
// Callers that wait for the instance keep waiting. External events that no wait has taken and the
// states are passed to the next execution; open activities and timers are cancelled. The
// next execution runs on the newest deployed version, or on the version of With(Version(...)). An
// orchestration can only continue as itself. ContinueAsNew records one event, the last of this
// execution.
//
// The call alone has no effect. An orchestration that has called ContinueAsNew and returns without
// an error is stuck, because it dropped the error; the reason names the line of the call. An
// orchestration that returns another error fails with that error.
func (o Orchestration[In, Out]) ContinueAsNew(ctx Context, in In) error {
	run := ctx.engine("ContinueAsNew")
	if own := run.Info().Name; own != o.name {
		panic(&MisuseError{Call: "ContinueAsNew", Problem: "orchestration " + own + " cannot continue as " + o.name + ": use StartDetached or Call for another orchestration"})
	}
	if err := errors.Join(o.wrong, validVersion(o.options.version)); err != nil {
		return err
	}
	input, err := encode(in, "input of orchestration", o.name)
	if err != nil {
		return err
	}
	return run.ContinueAsNew(o.options.version, input, o.normalize)
}

// sound panics if the declaration is invalid, so that no call of the orchestration can work.
func (o Orchestration[In, Out]) sound(method string) {
	if o.normalize == nil || o.problem != nil {
		panic(unsound(method, o.name, "NewOrchestration", o.problem))
	}
}

func (o Orchestration[In, Out]) call(method string, in In) (engine.ChildCall, error) {
	o.sound(method)
	if err := errors.Join(o.wrong, validVersion(o.options.version)); err != nil {
		return engine.ChildCall{}, err
	}
	if id := o.options.instance; id != "" {
		if err := validInstance(id); err != nil {
			return engine.ChildCall{}, err
		}
	}
	input, err := encode(in, "input of orchestration", o.name)
	if err != nil {
		return engine.ChildCall{}, err
	}
	return engine.ChildCall{
		Name: o.name, Version: o.options.version, Instance: o.options.instance, Input: input, Normalize: o.normalize,
		OnParentEnd: o.options.onParentEnd, UseExisting: o.options.useExisting,
		LimitKey: o.options.limitKey, Limit: o.options.limit,
	}, nil
}

package turnstile

import (
	"errors"
	"reflect"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Orchestration is the declaration of an orchestration: its name, and the
// types of its input and output, which travel as JSON. It is a value; With
// returns another one. The implementation stands elsewhere, see Implement.
type Orchestration[In, Out any] struct {
	name      string
	source    string
	options   orchestrationOptions
	normalize engine.Normalizer
	// types is what is wrong with the types, problem that and what is wrong
	// with the name; nil if nothing is.
	types, problem error
	// wrong is what is wrong with the options.
	wrong error
}

// NewOrchestration declares an orchestration. Names are unique in an
// application, versions apart, and stand in histories.
func NewOrchestration[In, Out any](name string) Orchestration[In, Out] {
	types := errors.Join(encodable[In]("input of orchestration", name), encodable[Out]("output of orchestration", name))
	return Orchestration[In, Out]{name: name, source: source(), normalize: normalize[In],
		types: types, problem: errors.Join(validName("orchestration", name), types)}
}

// Name returns the orchestration's name.
func (o Orchestration[In, Out]) Name() string { return o.name }

// Version returns the version that [Version] gave the declaration; empty if none.
func (o Orchestration[In, Out]) Version() string { return o.options.version }

// InstanceID returns the instance id that [InstanceID] gave the declaration; empty
// if none.
func (o Orchestration[In, Out]) InstanceID() string { return o.options.instance }

// UsesExisting reports whether the declaration has the option [UseExisting].
func (o Orchestration[In, Out]) UsesExisting() bool { return o.options.useExisting }

// Limit returns the key and the number that [Limit] gave the declaration; empty if none.
func (o Orchestration[In, Out]) Limit() (key string, n int) {
	return o.options.limitKey, o.options.limit
}

// With returns a copy of the declaration with these options. [App.Err] reports
// invalid options, such as a negative timeout, where the orchestration is
// implemented, and calls of it return it as an [*InvalidArgumentError].
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

// Implement gives the declaration its implementation, for [NewApp]:
//
//	app := turnstile.NewApp(
//		Fulfil.Implement(fulfil),
//		Fulfil.With(turnstile.Version("1.2")).Is(fulfilBySupplier),
//	)
//
// The implementation must be deterministic: see the package documentation.
func (o Orchestration[In, Out]) Implement(implementation func(Context, In) (Out, error)) Part {
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
			in, err := decode[In](input, "input of orchestration", name, run.Sealed())
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

// Start starts it as a sub-orchestration and returns at once. Its instance id
// is derived from where it is started, unless [InstanceID] gives one; an id that
// is taken fails with a [*ChildError] of kind already_exists, or, with
// [UseExisting], is the instance that is waited for. Without Version it
// runs on the newest that is deployed. It records one event.
//
// Cancelling and terminating reach the child; the plain end of the parent does
// not, unless a [ParentClosePolicy] says so. [WithTimeout] bounds how long
// it is waited for.
//
// With [Retry] a child that failed is followed by another, with an instance id
// of its own: derived, or [InstanceID] with "/2", "/3", … appended. The delays
// are timers. So each attempt records its events, and each delay two. A child
// that was cancelled, terminated, found its id taken or could not take its
// input is not followed by another, nor is one whose code is among the
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

// Call starts it as a sub-orchestration and waits for its output: [Orchestration.Start]
// and [Future.Await]. It records one event, and one when the child has ended.
//
// Errors: [*ChildError], [*InvalidArgumentError] for an instance id, and for
// options that cannot be, [*EncodeError] and [*PayloadTooLargeError] for the
// input, [*DecodeError] for the output, [*CancelledError].
func (o Orchestration[In, Out]) Call(ctx Context, in In) (Out, error) {
	return o.Start(ctx, in).Await(ctx)
}

// StartDetached starts it as an instance of its own, and returns its instance id.
// Nobody waits for it; neither's failure or cancellation touches the other. It
// records one event.
func (o Orchestration[In, Out]) StartDetached(ctx Context, in In) (instance string, err error) {
	run := ctx.engine(o.name)
	call, err := o.call("Orchestration.StartDetached", in)
	if err != nil {
		return "", err
	}
	return run.Detach(call)
}

// ContinueAsNew ends this execution and begins the next one of the same
// instance, with a new input and an empty history. Return what it returns:
//
//	return Report{}, Remind.ContinueAsNew(ctx, next)
//
// Callers that wait for the instance go on waiting. External events that were
// not taken go over, and so does the custom status; open activities and timers
// are cancelled. The next execution runs on the newest version deployed, or on the
// version of With(Version(...)). Only an orchestration itself can continue as
// itself. It records one event, the last of this execution.
//
// The call alone does nothing. An orchestration that has called it and returns
// without an error is stuck, and says where it called: its result was dropped.
// One that returns another error fails with that error.
func (o Orchestration[In, Out]) ContinueAsNew(ctx Context, in In) error {
	run := ctx.engine("ContinueAsNew")
	if own := run.Info().Name; own != o.name {
		panic(&MisuseError{Call: "ContinueAsNew", Problem: "orchestration " + own + " cannot continue as " + o.name + ": start that one with StartDetached, or call it"})
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

// sound panics if no call of the orchestration can work.
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

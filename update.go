package turnstile

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Update declares an update, a request that a running instance accepts or rejects, handles, and answers
// exactly once. Its input and output are encoded as JSON. The orchestration registers a validator and a
// handler ([Update.Handle]), and a client calls client.Update:
//
//	var ChangeAddress = turnstile.NewUpdate[Address, Delivery]("change-address")
//
// Use an [Event] if the sender needs no answer, and a [Query] to read without changing anything.
type Update[In, Out any] struct {
	name   string
	source string
	// problem is the problem with the name or the types; nil if there is none.
	problem error
}

// NewUpdate declares an update.
func NewUpdate[In, Out any](name string) Update[In, Out] {
	return Update[In, Out]{name: name, source: source(),
		problem: errors.Join(validUpdate(name), encodable[In]("input of update", name), encodable[Out]("output of update", name))}
}

// Name returns the update's name.
func (u Update[In, Out]) Name() string { return u.name }

// Handle registers the validator and the handler of the update for this execution; later ones replace
// them. It records nothing, so handlers can be added to running instances. Register handlers before any
// other call: an update that arrives without a handler waits until the code has one.
//
// The validator is called once for each update. It reads the variables of the code and returns an error
// to reject the update; the caller gets the text. It must not wait, change variables or make durable
// calls. If it panics or makes a durable call, the instance is stuck, and fixed code decides. A nil
// validator accepts all inputs that In can decode; any other input is rejected.
//
// The handler runs as a branch, like a function that is given to [Go], in the scope of ctx. What it
// returns is the answer: its output, or its error. The acceptance and everything that the handler does
// before it first waits are recorded together. If the instance is cancelled, the calls of the handler
// return a [*CancelledError], like those of other branches.
//
// A handler that has not returned when its execution ends or continues as new does not run on: its
// caller gets an error. Call [AllHandlersFinished] before the end to let handlers return. An update
// that the code has not yet decided about is passed on by continue-as-new.
//
// In a deferred function that runs while the orchestration is unloaded, Handle has no effect.
func (u Update[In, Out]) Handle(ctx Context, validate func(in In) error, handler func(ctx Context, in In) (Out, error)) {
	run := ctx.engine("Update.Handle " + u.name)
	if u.source == "" || u.problem != nil {
		panic(unsound("Update.Handle", u.name, "NewUpdate", u.problem))
	}
	if handler == nil {
		panic(&MisuseError{Call: "Update.Handle " + u.name, Problem: "the handler is nil"})
	}
	encoded := run.Encoded()
	err := run.HandleUpdate(u.name, engine.UpdateHandler{
		Validate: func(input []byte) error {
			in, err := decode[In](input, "input of update", u.name, encoded)
			if err != nil || validate == nil {
				return err
			}
			return validate(in)
		},
		Handle: func(run *engine.Context, input []byte) ([]byte, error) {
			in, err := decode[In](input, "input of update", u.name, encoded)
			if err != nil {
				return nil, err
			}
			out, err := handler(Context{run}, in)
			if err != nil {
				return nil, recordable(err)
			}
			return encode(out, "output of update", u.name)
		},
		Normalize: normalize[Out],
		Origin:    origin(),
	})
	if misuse, ok := errors.AsType[*MisuseError](err); ok {
		panic(misuse)
	}
}

// AllHandlersFinished waits until no handler of an update runs. Call it before the orchestration returns
// or continues as new, so that each caller gets the answer of its handler. It records nothing.
//
// Errors: [*CancelledError], and [*MisuseError] in a handler, which would wait for itself.
func AllHandlersFinished(ctx Context) error {
	return ctx.engine("AllHandlersFinished").AwaitHandlers()
}

// Call sends the update to another instance, as client.Update does from outside, and returns its answer.
// The request is sent after the turn is committed. While that instance is suspended, stuck or not
// started, Call waits; a [WithTimeout] around it limits the wait, but does not take the request back.
// Call records two events, and one for the answer.
//
// A fork of this instance gets no answer to a call that it copied.
//
// Errors: [*UpdateError] if the update was rejected, failed, or was not answered before the other
// instance ended, or if its output is so large that it does not fit into an event together with about
// 250 bytes about it ([KindTooLarge]); [*InvalidArgumentError], [*EncodeError], [*PayloadTooLargeError], for which nothing is
// recorded; [*DecodeError] for an output that Out cannot decode, [*CancelledError].
func (u Update[In, Out]) Call(ctx Context, instance string, in In) (out Out, err error) {
	run := ctx.engine("Update.Call " + u.name)
	if u.source == "" || u.problem != nil {
		panic(unsound("Update.Call", u.name, "NewUpdate", u.problem))
	}
	if err := validInstance(instance); err != nil {
		return out, err
	}
	input, err := encode(in, "input of update", u.name)
	if err != nil {
		return out, err
	}
	f := run.CallUpdate(u.name, instance, input, normalize[In])
	document, err := run.Await(f)
	if err != nil {
		return out, err
	}
	output, rejected, err := engine.AnswerOf(f, document)
	if failure, ok := errors.AsType[*engine.FailureError](err); ok {
		return out, &UpdateError{Update: u.name, Instance: instance, Rejected: rejected, Kind: FailureKind(failure.Failure.Kind),
			Message: failure.Failure.Message, Code: failure.Failure.Code, failure: failure.Failure}
	}
	if err != nil {
		return out, err
	}
	return decode[Out](output, "output of update", u.name, run.Encoded())
}

// UpdateError is the failure of an update that an orchestration sent to another instance.
type UpdateError struct {
	// Update is its name, Instance the instance that it was sent to.
	Update, Instance string
	// Rejected is set if the update had no effect: the validator rejected it, or the instance had ended.
	Rejected bool
	Kind     FailureKind
	// Message is the reason of the rejection, or the message of the error that the handler returned.
	Message string
	// Code is the code of that error; may be empty.
	Code string

	failure history.Failure
}

func (e *UpdateError) Error() string {
	how := "failed" + ofKind(e.Kind)
	if e.Rejected {
		how = "was rejected"
	}
	return fmt.Sprintf("update %q of instance %q %s: %s", e.Update, e.Instance, how, e.Message)
}

// Is reports whether target is [ErrCancelled], [ErrTerminated] or [ErrTimeout] and matches the Kind.
func (e *UpdateError) Is(target error) bool { return e.Kind.Is(target) }

// Failure returns the failure that is recorded if an orchestration returns the error.
func (e *UpdateError) Failure() *history.Failure { return sourced(e.failure, e.Update) }

// addTo makes an update a [Component]. The console offers the updates of an application in a form.
func (u Update[In, Out]) addTo(a *App) {
	a.refuse("update", u.name, u.source, u.problem)
	if u.problem == nil {
		a.declared = append(a.declared, catalog.Declaration{Kind: catalog.Update, Name: u.name, Takes: reflect.TypeFor[In](), Returns: reflect.TypeFor[Out]()})
	}
}

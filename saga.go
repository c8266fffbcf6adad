package turnstile

import (
	"fmt"
	"strings"
)

// Saga collects the compensations of completed steps, which undo the steps if a later one fails.
// The zero value is empty.
//
//	var saga turnstile.Saga
//	room, err := Book.Call(ctx, trip)
//	if err != nil {
//		return saga.Compensate(ctx, err)
//	}
//	turnstile.Undo(&saga, "the room", Unbook.Call, room)
//	if _, err := Fly.Call(ctx, trip); err != nil {
//		return saga.Compensate(ctx, err)
//	}
//
// A step may have taken effect although it failed, for example with a timeout. For such a step, add
// the compensation before the step, and make the compensation succeed if there is nothing to undo.
type Saga struct{ steps []sagaStep }

type sagaStep struct {
	name string
	undo func(Context) error
}

// Add adds the compensation of a step. The [*CompensationError] contains the name.
func (s *Saga) Add(name string, undo func(Context) error) {
	if undo == nil {
		panic(&MisuseError{Call: "Saga.Add", Problem: fmt.Sprintf("the function that undoes %q is nil", name)})
	}
	s.steps = append(s.steps, sagaStep{name, undo})
}

// Undo adds a single call as the compensation of a step: the Call of an activity or a child, and
// its input. The result of the call is ignored.
//
//	turnstile.Undo(&saga, "the room", Unbook.Call, room)
//
// For a compensation with several calls use [Saga.Add].
func Undo[In, Out any](s *Saga, name string, call func(Context, In) (Out, error), in In) {
	if call == nil {
		panic(&MisuseError{Call: "Undo", Problem: fmt.Sprintf("the function that undoes %q is nil", name)})
	}
	s.Add(name, func(ctx Context) error {
		_, err := call(ctx, in)
		return err
	})
}

// Compensate runs the compensations in reverse order, each once, and empties the saga. It runs in a
// [WithoutCancel] context, so it also works after a cancel; after a crash it continues where it
// stopped. If a compensation fails, the others still run. A failed compensation is not repeated;
// only its activities' retry policies apply.
//
// Compensate returns cause, which may be nil, or a [*CompensationError] that wraps cause and names
// the steps that could not be undone. It records what the compensations record.
func (s *Saga) Compensate(ctx Context, cause error) error {
	shielded := WithoutCancel(ctx)
	defer shielded.run.Release()
	var failed []StepError
	for len(s.steps) > 0 {
		step := s.steps[len(s.steps)-1]
		s.steps = s.steps[:len(s.steps)-1]
		if err := step.undo(shielded); err != nil {
			failed = append(failed, StepError{step.name, err})
		}
	}
	if len(failed) == 0 {
		return cause
	}
	return &CompensationError{Cause: cause, Failed: failed}
}

// StepError is a step that could not be undone.
type StepError struct {
	// Step is the name that was given to [Saga.Add] or [Undo].
	Step string
	Err  error
}

// CompensationError names the steps that a [Saga] could not undo. It wraps its cause, so a
// cancelled orchestration that returns it has the status cancelled.
type CompensationError struct {
	// Cause is the error that was given to [Saga.Compensate]; may be nil.
	Cause error
	// Failed are the failed steps, in the order in which they were tried.
	Failed []StepError
}

func (e *CompensationError) Error() string {
	var b strings.Builder
	if e.Cause != nil {
		fmt.Fprintf(&b, "%v; ", e.Cause)
	}
	b.WriteString("could not undo ")
	for i, f := range e.Failed {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q: %v", f.Step, f.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *CompensationError) Unwrap() error { return e.Cause }

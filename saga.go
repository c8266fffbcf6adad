package turnstile

import (
	"fmt"
	"strings"
)

// Saga collects the steps to undo if a later step fails. The zero value is
// empty.
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
// Where a step may have taken effect although it failed, as one that timed out
// may, add its undoing before the step, and let it bear that there is nothing
// to undo.
type Saga struct{ steps []sagaStep }

type sagaStep struct {
	name string
	undo func(Context) error
}

// Add adds what undoes a step. The name stands in the [*CompensationError].
func (s *Saga) Add(name string, undo func(Context) error) {
	if undo == nil {
		panic(&MisuseError{Call: "Saga.Add", Problem: fmt.Sprintf("the function that undoes %q is nil", name)})
	}
	s.steps = append(s.steps, sagaStep{name, undo})
}

// Undo adds one call that undoes a step: an activity's or a child's Call, and its
// input. Its result is not used.
//
//	turnstile.Undo(&saga, "the room", Unbook.Call, room)
//
// For an undoing of several calls use [Saga.Add].
func Undo[In, Out any](s *Saga, name string, call func(Context, In) (Out, error), in In) {
	if call == nil {
		panic(&MisuseError{Call: "Undo", Problem: fmt.Sprintf("the function that undoes %q is nil", name)})
	}
	s.Add(name, func(ctx Context) error {
		_, err := call(ctx, in)
		return err
	})
}

// Compensate undoes all that was added, the last first, each once, and forgets
// it. It works in a shielded scope, so also after a cancel; a crash goes on
// where it was. One that fails does not keep the others from being undone; its
// activities' retry policies are what tries again.
//
// It returns cause, which may be nil, or a [*CompensationError] that wraps cause
// and names what could not be undone. It records what the functions record.
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
	// Step is the name it was added under.
	Step string
	Err  error
}

// CompensationError says what a Saga could not undo. It is what its cause is to
// errors.Is and errors.As: a cancelled orchestration that returns it has been
// cancelled.
type CompensationError struct {
	// Cause of the compensation; may be nil.
	Cause error
	// Failed steps, in the order in which they were tried.
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

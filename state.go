package turnstile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// MaxStates is the maximum size of all states of an instance together, in bytes: for each state its
// name, its value as JSON, and 100 bytes.
const MaxStates = 32 << 10

// State declares a named value that an instance makes visible, such as its progress, what it waits for,
// or a running total. The orchestration sets it ([State.Set]), and anyone who may read instances reads
// it (client.Get, client.WaitState) without running its code.
//
//	var Progress = turnstile.NewState[Percent]("progress")
//
// An instance has one value for each name that it has set. The state named "status" is special in
// one way: lists of instances show it, and searches for words include it.
//
// States are kept when the instance ends, and passed to the next execution by continue-as-new. A
// restart clears them. After a redrive or a fork, the states have the values with which the
// original execution started; as soon as the code has run, they have the values that the kept
// events imply.
type State[T any] struct {
	name   string
	source string
	// problem is the problem with the name or the type; nil if there is none.
	problem error
}

// NewState declares a state.
func NewState[T any](name string) State[T] {
	return State[T]{name: name, source: source(), problem: errors.Join(validName("state", name), encodable[T]("state", name))}
}

// Name returns the state's name.
func (s State[T]) Name() string { return s.name }

// Set sets the state to a value, which readers see once the turn is committed. If one turn sets the
// state several times, readers see only the last value. Set records nothing, because a replay
// computes the value again. Setting a value that is equal to the current one changes nothing and
// wakes no reader.
//
// A turn that changes a state also writes the record of its instance, in the transaction of its
// commit. On AWS that adds about $1.90 per million such turns if the record has at most 1 KB, and $1.25
// for each further KB. A turn that changes no state costs nothing more.
//
// Errors: [*EncodeError], and [*StateTooLargeError] if all states together would exceed
// [MaxStates]. After an error, the state keeps its value.
func (s State[T]) Set(ctx Context, value T) error {
	run := ctx.engine("State.Set " + s.name)
	if s.source == "" || s.problem != nil {
		panic(unsound("State.Set", s.name, "NewState", s.problem))
	}
	data, err := json.Marshal(value)
	if err != nil {
		return &EncodeError{What: "state", Name: s.name, Type: typeName[T](), Err: err}
	}
	limit := MaxStates
	if strings.HasPrefix(run.Info().Name, ownPrefix) {
		limit = MaxPayload
	}
	if size := run.StatesSize(s.name, len(data)); size > limit {
		return &StateTooLargeError{Name: s.name, Size: size, Limit: limit}
	}
	return run.SetState(s.name, data)
}

// ownPrefix is the prefix of the names of Turnstile's own orchestrations, such as schedules, whose
// states may be as large as an input.
const ownPrefix = "turnstile."

// StateTooLargeError is returned by [State.Set] if the states of an instance would exceed [MaxStates].
type StateTooLargeError struct {
	// Name of the state that was set.
	Name string
	// Size is the size that all states would have together, Limit the limit; both in bytes.
	Size, Limit int
}

func (e *StateTooLargeError) Error() string {
	return fmt.Sprintf("with this value of the state %q all states of the instance would have %d bytes, more than the limit of %d: show less, or show a reference to data that you store elsewhere", e.Name, e.Size, e.Limit)
}

// Failure returns the failure that is recorded if an orchestration returns the error.
func (e *StateTooLargeError) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureTooLarge, Message: e.Error()}
}

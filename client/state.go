package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/store"
)

// StateNumber orders the values of an instance's states. A later value has a higher number.
type StateNumber struct {
	// ExecutionID of the execution that set the value, and EventID of the last event that the
	// execution had processed or recorded by then. Both are 0 if there is no value.
	ExecutionID, EventID int64
}

// Compare returns a negative number if n is lower than m, a positive one if it is higher, and 0 if they
// are equal.
func (n StateNumber) Compare(m StateNumber) int {
	return cmp.Or(cmp.Compare(n.ExecutionID, m.ExecutionID), cmp.Compare(n.EventID, m.EventID))
}

// String returns both parts with a dot between them: "1.7".
func (n StateNumber) String() string { return fmt.Sprintf("%d.%d", n.ExecutionID, n.EventID) }

// StateValue is the value of a state ([turnstile.State]) as of the last committed turn.
type StateValue[T any] struct {
	Value  T
	Number StateNumber
	// At is when the event that Number names was recorded; zero if that is not known.
	At time.Time
	// Ended is set if the instance has ended, so that the value changes only if it is restarted or
	// redriven.
	Ended bool
}

// StateNotSetError is returned if an instance has not set a state.
type StateNotSetError struct {
	Instance string
	// Orchestration and Status of the instance.
	Orchestration string
	Status        Status
	// Name is the name of the state. Set has the names of the states that are set, sorted.
	Name string
	Set  []string
}

func (e *StateNotSetError) Error() string {
	set := "it has set no state"
	if len(e.Set) > 0 {
		set = "it has set " + strings.Join(e.Set, ", ")
	}
	if hint := near.Hint(e.Name, e.Set); hint != "" {
		set += hint
	} else if !e.Status.Terminal() {
		set += "; WaitState waits for the first value"
	}
	return fmt.Sprintf("turnstile: instance %q (%s, %s) has not set the state %q: %s", e.Instance, e.Orchestration, e.Status, e.Name, set)
}

// Get returns the value of a state of an instance. It makes one strongly consistent read and runs no code
// of the instance, which may be suspended, stuck or ended. On AWS a million calls cost $0.125 for a
// record of up to 4 KB, and as much for each further 4 KB. The record has all states, and the output or
// failure of an instance that has ended.
//
// Errors: [*NotFoundError], [*StateNotSetError], [*turnstile.DecodeError], and the error in
// Description.DecodeError.
func Get[T any](ctx context.Context, c *Client, s turnstile.State[T], instance string) (StateValue[T], error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return StateValue[T]{}, err
	}
	return StateOf(d, s)
}

// WaitState waits until a state has a higher number than after, or the instance ends, and returns its
// value. The zero StateNumber waits for the first value. To follow a state, pass the number of each value
// to the next call, until one has Ended set:
//
//	for v, err := client.Get(ctx, c, Progress, id); ; v, err = client.WaitState(ctx, c, Progress, id, v.Number) {
//		...
//	}
//
// It also waits for an instance that has no record yet. On AWS it reads the record after 20 ms, 30 ms and
// so on, at most one second apart; in one process it is notified.
//
// Errors: those of [Get], except that it returns a [*PurgedError] if the instance has been purged, and a
// [*WaitError] if the context ends first. Give the context a deadline.
func WaitState[T any](ctx context.Context, c *Client, s turnstile.State[T], instance string, after StateNumber) (StateValue[T], error) {
	d, err := c.WaitState(ctx, instance, s.Name(), after)
	if err != nil {
		return StateValue[T]{}, err
	}
	return StateOf(d, s)
}

// WaitState is the untyped form of [WaitState]: it returns the description of the instance. If
// Description.DecodeError is set, it does not wait.
func (c *Client) WaitState(ctx context.Context, instance, name string, after StateNumber) (Description, error) {
	d, err := c.waitAt(ctx, Started{Instance: instance}, stateInterval, stateInterval*50, func(d *Description) bool {
		return d.States[name].Number.Compare(after) > 0 || d.Status.Terminal() || d.DecodeError != nil
	})
	if err != nil {
		return Description{}, err
	}
	return *d, nil
}

// stateInterval is the first pause between two reads of a state that a call waits for.
const stateInterval = 20 * time.Millisecond

// StateOf returns the value that a state has in a description. It returns the errors of [Get].
func StateOf[T any](d Description, s turnstile.State[T]) (StateValue[T], error) {
	if d.DecodeError != nil {
		return StateValue[T]{}, d.DecodeError
	}
	v, ok := d.States[s.Name()]
	if !ok {
		return StateValue[T]{}, &StateNotSetError{Instance: d.Instance, Orchestration: d.Name, Status: d.Status, Name: s.Name(), Set: slices.Sorted(maps.Keys(d.States))}
	}
	value, err := decode[T](v.Value, "state", s.Name())
	return StateValue[T]{Value: value, Number: v.Number, At: v.At, Ended: v.Ended}, err
}

// statesOf decodes the states of a record.
func statesOf(r *store.Record) (map[string]StateValue[json.RawMessage], error) {
	states, err := history.DecodeStates(r.States)
	if err != nil {
		return nil, fmt.Errorf("turnstile: the record of instance %q is damaged: %w", r.Instance, err)
	}
	if len(states) == 0 {
		return nil, nil
	}
	all := make(map[string]StateValue[json.RawMessage], len(states))
	for i := range states {
		s := &states[i]
		v := StateValue[json.RawMessage]{Value: s.Value, Number: StateNumber{s.ExecutionID, s.EventID}, Ended: r.Status.Terminal()}
		if s.AtMS != 0 {
			v.At = time.UnixMilli(s.AtMS)
		}
		all[s.Name] = v
	}
	return all, nil
}

package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ListedState is the name of the state that lists of instances show and that a search for words
// includes.
const ListedState = "status"

// State is a named value that an instance publishes to readers. The code sets it. It is not an event,
// because a replay computes it again.
type State struct {
	Name string
	// Value as JSON.
	Value []byte
	// ExecutionID and EventID number the value: the execution that set it, and the last event that
	// the execution had processed or recorded by then. A later value of the instance has a higher
	// number. EventID is 0 for a value that a redrive or a fork copied with the start of the
	// execution, and both are 0 for a value that an early build carried over.
	ExecutionID, EventID int64
	// AtMS is when that event was recorded, in Unix milliseconds.
	AtMS int64
}

// EncodeStates returns states as one JSON object, in the order given: each name with its value and
// number. The bytes of the values do not change. It returns nil for none.
func EncodeStates(states []State) []byte {
	if len(states) == 0 {
		return nil
	}
	size := 2
	for i := range states {
		size += len(states[i].Name) + len(states[i].Value) + 80
	}
	dst := append(make([]byte, 0, size), '{')
	for i := range states {
		s := &states[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, s.Name), `:{"value":`...)
		dst = append(dst, s.Value...)
		dst = strconv.AppendInt(append(dst, `,"execution_id":`...), s.ExecutionID, 10)
		dst = strconv.AppendInt(append(dst, `,"event_id":`...), s.EventID, 10)
		dst = append(strconv.AppendInt(append(dst, `,"at_ms":`...), s.AtMS, 10), '}')
	}
	return append(dst, '}')
}

// DecodeStates returns the states of an object that EncodeStates made, sorted by name; nil for an empty
// one.
func DecodeStates(data []byte) ([]State, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var all map[string]struct {
		Value       json.RawMessage `json:"value"`
		ExecutionID int64           `json:"execution_id"`
		EventID     int64           `json:"event_id"`
		AtMS        int64           `json:"at_ms"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("the states cannot be decoded: %w", err)
	}
	states := make([]State, 0, len(all))
	for name, s := range all {
		if len(s.Value) == 0 {
			return nil, fmt.Errorf("the state %q has no value", name)
		}
		states = append(states, State{Name: name, Value: s.Value, ExecutionID: s.ExecutionID, EventID: s.EventID, AtMS: s.AtMS})
	}
	slices.SortFunc(states, func(a, b State) int { return strings.Compare(a.Name, b.Name) })
	return states, nil
}

// StateNamed returns the value of one of the encoded states; nil if it is not set or cannot be decoded.
func StateNamed(data []byte, name string) []byte {
	states, _ := DecodeStates(data)
	for i := range states {
		if states[i].Name == name {
			return states[i].Value
		}
	}
	return nil
}

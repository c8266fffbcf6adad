package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// stateOverhead is the number of bytes that each state counts in addition to its name and value,
// for the number and the time of the value. It affects what replayed code does: never change it.
const stateOverhead = 100

// StatesSize returns the size that the states of the instance would have if this one had a value of
// valueBytes: names, values and 100 bytes each. Outside the running code it returns 0.
func (c *Context) StatesSize(name string, valueBytes int) int {
	if !c.x.owned() {
		return 0
	}
	size := len(name) + valueBytes + stateOverhead
	for i := range c.x.states {
		if s := &c.x.states[i]; s.Name != name {
			size += len(s.Name) + len(s.Value) + stateOverhead
		}
	}
	return size
}

// SetState sets a state, which readers of the instance see once the turn is committed. It is not an
// event, because a replay computes the state again, with the same number and time. Setting a state
// to the value that it already has keeps the number. The value must be JSON, and must not be
// modified afterwards.
func (c *Context) SetState(name string, value []byte) error {
	x := c.x
	if _, err := x.enterUnrecorded("State.Set", name); err != nil {
		return err
	}
	if x.cursor.live && !x.run.statesSet {
		x.run.statesSet, x.run.statesWas = true, x.encodedStates()
	}
	at, found := slices.BinarySearchFunc(x.states, name, func(s history.State, name string) int { return strings.Compare(s.Name, name) })
	if found && bytes.Equal(x.states[at].Value, value) {
		return nil
	}
	number := x.reached()
	set := history.State{Name: name, Value: value, ExecutionID: x.cfg.ExecutionID, EventID: number, AtMS: x.events.at(int(number) - 1).AtMS}
	if x.states = slices.Clone(x.states); found {
		x.states[at] = set
	} else {
		x.states = slices.Insert(x.states, at, set)
	}
	x.statesEncoded = nil
	return nil
}

func (x *Execution) encodedStates() []byte {
	if x.statesEncoded == nil {
		x.statesEncoded = history.EncodeStates(x.states)
	}
	return x.statesEncoded
}

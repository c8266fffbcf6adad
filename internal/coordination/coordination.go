// Package coordination defines what Turnstile's own orchestrations, the coordinators of instance limits and the
// schedules, share with the host, which asks coordinators for permits, and with the programs that display them.
package coordination

import (
	"encoding/json"
	"strings"
)

const (
	// Orchestration is the name of the orchestration that every coordinator is an instance of.
	Orchestration = "turnstile.limit"
	// Questions is the event with which an instance asks for a permit, Orders the one with which an operator changes a
	// limit.
	Questions = "turnstile.limit.question"
	Orders    = "turnstile.limit.order"
	// Longest is the maximum length of the waiting list. An instance that asks when it is full is terminated.
	Longest = 1000
	// Shown is how many waiting instances its state lists.
	Shown = 50
)

// InstanceID returns the instance id of the coordinator of a key.
func InstanceID(key string) string { return prefix + key }

// KeyOf returns the key of the coordinator with this instance id.
func KeyOf(instance string) string { return strings.TrimPrefix(instance, prefix) }

// IsCoordinator reports whether an instance is a coordinator.
func IsCoordinator(instance string) bool { return strings.HasPrefix(instance, prefix) }

const prefix = "limit:"

// Request identifies a waiting instance by its OrchestrationSuspended event, and says since when it waits.
type Request struct {
	Instance string `json:"instance,omitempty"`
	// Name is the name of its orchestration.
	Name        string `json:"name,omitempty"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	SinceMS     int64  `json:"since_ms,omitempty"`
}

// Question asks for a permit of a limit that the code declares as N.
type Question struct {
	Request
	N int `json:"n"`
}

// JSON returns the question as the data of its event.
func (q Question) JSON() json.RawMessage {
	data, _ := json.Marshal(q) // It consists of strings and numbers, which always encode.
	return data
}

// State is the state of a coordinator. It is the input of each of its executions and, with at most Shown of Waiting, its
// published state.
type State struct {
	Key string `json:"key"`
	// N is how many instances may run: Set, or Declared if Set is 0.
	N int `json:"n"`
	// Set is the number that an operator has set, Declared the number in the newest question.
	Set      int `json:"set,omitempty"`
	Declared int `json:"declared,omitempty"`
	// Other is the number of the last question with a different number, which was replaced at OtherMS: another build, or
	// another call, declares the key differently.
	Other   int   `json:"other,omitempty"`
	OtherMS int64 `json:"other_ms,omitempty"`
	// Closed is set if an operator has set 0, so no instance gets a permit.
	Closed bool `json:"closed,omitempty"`
	// SetBy is the actor who last changed Set, SetAtMS the time.
	SetBy   string `json:"set_by,omitempty"`
	SetAtMS int64  `json:"set_at_ms,omitempty"`
	// Running hold a permit since SinceMS; Waiting wait for one, in order.
	Running []Request `json:"running,omitempty"`
	Waiting []Request `json:"waiting,omitempty"`
	// Length is the length of the waiting list.
	Length int `json:"length,omitempty"`
	// Events is the number of events after which an execution of the coordinator continues as new; 0 for the default.
	// The simulation sets it to make this happen often.
	Events int64 `json:"events,omitempty"`
}

// First returns the input of a coordinator's first execution.
func First(key string) json.RawMessage {
	data, _ := json.Marshal(State{Key: key})
	return data
}

// Order is an operator's order to a coordinator.
type Order struct {
	// First is a waiting instance that moves to the front of the waiting list.
	First string `json:"first,omitempty"`
	// N is how many instances may run from now on, whatever the code declares. 0 changes nothing; a negative number
	// restores the code's number.
	N int `json:"n,omitempty"`
	// Close gives no permits until another number is set.
	Close bool `json:"close,omitempty"`
	// By is the actor, AtMS the time.
	By   string `json:"by,omitempty"`
	AtMS int64  `json:"at_ms,omitempty"`
}

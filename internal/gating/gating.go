// Package gating has what the gates of limits of instances, the host that asks them, and the
// programs that show them agree on.
package gating

import (
	"encoding/json"
	"strings"
)

const (
	// Orchestration is the name of the orchestration that every gate is an instance of.
	Orchestration = "turnstile.limit"
	// Questions is the event by which an instance asks for a place, Orders that by which an
	// operator changes a gate.
	Questions = "turnstile.limit.question"
	Orders    = "turnstile.limit.order"
	// Longest is how many can wait at a gate. Who asks then is terminated.
	Longest = 1000
	// Shown is how many of those that wait are in the custom status.
	Shown = 50
)

// InstanceID returns the id of the instance that the gate of a key is.
func InstanceID(key string) string { return prefix + key }

// KeyOf returns the key of the gate that an instance is.
func KeyOf(instance string) string { return strings.TrimPrefix(instance, prefix) }

// IsGate reports whether an instance is the gate of a key.
func IsGate(instance string) bool { return strings.HasPrefix(instance, prefix) }

const prefix = "limit:"

// Place is a wait for a turn: the OrchestrationSuspended of an instance, and since when it waits.
type Place struct {
	Instance string `json:"instance,omitempty"`
	// Name of its orchestration.
	Name        string `json:"name,omitempty"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	SinceMS     int64  `json:"since_ms,omitempty"`
}

// Question asks for a place, of N.
type Question struct {
	Place
	N int `json:"n"`
}

// JSON returns the question as the data of its event.
func (q Question) JSON() json.RawMessage {
	data, _ := json.Marshal(q) // It has nothing but texts and numbers.
	return data
}

// Line is what a gate knows: the input of each of its executions, and its custom status,
// with at most Shown of Waiting.
type Line struct {
	Key string `json:"key"`
	// N is how many may run: Set, or Declared if that is 0.
	N int `json:"n"`
	// Set is the number that an operator has set, Declared that of the newest question.
	Set      int `json:"set,omitempty"`
	Declared int `json:"declared,omitempty"`
	// Other is the number of a question before that had another, until OtherMS: another build, or
	// another call, declares the key otherwise.
	Other   int   `json:"other,omitempty"`
	OtherMS int64 `json:"other_ms,omitempty"`
	// Closed: an operator has set 0, and nobody is let in.
	Closed bool `json:"closed,omitempty"`
	// SetBy is the actor who changed Set last, SetAtMS when.
	SetBy   string `json:"set_by,omitempty"`
	SetAtMS int64  `json:"set_at_ms,omitempty"`
	// Running have a place, since SinceMS; Waiting wait for one, the first first.
	Running []Place `json:"running,omitempty"`
	Waiting []Place `json:"waiting,omitempty"`
	// Length is how many wait.
	Length int `json:"length,omitempty"`
	// Events is after how many events an execution of the gate continues as new; 0 for as many
	// as it needs. The simulation sets it, so that this comes often.
	Events int64 `json:"events,omitempty"`
}

// First is the input of the first execution of a gate.
func First(key string) json.RawMessage {
	data, _ := json.Marshal(Line{Key: key})
	return data
}

// Order is what an operator tells a gate.
type Order struct {
	// First is an instance that waits. It becomes the first of the line.
	First string `json:"first,omitempty"`
	// N is how many may run from now on, whatever the code says; 0 changes nothing, and with a
	// negative number that of the code counts again.
	N int `json:"n,omitempty"`
	// Close lets nobody in until another number is set.
	Close bool `json:"close,omitempty"`
	// By is the actor, AtMS the time.
	By   string `json:"by,omitempty"`
	AtMS int64  `json:"at_ms,omitempty"`
}

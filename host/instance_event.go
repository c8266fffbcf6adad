package host

import "time"

// InstanceEvent says that something happened to an instance. It has no input, output,
// custom status or message of a failure: those may be large, or secret, and stand in what
// client.Client.Describe returns.
type InstanceEvent struct {
	// Schema is the version of what the fields mean: 1. A field that is added leaves it;
	// one that changes its meaning, or goes, raises it.
	Schema int `json:"schema"`
	// Type is "started" (by a start, or as a fork), "begun_again" (by a rerun, by a redrive, or by
	// a start after a purge), "continued_as_new", "suspended", "resumed", "stuck", "recovered",
	// "completed", "failed", "cancelled" or "terminated".
	Type string `json:"type"`
	// Instance that it happened to, its execution from 1, and the name of its
	// orchestration.
	Instance      string `json:"instance"`
	Execution     int64  `json:"execution"`
	Orchestration string `json:"orchestration"`
	// Number orders the events of an instance: compared as a text, the number of a later
	// event is greater. A receiver that keeps the greatest number it has seen of an
	// instance drops repeats, and what comes late, by it.
	Number string `json:"number"`
	// At is when it was recorded, in milliseconds, by the host's clock.
	At time.Time `json:"at"`
	// EventID in the history of the execution; 0 for "stuck" and "recovered", which are not
	// events of a history.
	EventID int64 `json:"event_id,omitempty"`
	// Problem is, of "stuck" and "recovered", the kind of the problem, as of store.Problem.
	Problem string `json:"problem,omitempty"`
	// Code of the failure, of "failed", where the code of the orchestration gave one
	// (turnstile.WithCode).
	Code string `json:"code,omitempty"`
}

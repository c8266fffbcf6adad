package host

import "time"

// InstanceEvent is a notification about an instance, for example that it has started, ended or
// become stuck. It does not contain the input, the output, the states or a failure's message,
// because these may be large or secret; client.Client.Describe returns them.
type InstanceEvent struct {
	// Schema is the version of the meaning of the fields: 1. Adding a field does not change the
	// version; removing a field or changing its meaning increases it.
	Schema int `json:"schema"`
	// Type is "started" (by a start, or as a fork), "restarted" (by a restart, by a redrive, or by
	// a start after a purge), "continued_as_new", "suspended", "resumed", "stuck", "recovered",
	// "completed", "failed", "cancelled" or "terminated".
	Type string `json:"type"`
	// Instance is the id of the instance, Execution the number of its execution, from 1, and
	// Orchestration the name of its orchestration.
	Instance      string `json:"instance"`
	Execution     int64  `json:"execution"`
	Orchestration string `json:"orchestration"`
	// Number orders the events of an instance: a later event has a greater number when compared as
	// strings. A receiver that stores the greatest number it has seen for an instance can drop repeated
	// and late events.
	Number string `json:"number"`
	// At is when the event was recorded, in milliseconds, by the host's clock.
	At time.Time `json:"at"`
	// EventID in the history of the execution; 0 for "stuck" and "recovered", which are not
	// events of a history.
	EventID int64 `json:"event_id,omitempty"`
	// Problem is the kind of the problem, as in store.Problem, for "stuck" and "recovered"; empty
	// otherwise.
	Problem string `json:"problem,omitempty"`
	// Code of the failure, for "failed", if the orchestration's code set one (turnstile.WithCode).
	Code string `json:"code,omitempty"`
}

package api

import (
	"encoding/json"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// Query queries the code of an instance. Nothing is recorded or sent.
type Query struct {
	// Name of the query.
	Name string `json:"name"`
	// Input of the query; omitted for none.
	Input json.RawMessage `json:"input,omitempty"`
}

// QueryAnswer is the answer of the code.
type QueryAnswer struct {
	Output json.RawMessage `json:"output"`
	// ExecutionID of the execution that answered.
	ExecutionID int64 `json:"execution_id"`
	// ReadTo is the last event that the code had processed when it answered, and LastEventID the
	// last event of the history.
	ReadTo      int64 `json:"read_to"`
	LastEventID int64 `json:"last_event_id"`
	// Problem is why the code cannot process the events after ReadTo; omitted if it can.
	Problem *store.Problem `json:"problem,omitempty"`
}

// QueryAnswerOf returns the JSON form of an answer.
func QueryAnswerOf(a *client.QueryAnswer[json.RawMessage]) QueryAnswer {
	return QueryAnswer{Output: a.Value, ExecutionID: a.ExecutionID, ReadTo: a.ReadTo, LastEventID: a.LastEventID, Problem: a.Problem}
}

// NoAnswer is why a query has no answer.
type NoAnswer struct {
	// Instance that was queried, its orchestration, and the name of the query.
	Instance      string `json:"instance"`
	Orchestration string `json:"orchestration"`
	Query         string `json:"query"`
	// Kind is "unknown" if the code has no handler of that name, "not_run" if the code has not run
	// yet, "not_registered" if the build that was asked lacks the orchestration, "disagrees" if its
	// code no longer agrees with the history, "durable_call", "panic" or "failed" if the handler made
	// a durable call, panicked or returned an error, and "blocked" if there was no answer in time.
	Kind string `json:"kind"`
	// Message without the names of the instance and the query.
	Message string `json:"message"`
	// EventID at which the code disagrees; omitted for other kinds.
	EventID int64 `json:"event_id,omitempty"`
	// Stack of a panic; omitted for other kinds.
	Stack string `json:"stack,omitempty"`
}

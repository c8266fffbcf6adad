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

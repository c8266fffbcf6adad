package api

import "github.com/turnstile-go/turnstile/engine"

// CodeWaits is where the code of an instance waits.
type CodeWaits struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID is the last event that the code has processed; 0 before its first turn ended.
	EventID int64 `json:"event_id"`
	// Branches of the code that wait, the main function first; empty if the code has ended.
	Branches []CodeBranch `json:"branches"`
	// Problem is why the replay does not reach the place where the code waits: the code disagrees
	// with the history, or a payload cannot be decoded.
	Problem string `json:"problem,omitempty"`
}

// CodeBranch is a branch of the code that waits.
type CodeBranch struct{ engine.Place }

// CodeWaitsOf returns the JSON form of where code waits.
func CodeWaitsOf(instance string, execution, event int64, places []engine.Place, err error) CodeWaits {
	out := CodeWaits{Instance: instance, ExecutionID: execution, EventID: event, Branches: make([]CodeBranch, len(places))}
	for i, p := range places {
		out.Branches[i] = CodeBranch{p}
	}
	if err != nil {
		out.Problem = err.Error()
	}
	return out
}

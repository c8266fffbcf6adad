package api

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/difference"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Difference compares two executions, operation by operation.
type Difference struct {
	A DifferenceSide `json:"a"`
	B DifferenceSide `json:"b"`
	// The numbers of operations that are equal, that differ, and that only one side has. The start and the end of
	// the executions count too.
	Equal  int `json:"equal"`
	Differ int `json:"differ"`
	OnlyA  int `json:"only_a"`
	OnlyB  int `json:"only_b"`
	// Rows in the order of both sides. Consecutive equal rows are folded into one, unless all were requested.
	Rows []DifferenceRow `json:"rows"`
	// More is how many rows were left out.
	More int `json:"more,omitempty"`
}

// DifferenceSide is one of the compared executions.
type DifferenceSide struct {
	Instance    string    `json:"instance"`
	ExecutionID int64     `json:"execution_id"`
	Name        string    `json:"name"`
	Version     string    `json:"version,omitempty"`
	From        time.Time `json:"from"`
	// To is omitted while it runs, and so is End, which is how it ended: "completed", "failed", "cancelled",
	// "terminated" or "continued as new".
	To     time.Time `json:"to,omitzero"`
	End    string    `json:"end,omitempty"`
	Events int       `json:"events"`
}

// DifferenceRow is an operation of one side or of both, or a number of equal ones.
type DifferenceRow struct {
	// Kind of the operation, as in the timeline, or "start" or "end"; omitted in a folded row.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name,omitempty"`
	Op   string `json:"op,omitempty"`
	// Label that the code gave it; that of side A if both have one.
	Label string `json:"label,omitempty"`
	// Equal is how many equal operations this row represents; 0 if the row is not equal.
	Equal int `json:"equal,omitempty"`
	// Differs names what differs: name, version, input, duration, state, result, failure, attempts, value.
	// Omitted if only one side has the operation.
	Differs []string             `json:"differs,omitempty"`
	A       *DifferenceOperation `json:"a,omitempty"`
	B       *DifferenceOperation `json:"b,omitempty"`
}

// DifferenceOperation is the operation of one side.
type DifferenceOperation struct {
	EventID     int64 `json:"event_id"`
	CompletedBy int64 `json:"completed_by,omitempty"`
	// State as in the timeline; for an end, how it ended.
	State   string `json:"state,omitempty"`
	Version string `json:"version,omitempty"`
	// TookMS is omitted while it runs. Times are not compared.
	TookMS  int64 `json:"took_ms,omitempty"`
	Attempt int   `json:"attempt,omitempty"`
	// DurationMS of a timer.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Input and Result, if they differ or only one side has the operation. Large ones are folded; the event has
	// them.
	Input   *Payload      `json:"input,omitempty"`
	Result  *Payload      `json:"result,omitempty"`
	Failure *wire.Failure `json:"failure,omitempty"`
}

// mostDifferenceRows is the maximum number of rows in a response.
const mostDifferenceRows = 2000

// DifferenceOf returns the JSON form of a difference. If all is set, equal rows are not folded.
func DifferenceOf(a, b DifferenceSide, rows []difference.Row, all bool) Difference {
	out := Difference{A: a, B: b, Rows: []DifferenceRow{}}
	for i := range rows {
		r := &rows[i]
		row := DifferenceRow{Kind: r.Kind, Name: r.Name, Differs: r.Differs}
		switch {
		case r.Equal():
			out.Equal++
			if n := len(out.Rows); !all && n > 0 && out.Rows[n-1].Equal > 0 {
				out.Rows[n-1].Equal++
				continue
			}
			row.Equal = 1
			if !all {
				row.Kind, row.Name = "", ""
			}
		case r.A == nil:
			out.OnlyB++
		case r.B == nil:
			out.OnlyA++
		default:
			out.Differ++
		}
		if len(out.Rows) == mostDifferenceRows {
			out.More++
			continue
		}
		if row.Kind != "" {
			row.A, row.B = sideOf(r.A, a.From, r.Equal()), sideOf(r.B, b.From, r.Equal())
			if one := r.A; one != nil && one.Row != nil {
				row.Op, row.Label = one.Row.Op, one.Row.Label
			} else if one := r.B; one != nil && one.Row != nil {
				row.Op, row.Label = one.Row.Op, one.Row.Label
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func sideOf(o *difference.Operation, from time.Time, bare bool) *DifferenceOperation {
	if o == nil {
		return nil
	}
	out := &DifferenceOperation{EventID: o.Asked.EventID, DurationMS: o.Asked.DurationMS}
	result := o.Came
	switch r := o.Row; {
	case r != nil:
		out.CompletedBy, out.State, out.Version, out.Attempt = r.CompletedBy, string(r.State), r.Version, r.Attempt
		if !r.EndedAt.IsZero() {
			startedAt := r.ScheduledAt
			if startedAt.Before(from) && !r.EndedAt.Before(from) {
				startedAt = from // A redrive has started it again.
			}
			out.TookMS = r.EndedAt.Sub(startedAt).Milliseconds()
		}
	case o.Asked.Kind == history.OrchestrationStarted:
		out.Version = o.Asked.Version
	default:
		out.State, result = difference.EndState(o.Asked), o.Asked
	}
	if bare {
		return out
	}
	if result != o.Asked {
		out.Input = payloadOf(o.Asked, false)
	}
	if result != nil {
		out.Result, out.Failure = payloadOf(result, false), bareFailureOf(result.Failure)
	}
	return out
}

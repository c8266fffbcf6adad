package sqlite

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// recordColumns are the columns of a row from which scanRecord builds a record. recordColumn is the
// index of the column that is NULL if there is no record, statesColumn that of the states.
const (
	recordColumns = "instances.no, instance, status, instances.name, states, output, record"
	recordColumn  = 6
	statesColumn  = 4
)

// row has the fields of a record that are stored in separate columns, and the rest.
type row struct {
	status, name, listKey any
	rest                  string
}

// rest has the fields of a record that have no column, as JSON. Times are in Unix milliseconds, 0 for
// none.
type rest struct {
	ExecutionID      int64                    `json:"execution_id"`
	StartID          string                   `json:"start_id,omitempty"`
	EarlierStarts    []string                 `json:"earlier_starts,omitempty"`
	Version          string                   `json:"version,omitempty"`
	CreatedMS        int64                    `json:"created_ms,omitempty"`
	UpdatedMS        int64                    `json:"updated_ms,omitempty"`
	EndedMS          int64                    `json:"ended_ms,omitempty"`
	FirstExecution   int64                    `json:"first_execution,omitempty"`
	Pruned           int64                    `json:"pruned,omitempty"`
	SearchAttributes history.SearchAttributes `json:"search_attributes,omitempty"`
	StatesCodec      string                   `json:"states_codec,omitempty"`
	Codec            string                   `json:"codec,omitempty"`
	Failure          *failure                 `json:"failure,omitempty"`
	Parent           *parent                  `json:"parent,omitempty"`
	Origin           *history.Origin          `json:"origin,omitempty"`
	FairnessGroup    string                   `json:"fairness_group,omitempty"`
	Problem          *store.Problem           `json:"problem,omitempty"`
	Suspension       *store.Suspension        `json:"suspension,omitempty"`
	Suspect          string                   `json:"suspect,omitempty"`
	Dispatched       string                   `json:"dispatched,omitempty"`
	Awaits           *store.Problem           `json:"awaits,omitempty"`
	Unreported       string                   `json:"unreported,omitempty"`
	LoopedMS         int64                    `json:"looped_ms,omitempty"`
	Stamp            int64                    `json:"stamp,omitempty"`
	Reserved         *store.Reservation       `json:"reserved,omitempty"`
	Skipped          []int64                  `json:"skipped,omitempty"`
	Forked           int64                    `json:"forked,omitempty"`
	Forks            []string                 `json:"forks,omitempty"`
	Purged           bool                     `json:"purged,omitempty"`
	FreeMS           int64                    `json:"free_ms,omitempty"`
}

// failure is history.Failure as a record stores it.
type failure struct {
	Kind         string `json:"kind"`
	Message      string `json:"message,omitempty"`
	Code         string `json:"code,omitempty"`
	Source       string `json:"source,omitempty"`
	Instance     string `json:"instance,omitempty"`
	Attempt      int    `json:"attempt,omitempty"`
	Retryable    bool   `json:"retryable,omitempty"`
	Stack        string `json:"stack,omitempty"`
	RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
	Details      []byte `json:"details,omitempty"`
}

// parent is history.Parent as a record stores it.
type parent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	AtMS        int64  `json:"at_ms,omitempty"`
	Token       string `json:"token,omitempty"`
}

func rowOf(r *store.Record) (row, error) {
	var reserved *store.Reservation
	if r.Reserved != (store.Reservation{}) {
		reserved = &r.Reserved
	}
	b, err := json.Marshal(rest{
		ExecutionID: r.ExecutionID, StartID: r.StartID, EarlierStarts: r.EarlierStarts, Version: r.Version,
		CreatedMS: millis(r.CreatedAt), UpdatedMS: millis(r.UpdatedAt), EndedMS: millis(r.EndedAt), FirstExecution: r.FirstExecution, Pruned: r.Pruned,
		SearchAttributes: r.SearchAttributes, StatesCodec: r.StatesCodec, Codec: r.Codec, Failure: (*failure)(r.Failure), Parent: (*parent)(r.Parent), Origin: r.Origin,
		FairnessGroup: r.FairnessGroup, Problem: r.Problem, Suspension: r.Suspension, Suspect: r.Suspect, Dispatched: r.Dispatched, Awaits: r.Awaits, Unreported: r.Unreported, LoopedMS: millis(r.LoopedAt), Stamp: r.Stamp,
		Reserved: reserved, Skipped: r.Skipped, Forked: r.Forked, Forks: r.Forks, Purged: r.Purged, FreeMS: millis(r.FreeAt),
	})
	if err != nil {
		return row{}, fmt.Errorf("sqlite: encoding the record of instance %q: %w", r.Instance, err)
	}
	if r.Purged {
		return row{rest: string(b)}, nil
	}
	return row{status: string(r.Status), name: r.Name, listKey: r.ListKey(), rest: string(b)}, nil
}

// scanRecord builds a record from a row with recordColumns.
func scanRecord(s *sqlite3.Stmt) (store.Record, error) {
	id := s.ColumnText(1)
	var f rest
	if err := json.Unmarshal(s.ColumnRawText(recordColumn), &f); err != nil {
		return store.Record{}, &unreadableError{fmt.Sprintf("the record of instance %q", id), err}
	}
	r := store.Record{
		Instance: id, Status: store.Status(s.ColumnText(2)), Name: s.ColumnText(3), States: s.ColumnBlob(4, nil), Output: s.ColumnBlob(5, nil),
		ExecutionID: f.ExecutionID, StartID: f.StartID, EarlierStarts: f.EarlierStarts, Version: f.Version,
		CreatedAt: timeOf(f.CreatedMS), UpdatedAt: timeOf(f.UpdatedMS), EndedAt: timeOf(f.EndedMS), FirstExecution: f.FirstExecution, Pruned: f.Pruned,
		SearchAttributes: f.SearchAttributes, StatesCodec: f.StatesCodec, Codec: f.Codec, Failure: (*history.Failure)(f.Failure), Parent: (*history.Parent)(f.Parent), Origin: f.Origin,
		FairnessGroup: f.FairnessGroup, Problem: f.Problem, Suspension: f.Suspension, Suspect: f.Suspect, Dispatched: f.Dispatched, Awaits: f.Awaits, Unreported: f.Unreported, LoopedAt: timeOf(f.LoopedMS), Stamp: f.Stamp,
		Skipped: f.Skipped, Forked: f.Forked, Forks: f.Forks, Purged: f.Purged, FreeAt: timeOf(f.FreeMS),
	}
	if f.Reserved != nil {
		r.Reserved = *f.Reserved
	}
	return r.Stored(), nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

package sqlite

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// recordColumns are the columns of a row from which scanRecord makes a record,
// recordColumn is the place of the one that is NULL where there is none, customColumn that of the
// custom status.
const (
	recordColumns = "instances.no, instance, status, instances.name, custom_status, output, record"
	recordColumn  = 6
	customColumn  = 4
)

// row is what a record has in columns of its own, and the rest.
type row struct {
	status, name, listKey any
	rest                  string
}

// rest are the fields of a record that have no column of their own, as JSON.
// Times are in Unix milliseconds, 0 for none.
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
	Codec            string                   `json:"codec,omitempty"`
	Failure          *failure                 `json:"failure,omitempty"`
	Parent           *parent                  `json:"parent,omitempty"`
	Origin           *history.Origin          `json:"origin,omitempty"`
	FairnessGroup    string                   `json:"fairness_group,omitempty"`
	Problem          *store.Problem           `json:"problem,omitempty"`
	Suspension       *store.Suspension        `json:"suspension,omitempty"`
	Suspect          string                   `json:"suspect,omitempty"`
	Dispatched       string                   `json:"dispatched,omitempty"`
	Untold           string                   `json:"untold,omitempty"`
	LoopedMS         int64                    `json:"looped_ms,omitempty"`
	Stamp            int64                    `json:"stamp,omitempty"`
	Ahead            int64                    `json:"ahead,omitempty"`
	Forked           int64                    `json:"forked,omitempty"`
	Forks            []string                 `json:"forks,omitempty"`
	Purged           bool                     `json:"purged,omitempty"`
	FreeMS           int64                    `json:"free_ms,omitempty"`
}

// failure is history.Failure as it stands in a record.
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

// parent is history.Parent as it stands in a record.
type parent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	Token       string `json:"token,omitempty"`
}

func rowOf(r *store.Record) (row, error) {
	b, err := json.Marshal(rest{
		ExecutionID: r.ExecutionID, StartID: r.StartID, EarlierStarts: r.EarlierStarts, Version: r.Version,
		CreatedMS: millis(r.CreatedAt), UpdatedMS: millis(r.UpdatedAt), EndedMS: millis(r.EndedAt), FirstExecution: r.FirstExecution, Pruned: r.Pruned,
		SearchAttributes: r.SearchAttributes, Codec: r.Codec, Failure: (*failure)(r.Failure), Parent: (*parent)(r.Parent), Origin: r.Origin,
		FairnessGroup: r.FairnessGroup, Problem: r.Problem, Suspension: r.Suspension, Suspect: r.Suspect, Dispatched: r.Dispatched, Untold: r.Untold, LoopedMS: millis(r.LoopedAt), Stamp: r.Stamp,
		Ahead: r.Ahead, Forked: r.Forked, Forks: r.Forks, Purged: r.Purged, FreeMS: millis(r.FreeAt),
	})
	if err != nil {
		return row{}, fmt.Errorf("sqlite: record of instance %q: %w", r.Instance, err)
	}
	if r.Purged {
		return row{rest: string(b)}, nil
	}
	return row{status: string(r.Status), name: r.Name, listKey: r.ListKey(), rest: string(b)}, nil
}

// scanRecord reads the record of a row with recordColumns.
func scanRecord(s *sqlite3.Stmt) (store.Record, error) {
	id := s.ColumnText(1)
	var f rest
	if err := json.Unmarshal(s.ColumnRawText(recordColumn), &f); err != nil {
		return store.Record{}, &unreadableError{fmt.Sprintf("the record of instance %q", id), err}
	}
	return store.Record{
		Instance: id, Status: store.Status(s.ColumnText(2)), Name: s.ColumnText(3), CustomStatus: s.ColumnBlob(4, nil), Output: s.ColumnBlob(5, nil),
		ExecutionID: f.ExecutionID, StartID: f.StartID, EarlierStarts: f.EarlierStarts, Version: f.Version,
		CreatedAt: timeOf(f.CreatedMS), UpdatedAt: timeOf(f.UpdatedMS), EndedAt: timeOf(f.EndedMS), FirstExecution: f.FirstExecution, Pruned: f.Pruned,
		SearchAttributes: f.SearchAttributes, Codec: f.Codec, Failure: (*history.Failure)(f.Failure), Parent: (*history.Parent)(f.Parent), Origin: f.Origin,
		FairnessGroup: f.FairnessGroup, Problem: f.Problem, Suspension: f.Suspension, Suspect: f.Suspect, Dispatched: f.Dispatched, Untold: f.Untold, LoopedAt: timeOf(f.LoopedMS), Stamp: f.Stamp,
		Ahead: f.Ahead, Forked: f.Forked, Forks: f.Forks, Purged: f.Purged, FreeAt: timeOf(f.FreeMS),
	}.Stored(), nil
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

package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// Start starts an instance.
type Start struct {
	// Name of the orchestration.
	Name string `json:"name"`
	// Version; omitted for the newest deployed version.
	Version string `json:"version,omitempty"`
	// Instance id; omitted for one that derives from name and start_id, or a random one.
	Instance string `json:"instance,omitempty"`
	// StartID identifies this start, so that a repeat has no effect; omitted for a random one.
	StartID          string                     `json:"start_id,omitempty"`
	Input            json.RawMessage            `json:"input,omitempty"`
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	Headers          map[string]string          `json:"headers,omitempty"`
	// Events that the instance has when it starts.
	Events []StartEvent `json:"events,omitempty"`
	// UseExisting uses the instance that already has the id, if it has the same orchestration.
	UseExisting bool `json:"use_existing,omitempty"`
	// AllowRestart restarts the instance that already has the id, if it has ended and has the same
	// orchestration.
	AllowRestart bool `json:"restart,omitempty"`
	// NotBefore is when its code starts; omitted to start immediately.
	NotBefore time.Time `json:"not_before,omitzero"`
	// LimitKey and Limit allow at most Limit instances with this key to run at a time; omitted for
	// the limit of the implementation, if it has one.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
}

// Restart restarts an instance that has ended.
type Restart struct {
	// Input; omitted for the input of its last execution.
	Input json.RawMessage `json:"input,omitempty"`
	// Version; omitted for the newest deployed version.
	Version string `json:"version,omitempty"`
	// StartID identifies this restart, so that a repeat has no effect; omitted for a random one.
	StartID string `json:"start_id,omitempty"`
}

// Redrive continues an ended instance where it failed.
type Redrive struct {
	// As is the id of a new instance (a fork) that continues, while the ended one does not change;
	// omitted to continue the instance itself.
	As string `json:"as,omitempty"`
	// From is an event of its last execution. The operation that led to it and everything after it
	// run again; omitted to continue where the instance failed.
	From int64 `json:"from,omitempty"`
	// Reason that the history records.
	Reason string `json:"reason,omitempty"`
	// Reset first terminates the instance if it has not ended.
	Reset bool `json:"reset,omitempty"`
	// DryRun sends nothing; the response shows what would be started again.
	DryRun bool `json:"dry_run,omitempty"`
	// StartID identifies this redrive, so that a repeat has no effect; omitted for a random one.
	StartID string `json:"start_id,omitempty"`
}

// Redriven describes what a redrive copies and what it runs again.
type Redriven struct {
	Instance string `json:"instance"`
	// StartID is the id of the start that restarts the instance, and After the last execution
	// before it; omitted by a dry run.
	StartID string `json:"start_id,omitempty"`
	After   int64  `json:"after,omitempty"`
	// CopiedEvents is how many events the next execution copies.
	CopiedEvents int64 `json:"copied_events"`
	// Kept is the number of results and external events after the copied events that are kept.
	Kept int `json:"kept"`
	// Again is the work that is started again.
	Again []RedrivenWork `json:"again"`
}

// Nothing is set if the redrive does not start any operation again, so that with the same code it
// fails as before.
func (d *Redriven) Nothing() bool { return d.CopiedEvents > 0 && len(d.Again) == 0 }

// RedrivenWork is an activity, a timer or a child that a redrive starts again.
type RedrivenWork struct {
	// EventID in the last execution, and the kind of that event.
	EventID int64  `json:"event_id"`
	Kind    string `json:"kind"`
	// Name of the activity or the child's orchestration, Instance of the child.
	Name     string `json:"name,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Why is "failed"; "open"; "completed" if the requested event is its completion; "forgotten" if
	// the code must start it again; or "taken" for such a child whose id is in use, so that it
	// fails with already_exists unless it has UseExisting.
	Why string `json:"why"`
}

// RedrivenOf returns the description of an instance's redrive.
func RedrivenOf(instance string, d *client.Redriven) Redriven {
	out := Redriven{Instance: instance, StartID: d.StartID, After: d.PreviousExecution, CopiedEvents: d.CopiedEvents, Kept: d.Kept, Again: []RedrivenWork{}}
	for _, w := range d.Rescheduled {
		out.Again = append(out.Again, RedrivenWork{EventID: w.EventID, Kind: w.Kind.String(), Name: w.Name, Instance: w.Instance, Why: w.Why})
	}
	return out
}

// StartEvent is an event that a start includes.
type StartEvent struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Started holds the ids of a start request.
type Started struct {
	Instance string `json:"instance"`
	StartID  string `json:"start_id"`
	// After is the last execution before the start, if it restarts an instance.
	After int64 `json:"after,omitempty"`
}

// Raise raises an external event.
type Raise struct {
	Name string          `json:"name"`
	Data json.RawMessage `json:"data,omitempty"`
	// SenderID identifies this event, so that a repeat has no effect; omitted for a random one.
	SenderID string `json:"sender_id,omitempty"`
	// DryRun sends nothing; the notes of the response list problems of the event. It reads the
	// instance's record and history.
	DryRun bool `json:"dry_run,omitempty"`
}

// End is a request to cancel, terminate, suspend or resume an instance.
type End struct {
	// Reason that the history records.
	Reason string `json:"reason,omitempty"`
}

// Reschedule changes the time at which an instance starts or resumes by itself.
type Reschedule struct {
	At time.Time `json:"at"`
}

// Early completes or starts a waiting operation before its time.
type Early struct {
	// EventID of the operation in the current execution.
	EventID int64 `json:"event_id"`
	// Reason that the history records. A retry records none.
	Reason string `json:"reason,omitempty"`
	// DryRun sends nothing; the response shows when the operation is due.
	DryRun bool `json:"dry_run,omitempty"`
}

// Nothing is a request without fields.
type Nothing struct{}

// Purge removes an instance.
type Purge struct {
	// Force also purges a running instance, which is terminated first.
	Force bool `json:"force,omitempty"`
	// Children also purges all descendants, before the instance. Nothing is sent if one of them is
	// still running and Force is not set.
	Children bool `json:"children,omitempty"`
	// DryRun purges nothing; the response lists the children.
	DryRun bool `json:"dry_run,omitempty"`
}

// Sent is the response to an action that was sent. The action takes effect when the orchestrator
// handles it.
type Sent struct {
	Instance string `json:"instance,omitempty"`
	// NoRecord is set if the instance has no record yet. The action then has an effect only if a
	// start is queued.
	NoRecord bool `json:"no_record,omitempty"`
	// DueAt is when the operation of a dry run of a fire or a retry is due by itself; Attempt is
	// the number of the attempt.
	DueAt   time.Time `json:"due_at,omitzero"`
	Attempt int       `json:"attempt,omitempty"`
	// Notes are the problems that a dry run has found, one sentence each: for example, nothing
	// waits for an event of that name, or its data has another type.
	Notes []string `json:"notes,omitempty"`
	// Wrong is set if the name or the data is wrong according to the catalog of the code. An event
	// that the code declares but does not wait for yet is not wrong.
	Wrong bool `json:"wrong,omitempty"`
	// Children are the descendants of the instance, in the dry run of a purge. They have records,
	// inputs and results of their own.
	Children []string `json:"children,omitempty"`
}

// WakeMany makes many instances retry: the given ones, or those that a filter selects.
type WakeMany struct {
	Instances []string `json:"instances,omitempty"`
	// Status to wake: "stuck" or "corrupt". The other fields narrow the selection.
	Status string `json:"status,omitempty"`
	// Problem is the kind of problem that they have, such as "nondeterminism".
	Problem string `json:"problem,omitempty"`
	// Name of their orchestration.
	Name string `json:"name,omitempty"`
}

// WokenMany is the result of WakeMany.
type WokenMany struct {
	// Sent are the instances to which a wake was sent.
	Sent []string `json:"sent"`
	// Failed are those to which none was sent, with the reason.
	Failed []WakeFailed `json:"failed,omitempty"`
	// More is set if there were more instances than one request wakes. Send the request again.
	More bool `json:"more,omitempty"`
}

// WakeFailed is an instance to which no wake was sent.
type WakeFailed struct {
	Instance string `json:"instance"`
	Error    Error  `json:"error"`
}

// PendingActivity identifies a pending activity: by its token or, if the console has
// complete_by_row, by its position in a history.
type PendingActivity struct {
	// Token that the activity passed on; omitted if the other fields are given.
	Token       string `json:"token,omitempty"`
	Instance    string `json:"instance,omitempty"`
	ExecutionID int64  `json:"execution_id,omitempty"`
	// EventID of the event that scheduled it.
	EventID int64 `json:"event_id,omitempty"`
}

// CompleteActivity completes a pending activity.
type CompleteActivity struct {
	PendingActivity
	Result json.RawMessage `json:"result,omitempty"`
}

// FailActivity fails a pending activity. The failure is final.
type FailActivity struct {
	PendingActivity
	Message string `json:"message"`
	// Code that the orchestration may act on.
	Code    string          `json:"code,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

// HeartbeatActivity reports that a pending activity is still in progress.
type HeartbeatActivity struct {
	PendingActivity
	Details json.RawMessage `json:"details,omitempty"`
}

package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// Start asks for a new instance.
type Start struct {
	// Name of the orchestration.
	Name string `json:"name"`
	// Version; left out for the newest that is deployed.
	Version string `json:"version,omitempty"`
	// Instance id; left out for one that derives from name and start_id, or a random one.
	Instance string `json:"instance,omitempty"`
	// StartID tells a repeat of this start from another one; left out for a
	// random one.
	StartID          string                     `json:"start_id,omitempty"`
	Input            json.RawMessage            `json:"input,omitempty"`
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	Headers          map[string]string          `json:"headers,omitempty"`
	// Events that the instance finds when it starts.
	Events []StartEvent `json:"events,omitempty"`
	// UseExisting takes the instance that has the id already, if it is one of
	// the same orchestration.
	UseExisting bool `json:"use_existing,omitempty"`
	// AllowRestart restarts the instance that already has the id, if it has ended and is of
	// the same orchestration.
	AllowRestart bool `json:"restart,omitempty"`
	// NotBefore is when its code starts; omitted to start immediately.
	NotBefore time.Time `json:"not_before,omitzero"`
	// LimitKey and Limit: at most so many instances with this key run at a time; left out for
	// the limit of its implementation, if that has one.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
}

// Restart has an instance that has ended restart.
type Restart struct {
	// Input; left out for the one that its last execution began with.
	Input json.RawMessage `json:"input,omitempty"`
	// Version; left out for the newest that is deployed.
	Version string `json:"version,omitempty"`
	// StartID tells a repeat of this restart from another one; left out for a random one.
	StartID string `json:"start_id,omitempty"`
}

// Redrive continues an ended instance where it failed.
type Redrive struct {
	// As is the id of a new instance that continues instead, and leaves the ended one
	// unchanged; omitted to continue the instance itself.
	As string `json:"as,omitempty"`
	// From is an event of its last execution: what led to it happens again, and all behind
	// it; left out for where the instance failed.
	From int64 `json:"from,omitempty"`
	// Reason for the history.
	Reason string `json:"reason,omitempty"`
	// Reset terminates an instance that has not ended first.
	Reset bool `json:"reset,omitempty"`
	// DryRun sends nothing: the answer says what would be started anew.
	DryRun bool `json:"dry_run,omitempty"`
	// StartID tells a repeat of this redrive from another one; left out for a random one.
	StartID string `json:"start_id,omitempty"`
}

// Redriven describes what a redrive copies and what it runs again.
type Redriven struct {
	Instance string `json:"instance"`
	// StartID is the id of the start that restarts the instance, and After the last execution
	// before it; omitted by a dry run.
	StartID string `json:"start_id,omitempty"`
	After   int64  `json:"after,omitempty"`
	// CopiedEvents is how many events the next execution takes over.
	CopiedEvents int64 `json:"copied_events"`
	// Kept are the results and external events behind those that stay.
	Kept int `json:"kept"`
	// Again is what is started anew.
	Again []RedrivenWork `json:"again"`
}

// Nothing reports whether the redrive starts nothing again: with the same code it fails as before.
func (d *Redriven) Nothing() bool { return d.CopiedEvents > 0 && len(d.Again) == 0 }

// RedrivenWork is an activity, a timer or a child that a redrive starts anew.
type RedrivenWork struct {
	// EventID in the last execution, and the kind of that event.
	EventID int64  `json:"event_id"`
	Kind    string `json:"kind"`
	// Name of the activity or the child's orchestration, Instance of the child.
	Name     string `json:"name,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Why is "failed"; "open"; "completed", if the event that was asked for is its completion;
	// "forgotten" for what the code is to ask for again; or "taken" for such a child that fails
	// with already_exists unless it has UseExisting.
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

// StartEvent is an event that a start brings.
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
	// SenderID tells a repeat of the event from another; left out for a random
	// one.
	SenderID string `json:"sender_id,omitempty"`
	// DryRun sends nothing: the answer's notes say what is odd about the event. It
	// reads the instance's record and history.
	DryRun bool `json:"dry_run,omitempty"`
}

// End cancels, terminates, suspends or resumes.
type End struct {
	// Reason for the history.
	Reason string `json:"reason,omitempty"`
}

// Reschedule changes the time at which an instance starts, or resumes by itself.
type Reschedule struct {
	At time.Time `json:"at"`
}

// Early is for an operation that waits for its time, and is not to wait for it.
type Early struct {
	// EventID of the event in the current execution that started to wait.
	EventID int64 `json:"event_id"`
	// Reason for the history; not for a retry, which records none.
	Reason string `json:"reason,omitempty"`
	// DryRun sends nothing: the answer says when it is due.
	DryRun bool `json:"dry_run,omitempty"`
}

// Nothing is a request without fields.
type Nothing struct{}

// Purge removes an instance.
type Purge struct {
	// Force takes a running instance too: it is terminated first.
	Force bool `json:"force,omitempty"`
	// Children are taken first, and theirs. Nothing is sent if one of them still runs and
	// Force is not set.
	Children bool `json:"children,omitempty"`
	// DryRun purges nothing: the answer names the children.
	DryRun bool `json:"dry_run,omitempty"`
}

// Sent says that an action was sent. It takes effect when the orchestrator
// handles it.
type Sent struct {
	Instance string `json:"instance,omitempty"`
	// NoRecord: there is no record of the instance yet; what was sent counts only
	// if a start is queued.
	NoRecord bool `json:"no_record,omitempty"`
	// DueAt is when what a dry run of a fire or a retry was asked for is due by itself,
	// Attempt the number of the attempt.
	DueAt   time.Time `json:"due_at,omitzero"`
	Attempt int       `json:"attempt,omitempty"`
	// Notes say what is odd about what a dry run was asked for, a sentence each:
	// nothing waits for an event of that name, its data has another type.
	Notes []string `json:"notes,omitempty"`
	// Wrong: by what is known of the code, the name or the data is wrong. An event of a name that the
	// code has, for which nothing waits yet, is not.
	Wrong bool `json:"wrong,omitempty"`
	// Children, of the dry run of a purge, are the children of the instance, and theirs, which have
	// records, inputs and results of their own.
	Children []string `json:"children,omitempty"`
}

// WakeMany lets many instances try again: those named, or those that a filter
// finds.
type WakeMany struct {
	Instances []string `json:"instances,omitempty"`
	// Status to wake: "stuck" or "corrupt", all of them as far as the other
	// fields do not narrow it.
	Status string `json:"status,omitempty"`
	// Problem is the kind of problem that they have, such as "nondeterminism".
	Problem string `json:"problem,omitempty"`
	// Name of their orchestration.
	Name string `json:"name,omitempty"`
}

// WokenMany says what became of WakeMany.
type WokenMany struct {
	// Sent are the instances to which a wake was sent.
	Sent []string `json:"sent"`
	// Failed are those to which none was sent, and why.
	Failed []WakeFailed `json:"failed,omitempty"`
	// More: there were more than one request takes; send it again.
	More bool `json:"more,omitempty"`
}

// WakeFailed is an instance to which no wake was sent.
type WakeFailed struct {
	Instance string `json:"instance"`
	Error    Error  `json:"error"`
}

// PendingActivity names a pending activity: by its token, or by where it stands in a
// history, where the console can complete by row.
type PendingActivity struct {
	// Token that the activity handed out; left out if the others are given.
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

// FailActivity lets a pending activity fail. The failure is final.
type FailActivity struct {
	PendingActivity
	Message string `json:"message"`
	// Code that the orchestration may act on.
	Code    string          `json:"code,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

// HeartbeatActivity says that a pending activity is still worked on.
type HeartbeatActivity struct {
	PendingActivity
	Details json.RawMessage `json:"details,omitempty"`
}

package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/client"
)

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

// Update sends an update. The instance is that of the path.
type Update struct {
	client.UpdateRequest
	// WaitSeconds is how long the request waits for the answer, 0 to 25. The stage of the response is
	// "sent" or "accepted" if there is none by then.
	WaitSeconds int `json:"wait_seconds,omitempty"`
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

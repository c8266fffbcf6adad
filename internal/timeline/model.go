package timeline

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Timeline is the history of an instance in rows.
type Timeline struct {
	Instance string
	// Executions are the bands, in order.
	Executions []Execution
	// Rows has a row for each scheduling event and for each update, ordered by execution and event.
	Rows []Row
	// Ticks has a tick for each turn, in the same order.
	Ticks []Tick
	// Marks are events that belong to no operation, in the same order.
	Marks []Mark
	// Groups are rows that are shown as one, ordered by their first rows. Timeline.Group fills them in.
	Groups []Group
	// From is when the first event was recorded. To is the time of the last event, or of the last thing known of a row if that is later.
	From, To time.Time
}

// Execution is one execution of the instance.
type Execution struct {
	ExecutionID int64 `json:"execution_id"`
	// Name and Version identify the orchestration as of its start.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// From is when it started.
	From time.Time `json:"from"`
	// To is when it ended; omitted while it runs.
	To time.Time `json:"to,omitzero"`
	// End is the kind of its terminal event, KindUnknown while it runs.
	End history.Kind `json:"-"`
	// Forced is what ended it, if not its code: "terminated", "policy" or "limit".
	Forced string `json:"forced,omitempty"`
	// Failure is set if it failed.
	Failure *history.Failure `json:"-"`
	// Turns is how many turns it took. If TurnsKnown is not set, it counts replay steps: an incoming event and the scheduled operations after
	// it.
	Turns int `json:"turns"`
	// Events is how many events its history has.
	Events int `json:"events"`
	// TurnsKnown is set if the history came with its turns. An exported history of an older build has only events.
	TurnsKnown bool `json:"turns_known,omitempty"`
	// Parked is set if its last incoming events were recorded without running the code.
	Parked bool `json:"parked,omitempty"`
	// Parent waits for it; nil for a root.
	Parent *history.Parent `json:"-"`
	// Origin is the event from which a redrive or a fork continues; omitted for any other execution.
	Origin *history.Origin `json:"origin,omitempty"`
	// FirstRow and Rows are the range of Timeline.Rows that belongs to it.
	FirstRow int `json:"-"`
	Rows     int `json:"-"`
}

// Kind is the kind of a row.
type Kind string

// The kinds of rows.
const (
	KindActivity Kind = "activity"
	// KindInline is an activity that runs inside the turn.
	KindInline Kind = "inline"
	KindTimer  Kind = "timer"
	// KindWait is a wait for an external event.
	KindWait  Kind = "wait"
	KindChild Kind = "child"
	// KindDetached is an orchestration that was started and that no parent waits for.
	KindDetached Kind = "detached"
	// KindUpdate is an update, from its request to its answer or rejection: one that the instance received or, if the row has an Instance,
	// sent.
	KindUpdate Kind = "update"
	// KindCall is a system call: the time, a UUID, a side effect, an annotation, a patch, an event or a cancel for another instance.
	KindCall Kind = "call"
)

// State is the state of a row.
type State string

// The states of rows.
const (
	// StateOpen means that it was scheduled and has not ended.
	StateOpen State = "open"
	StateDone State = "done"
	// StateFailed means that it ended with a failure, Row.Failure.
	StateFailed State = "failed"
	// StateCancelled means that the code cancelled it, or that it ended because it was asked to stop.
	StateCancelled State = "cancelled"
	// StateClosed means that its execution ended while it was open. A child may continue to run.
	StateClosed State = "closed"
)

// Row is one operation: a scheduling event and its outcome.
type Row struct {
	ExecutionID int64 `json:"execution_id"`
	EventID     int64 `json:"event_id"`
	// Kind is "activity", "inline", "timer", "wait", "child", "detached", "update" or "call".
	Kind Kind `json:"kind"`
	// Name of the activity, event, orchestration, update, side effect or patch.
	Name string `json:"name,omitempty"`
	// Label that the code gave it, preceded by those of the contexts around it: "stock / shelf".
	Label string `json:"label,omitempty"`
	// Version is the requested version of a child; omitted for the newest.
	Version string `json:"version,omitempty"`
	// Queue for the attempts of an activity; omitted for the default queue.
	Queue string `json:"queue,omitempty"`
	// Op of a call: now, guid, side_effect, trace, raise_event, cancel_instance, patch.
	Op string `json:"op,omitempty"`
	// Instance is the id of the child, or of the instance that a call refers to or that an update was sent to.
	Instance string `json:"instance,omitempty"`
	// State is "open", "done", "failed", "cancelled", or "closed" if it was open when its execution ended.
	State       State     `json:"state"`
	ScheduledAt time.Time `json:"scheduled_at"`
	// EndedAt is omitted while it is open.
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Spans are its phases from ScheduledAt to EndedAt, in order and without gaps. Omitted if it ended immediately.
	Spans []Span `json:"spans,omitempty"`
	// DueAt is when a timer is due, or the latest time at which an activity must be completed.
	DueAt time.Time `json:"due_at,omitzero"`
	// CompletedBy is the event that completed it; for a wait, the external event that it took; for an update, its answer or its
	// rejection.
	CompletedBy int64 `json:"completed_by,omitempty"`
	// CancelledBy is the last event of the turn that cancelled it.
	CancelledBy int64 `json:"cancelled_by,omitempty"`
	// Assumed is set if the history does not show which of several waits of this name took which event. The timeline assumes that the oldest
	// wait took the oldest event.
	Assumed bool `json:"assumed,omitempty"`
	// CancelText names what preceded the cancellation; empty if it was not cancelled.
	CancelText string `json:"-"`
	// Attempt is the number of the attempt that ended it, or of the last known one, of at most MaxAttempts.
	Attempt int `json:"attempt,omitempty"`
	// MaxAttempts is the limit of its policy; 1 if it has no policy.
	MaxAttempts int `json:"-"`
	// StartedAt is when the last attempt started, by its worker's clock; omitted if the worker did not report it.
	StartedAt time.Time `json:"started_at,omitzero"`
	// RequestID is the id of the invocation that made that attempt.
	RequestID string `json:"request_id,omitempty"`
	// Actor is on whose behalf a client requested its last attempt, completed it by hand, fired the timer early, sent the update or raised
	// the event that a wait took, according to the sender.
	Actor string `json:"actor,omitempty"`
	// FirstEventID is the first scheduling event of an inline activity that was scheduled again for its next attempt; AttemptsMade is the
	// number of attempts of the earlier rows.
	FirstEventID int64            `json:"first_event_id,omitempty"`
	AttemptsMade int              `json:"attempts_made,omitempty"`
	Failure      *history.Failure `json:"-"`
	// Group is the first event of its group; Member distinguishes it there: its label, a field of its input, its instance, or the input.
	// Timeline.Group fills them in.
	Group  int64  `json:"group,omitempty"`
	Member string `json:"member,omitempty"`
	// Live is what the activities table knows of it; nil if nothing.
	Live *Live `json:"-"`
	// Seen is the attempt of an open activity as reported by the process that runs the workers; nil if the workers run elsewhere.
	Seen *Seen `json:"-"`
}

// Live is what the activities table knows of an open activity.
type Live struct {
	// Beat is the last heartbeat; its attempt is 0 if there is none. Its details are as stored.
	Beat store.Heartbeat
	// Retry is the next attempt; its attempt is 0 if none is recorded.
	Retry store.NextAttempt
	// Stop reports whether the activity was asked to stop, StopReason why.
	Stop       bool
	StopReason string
	// Suspect records an attempt that may have killed its process.
	Suspect store.Suspect
	// Claim is the attempt of an activity that runs at most once: it has started, and no other attempt may start. Its attempt is 0 if there
	// is none.
	Claim store.Claim
	// Early is an attempt that an operator started before it was due; 0 for none.
	Early int
}

// Seen is an attempt as the process that runs the workers knows it.
type Seen struct {
	// Attempt counts from 1.
	Attempt int
	// Since is when its code started; zero while it waits for a worker.
	Since time.Time
}

// Doing is what an operation does during a span.
type Doing string

// The values of Doing.
const (
	// DoingWait means that an activity waits for a worker, a timer for its due time, a wait for its event, or an update for the code to
	// accept or reject it.
	DoingWait Doing = "waiting"
	// DoingRun means that an attempt, a child or the handler of an update runs.
	DoingRun Doing = "running"
	// DoingUnknown means that it waits or runs, and the history does not record which. For a retried activity it covers the attempts before
	// the last one and the delays between them.
	DoingUnknown Doing = "unknown"
	// DoingRetry means that it waits until its next attempt is due.
	DoingRetry Doing = "retrying"
	// DoingLate means that a timer is due and its event has not arrived yet.
	DoingLate Doing = "late"
	// DoingStop means that it was cancelled and its running attempt was asked to stop.
	DoingStop Doing = "stopping"
)

// Span is a part of a row's time.
type Span struct {
	// Doing is "waiting", "running", "unknown" (waiting or running: no worker has recorded which), "retrying" (until the time of its next
	// attempt), "late" (a timer that is due) or "stopping".
	Doing Doing `json:"doing"`
	// From is never before the row's ScheduledAt. It is the end of the span before.
	From time.Time `json:"-"`
	// To is its end; omitted while it is open.
	To time.Time `json:"to,omitzero"`
	// Attempt that runs, or that is waited for; omitted if it is not known.
	Attempt int `json:"attempt,omitempty"`
}

// Tick is a turn: the events that one commit appended.
type Tick struct {
	ExecutionID int64     `json:"execution_id"`
	At          time.Time `json:"at"`
	// First and Last are the first and the last event of the turn.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Arrival is the kind of its first event, if that is an incoming event.
	Arrival history.Kind `json:"-"`
	// Parked is set if it ended with incoming events that were recorded without running the code.
	Parked bool `json:"parked,omitempty"`
}

// Mark is an event that belongs to no operation: the start and the end of an execution, a request to cancel, an attached parent, an
// external event that no wait has taken.
type Mark struct {
	ExecutionID int64        `json:"execution_id"`
	EventID     int64        `json:"event_id"`
	Kind        history.Kind `json:"-"`
	At          time.Time    `json:"at"`
	// Name is the name of an external event.
	Name string `json:"name,omitempty"`
	// RejectedBy is the event that records that a wait rejected it, Reason the reason.
	RejectedBy int64  `json:"rejected_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

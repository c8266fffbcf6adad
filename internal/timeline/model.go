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
	// Rows has a row for each scheduling event, ordered by execution and event.
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
	ID int64
	// Name and Version identify the orchestration as of its start.
	Name, Version string
	// From is when it started; To is when it ended, zero while it runs.
	From, To time.Time
	// End is the kind of its terminal event, KindUnknown while it runs.
	End history.Kind
	// Forced says what ended it if its code did not: one of history.Forced….
	Forced string
	// Failure is set if it failed.
	Failure *history.Failure
	// Turns and Events are counts. If turns are not known, Turns counts replay steps: an incoming event and the scheduled operations after
	// it.
	Turns, Events int
	// TurnsKnown reports whether the history came with its turns. An exported history of an older build has only events.
	TurnsKnown bool
	// Parked reports whether its last incoming events were recorded without running the code.
	Parked bool
	// Parent waits for it; nil for a root.
	Parent *history.Parent
	// Origin is the event from which a redrive or a fork continues; nil for any other execution.
	Origin *history.Origin
	// FirstRow and Rows are the range of Timeline.Rows that belongs to it.
	FirstRow, Rows int
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
	ExecutionID, EventID int64
	Kind                 Kind
	// Name names the activity, event, orchestration, side effect or patch.
	Name string
	// Label is the label that the code gave it, preceded by those of the contexts around it; may be empty.
	Label string
	// Version is the requested version of a child; empty for the newest.
	Version string
	// Queue is the queue of an activity's attempts; empty for the default one.
	Queue string
	// Op is the kind of a call: one of history.Op….
	Op string
	// Instance is the id of the child, or of the instance that a call refers to.
	Instance string
	State    State
	// ScheduledAt is when it was scheduled, EndedAt is when it ended: zero while it is open.
	ScheduledAt, EndedAt time.Time
	// Spans are its phases between the two, in order and without gaps; the last one has no end while the row is open. A row that ended at
	// once has none.
	Spans []Span
	// DueAt is when a timer is due, or the deadline for all attempts of an activity. Zero if there is none.
	DueAt time.Time
	// CompletedBy is the event that completed it, 0 for none; for a wait, the external event that it took.
	CompletedBy int64
	// Assumed means that the history does not show which of several waits of this name took which event. The timeline assumes that the
	// oldest wait took the oldest event.
	Assumed bool
	// CancelledBy is the last event of the turn that cancelled it, 0 for none.
	CancelledBy int64
	// CancelText names what preceded the cancellation; empty if it was not cancelled.
	CancelText string
	// Attempt is the number of the attempt that ended it, or of the last known one; 0 if none is known. MaxAttempts is the limit of its
	// policy; 1 if it has no policy.
	Attempt, MaxAttempts int
	// StartedAt is when the last attempt started, by its worker's clock; zero if the worker did not report it.
	StartedAt time.Time
	// RequestID is the id of the invocation that made that attempt; may be empty.
	RequestID string
	// Actor is the operator or client who caused this end: who requested the last attempt, completed it by hand, fired the timer early, or
	// raised the event that a wait took. Empty if no one did, or if the request did not name an actor.
	Actor string
	// FirstEventID: an inline activity that is retried after a delay is scheduled again. This is the first of its scheduling events, 0 if
	// it is this one. AttemptsMade counts the attempts of the earlier rows.
	FirstEventID int64
	AttemptsMade int
	Failure      *history.Failure
	// Group is the first event of the group that it belongs to, 0 for none; Member is what distinguishes it in the group and may be empty.
	// Timeline.Group fills them in.
	Group  int64
	Member string
	// Live is what the activities table knows of it; nil if nothing.
	Live *Live
	// Seen is the attempt of an open activity as reported by the process that runs the workers; nil if the workers run elsewhere.
	Seen *Seen
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
	// DoingWait means that an activity waits for a worker, a timer for its due time, or a wait for its event.
	DoingWait Doing = "waiting"
	// DoingRun means that an attempt or a child runs.
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
	Doing Doing
	// From is never before the row's From; To is zero while the span is open.
	From, To time.Time
	// Attempt that runs, or that is waited for; 0 if it is not known.
	Attempt int
}

// Tick is a turn: the events that one commit appended.
type Tick struct {
	ExecutionID int64
	At          time.Time
	// First and Last are the first and the last event of the turn.
	First, Last int64
	// Arrival is the kind of its first event, if that is an incoming event.
	Arrival history.Kind
	// Parked reports whether it ended with incoming events that were recorded without running the code.
	Parked bool
}

// Mark is an event that belongs to no operation: the start and the end of an execution, a request to cancel, an attached parent, an
// external event that no wait has taken.
type Mark struct {
	ExecutionID, EventID int64
	Kind                 history.Kind
	At                   time.Time
	// Name is the name of an external event.
	Name string
	// RejectedBy is the event that records that a wait rejected it, Reason the reason.
	RejectedBy int64
	Reason     string
}

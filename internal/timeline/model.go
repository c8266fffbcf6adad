package timeline

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Timeline is what happened in an instance, in rows.
type Timeline struct {
	Instance string
	// Executions in order: the bands.
	Executions []Execution
	// Rows, one for each scheduling event, in the order of execution and event.
	Rows []Row
	// Ticks, one for each turn, in the same order.
	Ticks []Tick
	// Marks are events that belong to no operation, in the same order.
	Marks []Mark
	// Groups of rows that are looked at as one, in the order of their first rows, once
	// Group has found them.
	Groups []Group
	// From is when the first event was recorded, To when the last was, or the
	// last thing happened that a row knows of.
	From, To time.Time
}

// Execution is one execution of the instance.
type Execution struct {
	ID int64
	// Name and Version of the orchestration, as it began.
	Name, Version string
	// From is when it began; To when it ended, zero while it goes on.
	From, To time.Time
	// End is the kind of its terminal event, KindUnknown while it goes on.
	End history.Kind
	// Imposed says who ended it, where its code did not: one of
	// history.Imposed….
	Imposed string
	// Failure of one that failed.
	Failure *history.Failure
	// Turns and Events that it has. Where turns are not known, Turns counts
	// rounds: an arrival and the answers behind it.
	Turns, Events int
	// TurnsKnown: the history came with its turns. An exported history of an
	// older build has events alone.
	TurnsKnown bool
	// Parked: its last arrivals were recorded without running the code.
	Parked bool
	// Parent that waits for it; nil for a root.
	Parent *history.Parent
	// Origin is the place from which a redrive or a fork goes on; nil for all else.
	Origin *history.Origin
	// FirstRow and Rows say which of Timeline.Rows are its own.
	FirstRow, Rows int
}

// Kind of a row.
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
	// KindDetached is an orchestration that was started and that nobody waits
	// for.
	KindDetached Kind = "detached"
	// KindCall is a system call: the time, a UUID, a side effect, an annotation, a
	// patch, an event or a cancel for another instance.
	KindCall Kind = "call"
)

// State of a row.
type State string

// The states of rows.
const (
	// StateOpen: it has been asked for, and has not ended.
	StateOpen State = "open"
	StateDone State = "done"
	// StateFailed: it ended with a failure; Row.Failure says which.
	StateFailed State = "failed"
	// StateCancelled: the code cancelled it, or it ended for having been asked
	// to stop.
	StateCancelled State = "cancelled"
	// StateClosed: its execution ended while it was open. A child may run on.
	StateClosed State = "closed"
)

// Row is one operation: what a scheduling event asked for, and what became of
// it.
type Row struct {
	ExecutionID, EventID int64
	Kind                 Kind
	// Name of the activity, event, orchestration, side effect or patch.
	Name string
	// Label that the code gave it, with those of the contexts around it; may be empty.
	Label string
	// Version of a child that was asked for; empty for the newest.
	Version string
	// Op of a call: one of history.Op….
	Op string
	// Instance of a child, or that a call is about.
	Instance string
	State    State
	// ScheduledAt is when it was asked for, EndedAt when that was over: zero
	// while it is open.
	ScheduledAt, EndedAt time.Time
	// Spans are what it did between the two, in order and without gaps; the last
	// one has no end while the row is open. A row that ended at once has none.
	Spans []Span
	// DueAt is when a timer is due; when an activity has to be done at the latest
	// (the time that all its attempts have together). Zero where nobody said.
	DueAt time.Time
	// CompletedBy is the event that completed it, 0 for none: of a wait the
	// external event that it took.
	CompletedBy int64
	// Assumed: which of several waits of this name took which event does not
	// stand in this history; it is assumed that the oldest did.
	Assumed bool
	// CancelledBy is the last event of the turn that cancelled it, 0 for none.
	CancelledBy int64
	// CancelText says after what it was cancelled; empty where nothing cancelled it.
	CancelText string
	// Attempt is the number of the attempt that ended it, or of the last that
	// is known of; 0 where none is. MaxAttempts that its policy allows; 1 where
	// it has none.
	Attempt, MaxAttempts int
	// StartedAt is when the last attempt began, by its worker's clock; zero
	// where it did not say.
	StartedAt time.Time
	// RequestID of the invocation that made that attempt; may be empty.
	RequestID string
	// Actor is on whose behalf the row ended so: who asked for its last attempt, completed it
	// by hand, fired the timer early, or raised the event that a wait has taken. Empty where
	// nobody did, or said so.
	Actor string
	// FirstEventID: an inline activity that is tried again after a while is
	// scheduled anew; this is the first of those events, 0 for itself, and
	// AttemptsMade is how many attempts were made by the rows before this one.
	FirstEventID int64
	AttemptsMade int
	Failure      *history.Failure
	// Group is the first event of the group that it belongs to, 0 for none; Member is
	// what tells it apart there, which may be empty. Timeline.Group fills them in.
	Group  int64
	Member string
	// Live is what is known outside the history; nil for nothing.
	Live *Live
	// Seen is the attempt of an open activity as its workers' process knows it; nil
	// where the workers are elsewhere.
	Seen *Seen
}

// Live is what the activities table knows of an open activity.
type Live struct {
	// Beat is the last heartbeat; its attempt is 0 for none. Its details are as
	// they are stored.
	Beat store.Heartbeat
	// Retry is the attempt that is to follow; its attempt is 0 where none is
	// noted.
	Retry store.NextAttempt
	// Stop was asked for, for this reason.
	Stop       bool
	StopReason string
	// Suspect is the mark of an attempt that may have killed its process.
	Suspect store.Suspect
	// Claim of an attempt of an activity that runs at most once: it was begun, and
	// nobody begins it again. Its attempt is 0 where none is.
	Claim store.Claim
	// Early is an attempt that an operator has had begun before it was due; 0 for none.
	Early int
}

// Seen is an attempt as the process that runs the workers knows it.
type Seen struct {
	// Attempt, from 1.
	Attempt int
	// Since is when its code began; zero while it waits for a worker.
	Since time.Time
}

// Doing is what an operation does in a span.
type Doing string

// What operations do.
const (
	// DoingWait: it waits: an activity for a worker, a timer for its time, a wait
	// for its event.
	DoingWait Doing = "waiting"
	// DoingRun: an attempt runs, or a child does.
	DoingRun Doing = "running"
	// DoingUnknown: it waits or runs, and nobody has recorded which. Of an
	// activity that was tried again these are the attempts before the last and
	// the pauses between them.
	DoingUnknown Doing = "unknown"
	// DoingRetry: it waits for the time of its next attempt.
	DoingRetry Doing = "retrying"
	// DoingLate: a timer is due and its firing is on its way.
	DoingLate Doing = "late"
	// DoingStop: it was cancelled, and what was under way is being stopped.
	DoingStop Doing = "stopping"
)

// Span is a part of a row's time.
type Span struct {
	Doing Doing
	// From when to when; To is zero while it goes on. Never before From.
	From, To time.Time
	// Attempt that runs, or that is waited for; 0 where that is not known.
	Attempt int
}

// Tick is a turn: what one commit appended.
type Tick struct {
	ExecutionID int64
	At          time.Time
	// First and Last event of the turn.
	First, Last int64
	// Arrival is the kind of its first event, if that came from outside.
	Arrival history.Kind
	// Parked: it ended with arrivals that were recorded without running the code.
	Parked bool
}

// Mark is an event that belongs to no operation: the start and the end of an
// execution, a request to cancel, a parent that was attached, an external event
// that nobody has taken.
type Mark struct {
	ExecutionID, EventID int64
	Kind                 history.Kind
	At                   time.Time
	// Name of an external event.
	Name string
	// RejectedBy is the event that records that a wait rejected it, Reason why.
	RejectedBy int64
	Reason     string
}

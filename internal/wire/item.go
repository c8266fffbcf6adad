package wire

import (
	"encoding/json"

	"github.com/turnstile-go/turnstile/history"
)

// Version is the contract's version that this build writes. It reads this one
// and, since unknown fields are ignored, later minor additions to it.
const Version = 1

// Kind says what a work item asks for.
type Kind string

// The work item kinds.
const (
	// StartOrchestration starts an instance. What people and services send.
	StartOrchestration Kind = "StartOrchestration"
	// ExternalRaised raises an external event for an instance.
	ExternalRaised Kind = "ExternalRaised"
	// CancelInstance asks an instance to stop; its code decides how.
	CancelInstance Kind = "CancelInstance"
	// TerminateInstance ends an instance without running its code.
	TerminateInstance Kind = "TerminateInstance"
	// SuspendInstance has an instance record what comes, and run no code, up to a
	// ResumeInstance.
	SuspendInstance Kind = "SuspendInstance"
	ResumeInstance  Kind = "ResumeInstance"
	// FireTimer fires a timer before it is due, RetryActivity has the attempt of an
	// activity made that waits for the delay of its retry. What operators send; they
	// need no token.
	FireTimer     Kind = "FireTimer"
	RetryActivity Kind = "RetryActivity"
	// Wake lets an instance try again: a stuck one, one whose turn was cut
	// short, or one whose open actions have to be sent again.
	Wake Kind = "Wake"
	// PurgeInstance deletes the history of a finished instance.
	PurgeInstance Kind = "PurgeInstance"
	// Sweep wakes what is stuck and due. It is for no instance, and has a group
	// of its own (SweepGroup).
	Sweep Kind = "Sweep"
	// InstanceEvent is an event about an instance that could not be published at
	// once. It goes round the delay queue until it is.
	InstanceEvent Kind = "InstanceEvent"

	// ActivityExecute runs one attempt of an activity. Activity queue only.
	ActivityExecute Kind = "ActivityExecute"

	// ActivityPending says that an attempt has ended, and that its activity
	// will be completed, or fail, by its token. It comes again when a time limit
	// of the activity may have passed.
	ActivityPending Kind = "ActivityPending"
	// ActivityHeartbeat is a sign of life of a pending activity, with details.
	ActivityHeartbeat Kind = "ActivityHeartbeat"

	// ActivityCompleted, ActivityFailed, TimerFired, SubOrchCompleted and
	// SubOrchFailed bring a completion back to the orchestration.
	ActivityCompleted Kind = "ActivityCompleted"
	ActivityFailed    Kind = "ActivityFailed"
	TimerFired        Kind = "TimerFired"
	SubOrchCompleted  Kind = "SubOrchCompleted"
	SubOrchFailed     Kind = "SubOrchFailed"
)

// Item is a work item: the JSON body of a message. Which fields a kind uses
// is said beside each field.
type Item struct {
	// V is the contract's version; absent means 1.
	V int `json:"v"`
	// Kind of the item.
	Kind Kind `json:"kind"`

	// Instance that the item is for. Every kind but Sweep, which is for none, and
	// SubOrchCompleted and SubOrchFailed, which name the parent.
	Instance string `json:"instance,omitempty"`
	// ExecutionID that a completion or ActivityExecute belongs to. For Wake,
	// CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance and
	// PurgeInstance 0 (absent) means the current one.
	ExecutionID int64 `json:"execution_id,omitempty"`
	// ID tells a repeat of this item from another one with equal content:
	// StartOrchestration, ExternalRaised, CancelInstance, TerminateInstance,
	// SuspendInstance, ResumeInstance, FireTimer, RetryActivity, Wake, PurgeInstance, Sweep, InstanceEvent. Absent, the SQS message id is taken.
	// That of an ActivityExecute which an operator has asked for (RetryActivity) says which
	// attempt it is made in place of.
	ID string `json:"id,omitempty"`

	// Name of the orchestration (StartOrchestration), the activity
	// (ActivityExecute) or the event (ExternalRaised).
	Name string `json:"name,omitempty"`
	// OrchVersion asks for a version (StartOrchestration); absent means the
	// newest.
	OrchVersion string `json:"version,omitempty"`

	// Input (StartOrchestration, ActivityExecute), Data (ExternalRaised,
	// ActivityHeartbeat) and Result (ActivityCompleted, SubOrchCompleted) are
	// JSON values, their bytes kept exactly.
	Input  json.RawMessage `json:"input,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	// Codec names how the payload is encoded; absent means plain JSON.
	Codec string `json:"codec,omitempty"`

	// Events that a start brings, delivered first and in order
	// (StartOrchestration).
	Events []StartEvent `json:"events,omitempty"`
	// SearchAttributes that a start gives the instance (StartOrchestration).
	// They are plain also where Codec is set.
	SearchAttributes history.SearchAttributes `json:"search_attributes,omitempty"`
	// Parent of a child (StartOrchestration).
	Parent *Parent `json:"parent,omitempty"`
	// OnConflict is what becomes of the start if an instance has its id already
	// (StartOrchestration).
	OnConflict Conflict `json:"on_conflict,omitempty"`

	// Reason (CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance, FireTimer).
	Reason string `json:"reason,omitempty"`

	// SchedulingEventID is the ActivityScheduled's event id (ActivityExecute). Of a
	// Wake by which a turn goes on that was cut short, the last event that it has
	// appended. Of a ResumeInstance or SuspendInstance, the OrchestrationSuspended that
	// it is for; absent for any.
	SchedulingEventID int64 `json:"scheduling_event_id,omitempty"`
	// SourceEventID is the scheduling event that a completion completes, or that a
	// FireTimer or RetryActivity is about.
	SourceEventID int64 `json:"source_event_id,omitempty"`
	// Token proves that a completion answers what was sent out
	// (ActivityExecute carries it, completions bring it back).
	Token string `json:"token,omitempty"`
	// ActivityToken may stand for the instance, execution_id, source_event_id
	// and token of an ActivityCompleted, ActivityFailed or ActivityHeartbeat:
	// the one text that a pending activity hands out. Parse puts them in its
	// place; Encode does not write it.
	ActivityToken string `json:"activity_token,omitempty"`
	// Attempt of an ActivityExecute or ActivityPending, from 1; absent means 1. Of a
	// RetryActivity the attempt that waits; absent for whichever does.
	// In an ActivityCompleted or ActivityFailed the one that ended the
	// activity; absent where its sender does not say.
	Attempt int `json:"attempt,omitempty"`
	// StartedAtMS is when that attempt began, by its worker's clock, and
	// RequestID what its worker calls the invocation that made it
	// (ActivityCompleted, ActivityFailed). Both may be absent.
	StartedAtMS int64  `json:"started_at_ms,omitempty"`
	RequestID   string `json:"request_id,omitempty"`
	// ScheduledAtMS is when the activity was scheduled (ActivityExecute).
	ScheduledAtMS int64 `json:"scheduled_at_ms,omitempty"`
	// NotBeforeMS holds an item back whose delay is longer than a queue can
	// wait: an attempt (ActivityExecute), a Wake or a PurgeInstance that goes
	// on. Of an ActivityPending it is when a time limit may have passed. Of a
	// StartOrchestration it is when the code begins, of a SuspendInstance when the
	// instance goes on by itself, of a ResumeInstance when it is due.
	NotBeforeMS int64 `json:"not_before_ms,omitempty"`
	// Retry is the activity's policy (ActivityExecute).
	Retry *history.Retry `json:"retry,omitempty"`
	// Details of a failure (ActivityFailed, SubOrchFailed), or of that of the
	// attempt before (ActivityExecute).
	Details *Failure `json:"details,omitempty"`

	// FireAtMS is when a timer is due (TimerFired).
	FireAtMS int64 `json:"fire_at_ms,omitempty"`

	// ParentInstance and ParentExecutionID address a SubOrchCompleted or
	// SubOrchFailed.
	ParentInstance    string `json:"parent_instance,omitempty"`
	ParentExecutionID int64  `json:"parent_execution_id,omitempty"`

	// Number of a Wake that the sweeper sends is the stamp of the mark that it
	// is for. Absent for an operator's wake, which also sends again everything
	// that is open.
	Number int64 `json:"number,omitempty"`
	// BeforeMS of a Sweep that goes on: it looks at instances that were created
	// before this time, in milliseconds since 1970. Absent: at all.
	BeforeMS int64 `json:"before_ms,omitempty"`
	// Ended of a Sweep: it looks for instances that have ended and were kept for long
	// enough, in place of what is stuck. "*" begins; any other text names the list with
	// which it goes on, PageToken the page, and BeforeMS the time of the start before
	// which the list lies.
	Ended     string `json:"ended,omitempty"`
	PageToken string `json:"page_token,omitempty"`
	// UpToExecution of a PurgeInstance that goes on: its histories up to this
	// one are deleted. Where the instance keeps that one, it asks for it to be pruned.
	UpToExecution int64 `json:"up_to_execution,omitempty"`
	// Force lets PurgeInstance take an instance that runs if its history is corrupt:
	// it can't be terminated.
	Force bool `json:"force,omitempty"`

	// Event is what is to be published (InstanceEvent).
	Event json.RawMessage `json:"event,omitempty"`

	// SentMS is when what the item says was sent first, or was due where that
	// is later. It is kept over every hop, so that an item has an age, which
	// bounds what it may still do (see Age). Absent where the sender does not
	// say; the first to receive it then takes the time of its queue.
	SentMS int64 `json:"sent_ms,omitempty"`
	// Actor is on whose behalf the sender acts, as the sender says: for audit,
	// and proof of nothing. It is recorded with a start, an event, a cancel, a
	// terminate, a suspend, a resume, a timer that is fired early and the completion of an
	// activity. That of a RetryActivity goes to the attempt that it has made (ActivityExecute),
	// and with what comes of it into the history; reserved in all others.
	Actor string `json:"actor,omitempty"`
	// Headers of a start are recorded, and go to its activities and children
	// (StartOrchestration, ActivityExecute). In all others they tell the trace
	// that the sender belongs to, and are not recorded. Their limits are those of
	// CheckHeaders. They are plain also where Codec is set.
	Headers map[string]string `json:"headers,omitempty"`
	// Origin of a start that redrives is the place from which the instance goes on: its
	// execution, and the event from which all happens again, 0 for where it failed. A
	// start with an origin in another instance forks that: it begins a new instance, which
	// goes on from there. Origin of an ActivityExecute is the event of an earlier execution
	// whose idempotency key the activity keeps. Origin of a CancelInstance or TerminateInstance for
	// a child names the first execution of its Parent that had the start of the child in its
	// history, where a redrive has taken that over.
	Origin *history.Origin `json:"origin,omitempty"`
	// LimitKey and Limit of a StartOrchestration: at most so many instances with this key run
	// at a time, and this one waits for its turn before its code begins.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// FairnessGroup names those with which the instance shares what is scarce.
	// Reserved: it is kept and recorded, and changes nothing.
	FairnessGroup string `json:"fairness_group,omitempty"`

	// Depth is how many turns in a row, without a pause, have led to what an
	// orchestration sends. Absent in all else: 0.
	Depth int `json:"depth,omitempty"`

	// FirstSeenMS is when an item that goes round the delay queue was first
	// received, Hops how often it has gone round.
	FirstSeenMS int64 `json:"first_seen_ms,omitempty"`
	Hops        int   `json:"hops,omitempty"`

	// Unknown are the fields, by name, that this build does not know, as they
	// came. They are ignored and written again, so that a build which sends an
	// item round for a newer one takes nothing out of it.
	Unknown map[string]json.RawMessage `json:"-"`
}

// AllEnded of Item.Ended begins a sweep of what has ended. It is less, as a text, than
// any list with which one goes on.
const AllEnded = "*"

// StartEvent is an external event that a start brings with it.
type StartEvent struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Parent is where a child was scheduled.
type Parent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	Token       string `json:"token"`
}

// Failure is history.Failure as it stands in a work item.
type Failure struct {
	Kind      string          `json:"kind,omitempty"`
	Message   string          `json:"message"`
	Code      string          `json:"code,omitempty"`
	Source    string          `json:"source,omitempty"`
	Instance  string          `json:"instance,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	Retryable bool            `json:"retryable,omitempty"`
	Stack     string          `json:"stack,omitempty"`
	Details   json.RawMessage `json:"details,omitempty"`
}

// Target returns the instance that handles the item: the parent for a child's
// completion, else Instance; none for a Sweep.
func (i *Item) Target() string {
	if i.Kind == SubOrchCompleted || i.Kind == SubOrchFailed {
		return i.ParentInstance
	}
	return i.Instance
}

// TargetExecution returns the execution that a completion is for, 0 where the
// current one is meant.
func (i *Item) TargetExecution() int64 {
	if i.Kind == SubOrchCompleted || i.Kind == SubOrchFailed {
		return i.ParentExecutionID
	}
	return i.ExecutionID
}

package wire

import (
	"encoding/json"

	"github.com/turnstile-go/turnstile/history"
)

// Version is the contract version that this build writes. It also reads later additions
// to this version, because unknown fields are ignored.
const Version = 1

// Kind says what a work item asks for.
type Kind string

// The work item kinds.
const (
	// StartOrchestration starts an instance. People and services send it.
	StartOrchestration Kind = "StartOrchestration"
	// ExternalRaised raises an external event for an instance.
	ExternalRaised Kind = "ExternalRaised"
	// CancelInstance asks an instance to stop; its code decides how.
	CancelInstance Kind = "CancelInstance"
	// TerminateInstance ends an instance without running its code.
	TerminateInstance Kind = "TerminateInstance"
	// SuspendInstance suspends an instance: it records arrivals and runs no code until a
	// ResumeInstance.
	SuspendInstance Kind = "SuspendInstance"
	ResumeInstance  Kind = "ResumeInstance"
	// FireTimer fires a timer before it is due. RetryActivity runs the next attempt of an
	// activity now instead of after its delay. Operators send them; they need no token.
	FireTimer     Kind = "FireTimer"
	RetryActivity Kind = "RetryActivity"
	// Wake lets an instance try again: because it is stuck, because a turn was cut short,
	// or to send its open operations again.
	Wake Kind = "Wake"
	// PurgeInstance deletes the history of a finished instance.
	PurgeInstance Kind = "PurgeInstance"
	// Sweep wakes stuck instances that are due. It is for no instance and has its own
	// message group (SweepGroup).
	Sweep Kind = "Sweep"
	// InstanceEvent is an event about an instance that could not be published at once. It
	// is requeued through the delay queue until it is published.
	InstanceEvent Kind = "InstanceEvent"

	// ActivityExecute runs one attempt of an activity. It is sent to activity queues
	// only.
	ActivityExecute Kind = "ActivityExecute"

	// ActivityPending says that an attempt has returned, and that its activity will be
	// completed or failed with its token. It is delivered again when a time limit of the
	// activity may have passed.
	ActivityPending Kind = "ActivityPending"
	// ActivityHeartbeat is a heartbeat of a pending activity, with details.
	ActivityHeartbeat Kind = "ActivityHeartbeat"

	// ActivityCompleted, ActivityFailed, TimerFired, SubOrchCompleted and SubOrchFailed
	// report a completion to the orchestration.
	ActivityCompleted Kind = "ActivityCompleted"
	ActivityFailed    Kind = "ActivityFailed"
	TimerFired        Kind = "TimerFired"
	SubOrchCompleted  Kind = "SubOrchCompleted"
	SubOrchFailed     Kind = "SubOrchFailed"
)

// Item is a work item: the JSON body of a message. The comment of each field names the
// kinds that use it.
type Item struct {
	// V is the contract version; absent means 1.
	V int `json:"v"`
	// Kind of the item.
	Kind Kind `json:"kind"`

	// Instance that the item is for. All kinds have it except Sweep, which is for no
	// instance, and SubOrchCompleted and SubOrchFailed, which name the parent.
	Instance string `json:"instance,omitempty"`
	// ExecutionID that a completion or ActivityExecute belongs to. For Wake,
	// CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance and
	// PurgeInstance, 0 (absent) means the current one.
	ExecutionID int64 `json:"execution_id,omitempty"`
	// ID distinguishes a repeat of this item from another item with equal content:
	// StartOrchestration, ExternalRaised, CancelInstance, TerminateInstance,
	// SuspendInstance, ResumeInstance, FireTimer, RetryActivity, Wake, PurgeInstance,
	// Sweep, InstanceEvent. If it is absent, the SQS message id is used. In an
	// ActivityExecute that an operator requested (RetryActivity), it identifies the
	// attempt that this one replaces.
	ID string `json:"id,omitempty"`

	// Name of the orchestration (StartOrchestration), the activity
	// (ActivityExecute) or the event (ExternalRaised).
	Name string `json:"name,omitempty"`
	// OrchVersion is the requested version (StartOrchestration); absent means the newest.
	OrchVersion string `json:"version,omitempty"`

	// Input (StartOrchestration, ActivityExecute), Data (ExternalRaised,
	// ActivityHeartbeat) and Result (ActivityCompleted, SubOrchCompleted) are JSON
	// values. Their bytes are kept unchanged.
	Input  json.RawMessage `json:"input,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	// Codec names the encoding of the payload; absent means plain JSON.
	Codec string `json:"codec,omitempty"`

	// Events that a start includes, delivered first and in order (StartOrchestration).
	Events []StartEvent `json:"events,omitempty"`
	// SearchAttributes of the instance (StartOrchestration). They are not encoded, even
	// if Codec is set.
	SearchAttributes history.SearchAttributes `json:"search_attributes,omitempty"`
	// Parent of a child (StartOrchestration).
	Parent *Parent `json:"parent,omitempty"`
	// OnConflict says what the start does if an instance already has its id
	// (StartOrchestration).
	OnConflict Conflict `json:"on_conflict,omitempty"`

	// Reason of a CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance or
	// FireTimer.
	Reason string `json:"reason,omitempty"`

	// SchedulingEventID is the event id of the ActivityScheduled (ActivityExecute). For a
	// Wake that continues a turn that was cut short, it is the last event that the turn
	// appended. For a ResumeInstance or SuspendInstance, it is the OrchestrationSuspended
	// that the item is for; absent means any.
	SchedulingEventID int64 `json:"scheduling_event_id,omitempty"`
	// SourceEventID is the scheduling event that a completion completes, or that a
	// FireTimer or RetryActivity is about.
	SourceEventID int64 `json:"source_event_id,omitempty"`
	// Token proves that a completion responds to a message that was sent out.
	// ActivityExecute carries it, and completions return it.
	Token string `json:"token,omitempty"`
	// ActivityToken replaces the instance, execution_id, source_event_id and token of an
	// ActivityCompleted, ActivityFailed or ActivityHeartbeat: it is the one string that a
	// pending activity hands out. Parse replaces it by these fields; Encode does not
	// write it.
	ActivityToken string `json:"activity_token,omitempty"`
	// Attempt of an ActivityExecute or ActivityPending, from 1; absent means 1. For a
	// RetryActivity, the attempt that waits; absent means whichever waits. For an
	// ActivityCompleted or ActivityFailed, the attempt that ended the activity; absent if
	// the sender does not say.
	Attempt int `json:"attempt,omitempty"`
	// StartedAtMS is the time at which that attempt started, by the clock of its worker,
	// and RequestID is the worker's name for the invocation that ran it
	// (ActivityCompleted, ActivityFailed). Both may be absent.
	StartedAtMS int64  `json:"started_at_ms,omitempty"`
	RequestID   string `json:"request_id,omitempty"`
	// ScheduledAtMS is the time at which the activity was scheduled (ActivityExecute). For a
	// SuspendInstance, ResumeInstance, FireTimer or RetryActivity, it is the time at which the
	// event that it names was recorded; absent if its sender does not say.
	ScheduledAtMS int64 `json:"scheduled_at_ms,omitempty"`
	// NotBeforeMS holds back an item whose delay is longer than a queue can delay it: an
	// attempt (ActivityExecute), or a Wake or a PurgeInstance that continues later. For
	// an ActivityPending, it is the time at which a time limit may have passed. For a
	// StartOrchestration, it is the time at which the code starts; for a SuspendInstance,
	// the time at which the instance resumes by itself; for a ResumeInstance, the time at
	// which it is due.
	NotBeforeMS int64 `json:"not_before_ms,omitempty"`
	// WaitsMS is the time since which an attempt waits for a permit of a limit over instances, and
	// TurnMS the time at which it is expected to get one (ActivityExecute). Workers write both.
	WaitsMS int64 `json:"waits_ms,omitempty"`
	TurnMS  int64 `json:"turn_ms,omitempty"`
	// Retry is the activity's retry policy (ActivityExecute).
	Retry *history.Retry `json:"retry,omitempty"`
	// Details of a failure (ActivityFailed, SubOrchFailed), or of the failure of the
	// previous attempt (ActivityExecute).
	Details *Failure `json:"details,omitempty"`

	// ExpiresAtMS is the time after which an update is rejected (ExternalRaised whose name
	// begins with history.UpdatePrefix); absent means never.
	ExpiresAtMS int64 `json:"expires_at_ms,omitempty"`

	// ReplyTo is the instance that an update is answered to, if an orchestration sends it
	// (ExternalRaised).
	ReplyTo string `json:"reply_to,omitempty"`

	// FireAtMS is the time at which a timer is due (TimerFired).
	FireAtMS int64 `json:"fire_at_ms,omitempty"`

	// ParentInstance and ParentExecutionID address a SubOrchCompleted or
	// SubOrchFailed.
	ParentInstance    string `json:"parent_instance,omitempty"`
	ParentExecutionID int64  `json:"parent_execution_id,omitempty"`

	// Number of a Wake that the sweeper sends is the number of the problem that it is
	// for. It is absent in an operator's wake, which also sends all open operations
	// again.
	Number int64 `json:"number,omitempty"`
	// BeforeMS of a Sweep that continues: it visits instances that were created before
	// this time, in milliseconds since 1970. Absent means all instances.
	BeforeMS int64 `json:"before_ms,omitempty"`
	// Ended of a Sweep: it visits instances that have ended and whose retention is over,
	// instead of stuck instances. "*" starts such a sweep. Any other text names the list
	// at which it continues, PageToken the page, and BeforeMS the start time before which
	// the list lies.
	Ended     string `json:"ended,omitempty"`
	PageToken string `json:"page_token,omitempty"`
	// UpToExecution of a PurgeInstance that continues: the histories up to this execution
	// are deleted. If the instance keeps that execution, the item asks to prune it.
	UpToExecution int64 `json:"up_to_execution,omitempty"`
	// Force lets PurgeInstance delete a running instance whose history is corrupt,
	// because such an instance cannot be terminated.
	Force bool `json:"force,omitempty"`

	// Event is the event to publish (InstanceEvent).
	Event json.RawMessage `json:"event,omitempty"`

	// SentMS is the time at which the information in the item was first sent, or was due
	// if that is later. It is kept when the item is forwarded, so that an item has an
	// age, after which it has no effect (see Age). If the sender does not set it, the
	// first receiver uses the time of its queue.
	SentMS int64 `json:"sent_ms,omitempty"`
	// Actor names the person or system on whose behalf the sender acts, according to the
	// sender: for audit, not authentication. It is recorded with a start, an event, a
	// cancel, a terminate, a suspend, a resume, a timer that is fired early and the
	// completion of an activity. The Actor of a RetryActivity is passed to the attempt
	// that it starts (ActivityExecute), and recorded with its result. It is reserved in
	// all other kinds.
	Actor string `json:"actor,omitempty"`
	// Headers of a start are recorded and passed to its activities and children
	// (StartOrchestration, ActivityExecute). In all other kinds they identify the
	// sender's trace and are not recorded. CheckHeaders has their limits. They are not
	// encoded, even if Codec is set.
	Headers map[string]string `json:"headers,omitempty"`
	// Origin of a start that redrives is the place from which the instance continues: its
	// execution, and the event from which everything is run again, 0 for where it failed.
	// A start with an origin in another instance forks that instance: it starts a new
	// instance, which continues from there. Origin of an ActivityExecute is the event of
	// an earlier execution whose idempotency key the activity keeps. Origin of a
	// CancelInstance or TerminateInstance for a child names the first execution of its
	// Parent that had the start of the child in its history, if a redrive has copied it.
	Origin *history.Origin `json:"origin,omitempty"`
	// LimitKey and Limit of a StartOrchestration allow at most Limit instances with this
	// key to run at a time. The instance waits for a permit before its code starts.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// FairnessGroup names the group with which the instance shares scarce resources.
	// Reserved: it is kept and recorded, and has no effect.
	FairnessGroup string `json:"fairness_group,omitempty"`

	// Depth is the number of turns in a row, without a pause, that led to a message of an
	// orchestration. It is absent (0) in all other messages.
	Depth int `json:"depth,omitempty"`

	// FirstSeenMS is the time at which an item that was requeued through the delay queue
	// was first received; Hops is how often it was requeued.
	FirstSeenMS int64 `json:"first_seen_ms,omitempty"`
	Hops        int   `json:"hops,omitempty"`

	// Unknown has the fields that this build does not know, by name and unchanged. They
	// are ignored and written again, so that a build that requeues an item for a newer
	// build removes nothing from it.
	Unknown map[string]json.RawMessage `json:"-"`
}

// AllEnded as Item.Ended starts a sweep of ended instances. As a string it sorts before
// the name of every list.
const AllEnded = "*"

// StartEvent is an external event that a start includes.
type StartEvent struct {
	// ID identifies the event; empty for an id that derives from that of the start.
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Parent identifies the place where a child was scheduled.
type Parent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	Token       string `json:"token"`
}

// Failure is history.Failure in the form of a work item.
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

// Target returns the instance that handles the item: the parent for the completion of a
// child, otherwise Instance; "" for a Sweep.
func (i *Item) Target() string {
	if i.Kind == SubOrchCompleted || i.Kind == SubOrchFailed {
		return i.ParentInstance
	}
	return i.Instance
}

// TargetExecution returns the execution that the item is for; 0 means the current one.
func (i *Item) TargetExecution() int64 {
	if i.Kind == SubOrchCompleted || i.Kind == SubOrchFailed {
		return i.ParentExecutionID
	}
	return i.ExecutionID
}

package history

// Event is one fact in the history of an execution. Events are values: once
// recorded they are never changed. Which fields a kind uses is said beside
// each field; all others are zero.
type Event struct {
	// Kind says what happened. It decides which of the other fields are set.
	Kind Kind
	// Inline marks an ActivityScheduled whose activity runs inside the turn.
	Inline bool
	// ExplicitID marks a SubOrchestrationScheduled whose Instance the code
	// chose itself; a derived one depends on where the code runs and is not
	// compared on replay.
	ExplicitID bool
	// UseExisting marks a SubOrchestrationScheduled that waits for the
	// instance which has its id already, if there is one. It is not compared
	// on replay.
	UseExisting bool
	// WithPrevious marks an arrival that was recorded before the code had run for
	// the event in front of it, which is an arrival too.
	WithPrevious bool

	// EventID is the position in the history: from 1, without gaps.
	EventID int64
	// SourceEventID is, for every completion but ExternalEvent, the EventID
	// of the scheduling event that it completes; for ExternalRejected the id of the
	// ExternalEvent.
	SourceEventID int64
	// AtMS is when the event was recorded, in milliseconds since the Unix
	// epoch.
	AtMS int64

	// Name of the orchestration (OrchestrationStarted,
	// SubOrchestrationScheduled, OrchestrationChained), the activity
	// (ActivityScheduled) or the external event (ExternalSubscribed,
	// ExternalEvent, ExternalRejected).
	Name string
	// Version of the orchestration: pinned in OrchestrationStarted; in
	// SubOrchestrationScheduled, OrchestrationChained and
	// OrchestrationContinuedAsNew the version asked for, empty for the
	// newest.
	Version string
	// Instance of the child (SubOrchestrationScheduled), of the detached
	// orchestration (OrchestrationChained), that a SystemCall is about, or that the code
	// is from an OrchestrationRedriven on, where it was another one before: a fork.
	Instance string
	// ForkOf is the child of the instance from which this one was forked, of which its own
	// child is a fork (SubOrchestrationScheduled).
	ForkOf string

	// Payload is the event's value, exactly the bytes that were given. In
	// JSON its key is the papers' name for it: "input" (OrchestrationStarted,
	// OrchestrationContinuedAsNew, ActivityScheduled,
	// SubOrchestrationScheduled, OrchestrationChained), "output"
	// (OrchestrationCompleted), "result" (ActivityCompleted,
	// SubOrchestrationCompleted), "data" (ExternalEvent), "value"
	// (SystemCall). Nil and empty are the same: absent.
	Payload []byte
	// Codec names how Payload is encoded; empty means as it is. The engine
	// only ever sees plain payloads. Names that begin with "blob" say that
	// a reference stands in place of the payload.
	Codec string

	// FireAtMS is when the timer is due, in milliseconds since the Unix epoch
	// (TimerCreated, TimerFired), or when an instance goes on by itself that is
	// suspended until then (OrchestrationSuspended; 0 for one that waits for a resume).
	FireAtMS int64
	// DurationMS is the duration that the code asked for (TimerCreated).
	DurationMS int64

	// Op is what a SystemCall was: one of the Op constants.
	Op string
	// OnParentEnd says what becomes of the child of a
	// SubOrchestrationScheduled when this execution ends before it:
	// ParentEndCancel, ParentEndTerminate, or empty to leave it. It is not
	// compared on replay.
	OnParentEnd string
	// Retry is the policy of an activity as it stood when it was scheduled
	// (ActivityScheduled): re-sending happens without the code. It is not
	// compared on replay.
	Retry *Retry
	// StartedAtMS is when the attempt began that ended an activity, by its
	// worker's clock, Attempt its number from 1, and RequestID names the
	// invocation that made it, as its worker calls it (ActivityCompleted,
	// ActivityFailed). They are zero where no attempt did, or its worker did
	// not say.
	StartedAtMS int64
	Attempt     int
	RequestID   string
	// Actor is on whose behalf the sender of an OrchestrationStarted, an
	// ExternalEvent, an OrchestrationCancelRequested, an OrchestrationSuspended or
	// OrchestrationResumed, of what fired a timer early (TimerFired), completed an
	// activity by hand or had the attempt made that ended it (ActivityCompleted,
	// ActivityFailed), or terminated the instance (OrchestrationFailed) acted, as the sender
	// says; for audit, and proof of nothing.
	Actor string
	// SenderID is the id that the sender of an ExternalEvent, an
	// OrchestrationCancelRequested, an OrchestrationSuspended or an
	// OrchestrationResumed gave it; of an OrchestrationRedriven that of the redrive. On a
	// TimerFired it says that somebody has fired the timer before it was due, and is the
	// id of that request.
	SenderID string
	// Reason of an OrchestrationCancelRequested, an OrchestrationSuspended or an
	// OrchestrationResumed, of a TimerFired that somebody asked for, of a SystemCall that asks
	// another instance to stop, or of an ExternalRejected.
	Reason string
	// Failure is the "details" of ActivityFailed, SubOrchestrationFailed and
	// OrchestrationFailed.
	Failure *Failure
	// Imposed is set on an OrchestrationFailed that the code did not make:
	// ImposedTerminated, ImposedPolicy or ImposedLimit; and ImposedTerminated on an
	// OpCancelInstance that ends the instance without asking its code. A build that
	// overlooks that cancels it.
	Imposed string
	// Headers that what an ActivityScheduled, SubOrchestrationScheduled or
	// OrchestrationChained starts gets besides those of the execution's start, or
	// in their place where the names are the same; in UTF-8. They are not compared
	// on replay, and never sealed.
	Headers map[string]string
	// LimitKey and Limit: at most so many instances with this key run at a time. Of a
	// SubOrchestrationScheduled or OrchestrationChained, of what it starts; of an
	// OrchestrationSuspended that waits for its turn under this limit. They are not
	// compared on replay.
	LimitKey string
	Limit    int
	// Label is what the code calls what it started, for people (all scheduling kinds but
	// ExternalRejected): those of the contexts around it, outermost first, with " / "
	// between them. It is not compared on replay, and never sealed.
	Label string
	// Start holds what only OrchestrationStarted has. A ParentAttached has the
	// StartID and the Parent of the start that found the instance running, an
	// OrchestrationRedriven the ExecutionID that it began.
	Start *Start
}

// Values of Event.Imposed.
const (
	ImposedTerminated = "terminated"
	ImposedPolicy     = "policy"
	ImposedLimit      = "limit"
)

// Values of Event.OnParentEnd.
const (
	ParentEndCancel    = "cancel"
	ParentEndTerminate = "terminate"
)

// Values of Event.Op.
const (
	OpNow        = "now"
	OpGUID       = "guid"
	OpSideEffect = "side_effect"
	OpTrace      = "trace"
	// OpRaiseEvent raises the external event Name for Instance.
	OpRaiseEvent = "raise_event"
	// OpCancelInstance asks Instance to stop, for Reason; or ends it (Imposed).
	OpCancelInstance = "cancel_instance"
	// OpResumeInstance has Instance go on that waits for its turn under a limit, or ends it
	// (Imposed); the value is the place of its OrchestrationSuspended.
	OpResumeInstance = "resume_instance"
	// OpPatch marks an execution that began with the patch Name.
	OpPatch = "patch"
)

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

// Start is what OrchestrationStarted says besides name, version and input.
type Start struct {
	// ExecutionID of this history: 1, 2, …
	ExecutionID int64
	// StartID is the id of the start message, which tells its repeat from
	// another start.
	StartID string
	// Secret was written by early builds, which made tokens from it. It has no
	// effect; exports blank it.
	Secret string
	// Parent that waits for this instance; nil for a root.
	Parent *Parent
	// SenderIDs are the newest sender ids of earlier executions, oldest first,
	// at most 256: ids of external events as they are, ids
	// of cancels with "cancel:" before them, of suspends with "suspend:", of
	// resumes with "resume:".
	SenderIDs []string
	// CustomStatus is carried over by continue-as-new; nil when none was set.
	CustomStatus []byte
	// SearchAttributes that a start brings, or that continue-as-new carries
	// over; nil for none. They are never sealed.
	SearchAttributes SearchAttributes
	// Headers that came with the start, in UTF-8: trace context, values of
	// interceptors. Its activities and children get them, and each next
	// execution. They are never sealed.
	Headers map[string]string
	// Origin is the place from which a redrive took over what stands ahead of
	// OrchestrationRedriven; nil for none.
	Origin *Origin
	// FairnessGroup names those with which the instance shares what is scarce.
	// Reserved: this build keeps it.
	FairnessGroup string
	// LimitKey and Limit: at most so many instances with this key run at a time. Each next
	// execution has them too. A redrive waits for its turn anew.
	LimitKey string
	Limit    int
}

// Origin is a place in another history: the events up to EventID were taken over from
// there.
type Origin struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	// FirstExecutionID is the execution in which the first of them were recorded: an
	// earlier one than ExecutionID where that one has taken them over, too.
	FirstExecutionID int64 `json:"first_execution_id,omitempty"`
	// FirstInstance is the instance in which they were recorded, where that is another one
	// than the execution's own: it was forked from it.
	FirstInstance string `json:"first_instance,omitempty"`
	// ForkedExecutionID is then the execution that was forked from it, or from a fork of it.
	ForkedExecutionID int64 `json:"forked_execution_id,omitempty"`
	// Carried are the scheduling events among them that were open there, or had failed in a
	// way that does not say what became of the last attempt, by EventID. What was sent out
	// for them before completes them here too.
	Carried []Carried `json:"carried,omitempty"`
}

// Carried is a scheduling event that was not settled when its history was taken over. The
// ExecutionID is the first of the executions that it was open in without a break: its
// activity has the idempotency key that it had there. The Instance of that execution is
// empty where it is the Origin's.
type Carried struct {
	EventID     int64  `json:"event_id"`
	ExecutionID int64  `json:"execution_id"`
	Instance    string `json:"instance,omitempty"`
}

// Parent is the place where a child was scheduled.
type Parent struct {
	Instance    string
	ExecutionID int64
	// EventID of the SubOrchestrationScheduled.
	EventID int64
	// Token was written by early builds. It has no effect, because the token is made
	// anew from a key of the stack; exports blank it.
	Token string
}

// Failure is why something failed.
type Failure struct {
	// Kind is one of the FailureKind constants.
	Kind string
	// Message for people.
	Message string
	// Code is a word the author gave the error, to act on; may be empty.
	Code string
	// Source names the activity or the orchestration that failed first.
	Source string
	// Instance is the child that failed (SubOrchestrationFailed).
	Instance string
	// Attempt is the number of the last attempt, from 1; 0 when there was no
	// attempt.
	Attempt int
	// Retryable says whether the failure was open to another attempt.
	Retryable bool
	// Stack of a panic; may be cut.
	Stack string
	// RetryAfterMS is how long the code has to wait before it schedules the
	// next attempt of an inline activity; 0 where none follows.
	RetryAfterMS int64
	// Details is a value the author attached, as JSON; may be nil.
	Details []byte
}

// Kinds of failure.
const (
	// FailureApplication is an error returned by user code.
	FailureApplication = "application"
	// FailurePanic is a panic in user code.
	FailurePanic = "panic"
	// FailureTimeout is an attempt out of time.
	FailureTimeout = "timeout"
	// FailureTotalTimeout is an activity that was not done in the time that
	// all its attempts have together.
	FailureTotalTimeout = "total_timeout"
	// FailureHeartbeatTimeout is an attempt that gave no sign of life.
	FailureHeartbeatTimeout = "heartbeat_timeout"
	// FailureInterrupted is an attempt, of an activity that runs at most once,
	// that was begun before and not heard of again.
	FailureInterrupted = "interrupted"
	// FailureCancelled is an end by cancellation.
	FailureCancelled = "cancelled"
	// FailureTerminated is an end by terminate.
	FailureTerminated = "terminated"
	// FailureLost is an activity that died on every delivery.
	FailureLost = "lost"
	// FailureNotRegistered is a name that no build in reach knows.
	FailureNotRegistered = "not_registered"
	// FailureAlreadyExists is a child whose instance id is taken.
	FailureAlreadyExists = "already_exists"
	// FailurePurged is a child whose instance id belongs to a purged instance, and
	// not free yet.
	FailurePurged = "purged"
	// FailureTooLarge is a value over its limit.
	FailureTooLarge = "too_large"
	// FailureInvalidInput is an input that the code's type cannot take.
	FailureInvalidInput = "invalid_input"
	// FailureLimit is an end imposed by a limit.
	FailureLimit = "limit"
	// FailureStuck is an end imposed by the policy "fail" where the instance
	// would have been stuck.
	FailureStuck = "stuck"
)

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

// Retry is the retry policy and the time limits of an activity.
type Retry struct {
	// MaxAttempts in all; 0 and 1 mean one attempt.
	MaxAttempts int `json:"max_attempts,omitempty"`
	// InitialMS is the delay before the second attempt, in milliseconds.
	InitialMS int64 `json:"initial_ms,omitempty"`
	// MaxMS is the longest delay; 0 means no bound.
	MaxMS int64 `json:"max_ms,omitempty"`
	// Coefficient multiplies the delay after each attempt; 0 means 2.
	Coefficient float64 `json:"coefficient,omitempty"`
	// Jitter is the share of the delay, 0 to 1, that is random.
	Jitter float64 `json:"jitter,omitempty"`
	// TimeoutMS bounds one attempt; 0 means the worker's default.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// TotalTimeoutMS bounds all attempts together, the delays between them
	// included, from when the activity was scheduled; 0 means no bound.
	TotalTimeoutMS int64 `json:"total_timeout_ms,omitempty"`
	// HeartbeatTimeoutMS is how long an attempt may go without a heartbeat; 0
	// means for ever.
	HeartbeatTimeoutMS int64 `json:"heartbeat_timeout_ms,omitempty"`
	// AtMostOnce: no attempt is begun twice.
	AtMostOnce bool `json:"at_most_once,omitempty"`
	// FinalCodes are failure codes that are not retried.
	FinalCodes []string `json:"final_codes,omitempty"`
	// Batch is how many results of inline activities may share a commit; 0 and
	// 1 mean that each has its own.
	Batch int `json:"batch,omitempty"`
	// AttemptsMade by earlier scheduling events, of which FirstEventID is the
	// first, where retries of an inline activity are apart by timers.
	AttemptsMade int   `json:"attempts_made,omitempty"`
	FirstEventID int64 `json:"first_event_id,omitempty"`
	// LimitKey and Limit: at most so many attempts with this key run at a time, over
	// all instances; 0 means no limit.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// RateKey, Rate and RateMS: at most so many attempts with this key begin within
	// any RateMS milliseconds, over all instances; 0 means no limit.
	RateKey string `json:"rate_key,omitempty"`
	Rate    int    `json:"rate,omitempty"`
	RateMS  int64  `json:"rate_ms,omitempty"`
	// Queue is the activity queue that its attempts go through; empty for the one that
	// has no name. FairKey is the key by which it shares that queue with others.
	Queue   string `json:"queue,omitempty"`
	FairKey string `json:"fair_key,omitempty"`
}

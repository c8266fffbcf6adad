package history

import "strings"

// Event is one fact in the history of an execution. Recorded events never change. The
// comment of each field names the kinds that use it; for all other kinds it is zero.
type Event struct {
	// Kind is what happened. It determines which of the other fields are set.
	Kind Kind
	// Inline marks an ActivityScheduled whose activity runs inside the turn.
	Inline bool
	// ExplicitID marks a SubOrchestrationScheduled whose Instance the code chose.
	// Otherwise Instance was derived from the place in the history, and replay does not
	// compare it.
	ExplicitID bool
	// UseExisting marks a SubOrchestrationScheduled that waits for an existing instance
	// with its id, if there is one. Replay does not compare it.
	UseExisting bool
	// WithPrevious marks an arrival that directly follows another arrival, and that was recorded
	// before the code ran for the other one.
	WithPrevious bool

	// EventID is the position in the history: from 1, without gaps.
	EventID int64
	// SourceEventID is the EventID of the scheduling event that a completion completes
	// (all completions except ExternalEvent), of the ExternalEvent that was rejected
	// (ExternalRejected) or that a SystemCall accepts or answers, or of the OrchestrationRedriven with whose events the code agrees
	// (OrchestrationResumed; 0 for the resume of a suspend).
	SourceEventID int64
	// AtMS is the time at which the event was recorded, in Unix milliseconds.
	AtMS int64

	// Name of the orchestration (OrchestrationStarted,
	// SubOrchestrationScheduled, OrchestrationChained), the activity
	// (ActivityScheduled) or the external event (ExternalSubscribed,
	// ExternalEvent, ExternalRejected).
	Name string
	// Version of the orchestration. OrchestrationStarted has the version that the
	// execution keeps; SubOrchestrationScheduled, OrchestrationChained and
	// OrchestrationContinuedAsNew have the requested version, empty for the newest.
	Version string
	// Instance is the id of the child (SubOrchestrationScheduled), of the detached
	// orchestration (OrchestrationChained), or of the instance that a SystemCall
	// addresses. In the OrchestrationRedriven of a fork it is the id that the code sees
	// from there on; before it, the code saw the id of the original instance. In an
	// ExternalEvent that requests an update, and in the events that decide or answer it, it
	// is the instance that sent the request; empty if a client sent it.
	Instance string
	// ForkOf is the original instance's child of which this child is a fork
	// (SubOrchestrationScheduled of a fork).
	ForkOf string

	// Payload is the value of the event, exactly the bytes that were given. Its JSON key
	// is the name that the papers use: "input" (OrchestrationStarted,
	// OrchestrationContinuedAsNew, ActivityScheduled, SubOrchestrationScheduled,
	// OrchestrationChained), "output" (OrchestrationCompleted), "result"
	// (ActivityCompleted, SubOrchestrationCompleted), "data" (ExternalEvent), "value"
	// (SystemCall). Nil and empty are equivalent: no payload.
	Payload []byte
	// Codec names the encoding of Payload; empty means not encoded. The engine only sees
	// decoded payloads. If the name starts with "blob", Payload is a reference to the
	// value.
	Codec string

	// FireAtMS is the time at which the timer is due, in Unix milliseconds (TimerCreated,
	// TimerFired), at which a suspended instance resumes by itself
	// (OrchestrationSuspended; 0 if it waits for a resume), or after which an update is
	// rejected (ExternalEvent; 0 if the caller set no limit).
	FireAtMS int64
	// DurationMS is the duration that the code requested, in milliseconds (TimerCreated).
	DurationMS int64

	// Op is the operation of a SystemCall: one of the Op constants.
	Op string
	// OnParentEnd is what happens to the child if this execution ends first (SubOrchestrationScheduled):
	// ParentEndCancel, ParentEndTerminate, or empty to let it run. Replay does not compare it.
	OnParentEnd string
	// Retry is the retry policy of an activity at the time it was scheduled
	// (ActivityScheduled). It is recorded because attempts are retried without running
	// the code. Replay does not compare it.
	Retry *Retry
	// StartedAtMS is the time at which the attempt that ended the activity started, by
	// the clock of its worker, in Unix milliseconds; Attempt is its number, from 1; and
	// RequestID is the worker's name for the invocation that ran it (ActivityCompleted,
	// ActivityFailed). They are zero if no attempt ended the activity, or if its worker
	// did not report them.
	StartedAtMS int64
	Attempt     int
	RequestID   string
	// Actor names the person or system on whose behalf the sender acted, according to the
	// sender: for audit, not authentication. It is set for an OrchestrationStarted,
	// ExternalEvent, OrchestrationCancelRequested, OrchestrationSuspended,
	// OrchestrationResumed and OrchestrationRedriven; for a timer that was fired early (TimerFired); for an
	// activity that was completed by hand or whose last attempt an operator requested
	// (ActivityCompleted, ActivityFailed); and for a terminated instance
	// (OrchestrationFailed).
	Actor string
	// SenderID is the id that the sender gave an ExternalEvent, OrchestrationCancelRequested,
	// OrchestrationSuspended or OrchestrationResumed, the id of the update that a SystemCall or an
	// ExternalRejected decides or answers, or the id of the redrive (OrchestrationRedriven). If it
	// is set on a TimerFired, an operator fired the timer before it was due, and SenderID is the id
	// of the operator's request.
	SenderID string
	// Reason of an OrchestrationCancelRequested, OrchestrationSuspended,
	// OrchestrationResumed or OrchestrationRedriven, of a TimerFired that an operator requested, of a SystemCall
	// that asks another instance to stop, or of an ExternalRejected.
	Reason string
	// Failure is the "details" of an ActivityFailed, SubOrchestrationFailed or
	// OrchestrationFailed.
	Failure *Failure
	// Forced is set on an OrchestrationFailed that the code did not cause:
	// ForcedByOperator, ForcedByPolicy or ForcedByLimit. On an OpCancelInstance,
	// ForcedByOperator ends the other instance without running its code (a build that
	// ignores the field cancels it); on an OpResumeInstance it ends the instance instead
	// of resuming it.
	Forced string
	// Headers are passed to the activity or instance that an ActivityScheduled,
	// SubOrchestrationScheduled or OrchestrationChained starts, in addition to the headers of the
	// execution's start; if both contain the same name, the value in this field is used. They are
	// UTF-8 and never encrypted. Replay does not compare them.
	Headers map[string]string
	// LimitKey and Limit allow at most Limit instances with this key to run at a time. On a
	// SubOrchestrationScheduled or OrchestrationChained they apply to the instance that the event
	// starts; on an OrchestrationSuspended they name the limit whose permit the instance waits for.
	// Replay does not compare them.
	LimitKey string
	Limit    int
	// Label is a name that the code gave the operation, for display (all scheduling kinds except
	// ExternalRejected): the labels of the contexts around it, outermost first, separated by " / ". Labels are
	// never encrypted. Replay does not compare them.
	Label string
	// Start has the fields that only OrchestrationStarted has. In a ParentAttached it has
	// the StartID and the Parent of the start that found the instance running, and in an
	// OrchestrationRedriven the ExecutionID of the execution that the redrive started.
	Start *Start
}

// Values of Event.Forced.
const (
	ForcedByOperator = "terminated"
	ForcedByPolicy   = "policy"
	ForcedByLimit    = "limit"
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
	// OpCancelInstance asks Instance to stop, with Reason. If Forced is set, it
	// terminates Instance.
	OpCancelInstance = "cancel_instance"
	// OpResumeInstance resumes Instance, which waits for a permit of a limit, or terminates it if
	// Forced is set. The value identifies the OrchestrationSuspended of that instance.
	OpResumeInstance = "resume_instance"
	// OpPatch marks an execution that has the patch Name.
	OpPatch = "patch"
	// OpAcceptUpdate accepts the update that the ExternalEvent of SourceEventID requests, and
	// starts its handler. An ExternalRejected rejects it. The value is the id of the event that
	// the code was processing, if that was another than the request.
	OpAcceptUpdate = "accept_update"
	// OpAnswerUpdate is the answer of the handler: its output, or its error as a Failure.
	OpAnswerUpdate = "answer_update"
)

// UpdatePrefix and the name of an update are the name of the ExternalEvent that requests it.
// AnswerPrefix and the id of an update are the name of the ExternalEvent that answers it, if an
// orchestration has sent the request.
const (
	UpdatePrefix = "turnstile.update."
	AnswerPrefix = "turnstile.answer."
)

// Update returns the name of the update that an event requests, decides or answers. It reports
// false for all other events.
func (e *Event) Update() (name string, ok bool) {
	switch {
	case e.Kind == ExternalEvent || e.Kind == ExternalRejected:
	case e.Kind == SystemCall && (e.Op == OpAcceptUpdate || e.Op == OpAnswerUpdate):
	default:
		return "", false
	}
	return strings.CutPrefix(e.Name, UpdatePrefix)
}

// UpdateStep returns what the event says about its update: "requested", "accepted", "rejected" or
// "answered"; "" if it is not about an update.
func (e *Event) UpdateStep() string {
	_, update := e.Update()
	switch {
	case !update:
		return ""
	case e.Kind == ExternalEvent:
		return "requested"
	case e.Kind == ExternalRejected:
		return "rejected"
	case e.Op == OpAcceptUpdate:
		return "accepted"
	}
	return "answered"
}

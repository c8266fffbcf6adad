package history

// Start has the fields of an OrchestrationStarted other than name, version and input.
type Start struct {
	// ExecutionID of this history, from 1.
	ExecutionID int64
	// StartID is the id of the start message. It distinguishes a repeated message from a different
	// start.
	StartID string
	// Secret was written by early builds, which derived tokens from it. It has no effect;
	// exports leave it out.
	Secret string
	// Parent that waits for this instance; nil if there is none.
	Parent *Parent
	// SenderIDs are the most recent sender ids of earlier executions, oldest first, at
	// most 256. The id of an external event is kept as is; the ids of cancels, suspends
	// and resumes have the prefix "cancel:", "suspend:" or "resume:".
	SenderIDs []string
	// States that continue-as-new carries over, as EncodeStates returns them; nil if none was
	// set.
	States []byte
	// SearchAttributes that the start sets, or that continue-as-new carries over; nil for
	// none. They are never encrypted.
	SearchAttributes SearchAttributes
	// Headers of the start, in UTF-8: trace context, values of interceptors. The
	// activities, the children and later executions get them. They are never encrypted.
	Headers map[string]string
	// Origin is the place from which a redrive copied the events before
	// OrchestrationRedriven; nil if there is none.
	Origin *Origin
	// FairnessGroup names the group with which the instance shares scarce resources. It is
	// reserved: this build only keeps it.
	FairnessGroup string
	// LimitKey and Limit allow at most Limit instances with this key to run at a time, if
	// the start named a limit. Otherwise they are empty and the limit of the
	// implementation applies; a redrive and a restart then use the limit of the build at
	// that time. Later executions have them too.
	LimitKey string
	Limit    int
}

// Origin is a place in another history: the events up to EventID were copied from there.
type Origin struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	// FirstExecutionID is the execution in which the first of these events were recorded. It is
	// lower than ExecutionID if the execution ExecutionID had itself copied them.
	FirstExecutionID int64 `json:"first_execution_id,omitempty"`
	// FirstInstance is the instance in which they were recorded, if this execution's instance is a
	// fork, or a fork of a fork, of that instance; empty otherwise.
	FirstInstance string `json:"first_instance,omitempty"`
	// ForkedExecutionID is the first execution of this execution's instance, if FirstInstance is
	// set; 0 otherwise.
	ForkedExecutionID int64 `json:"forked_execution_id,omitempty"`
	// Carried lists, by EventID, the copied scheduling events of two kinds of operations: those
	// that were open, and those that failed although the outcome of their last attempt was unknown.
	// Earlier results of these operations complete them in this execution too.
	Carried []Carried `json:"carried,omitempty"`
}

// Carried is a scheduling event that had no certain outcome when its history was copied.
// ExecutionID is the execution since which the operation has been open without interruption; an
// activity keeps its idempotency key from that execution. Instance is the instance of that
// execution; empty if that is the Origin's instance.
type Carried struct {
	EventID     int64  `json:"event_id"`
	ExecutionID int64  `json:"execution_id"`
	Instance    string `json:"instance,omitempty"`
}

// Parent identifies the place where a child was scheduled.
type Parent struct {
	Instance    string
	ExecutionID int64
	// EventID of the SubOrchestrationScheduled.
	EventID int64
	// AtMS is when that event was recorded, in Unix milliseconds; 0 in histories of early builds.
	AtMS int64
	// Token was written by early builds. It has no effect, because the token is now
	// derived from a key of the stack; exports leave it out.
	Token string
}

package history

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
	// LimitKey and Limit: at most so many instances with this key run at a time, as the start has
	// named it; empty where the limit of the implementation holds, which a redrive and a rerun find
	// in the build of their time. Each next execution has them too.
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

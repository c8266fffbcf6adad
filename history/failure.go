package history

// Failure describes why an activity or an orchestration failed.
type Failure struct {
	// Kind is one of the FailureKind constants.
	Kind string
	// Message for people.
	Message string
	// Code is a word that the author gave the error, for code to act on; may be empty.
	Code string
	// Source names the activity or the orchestration that failed first.
	Source string
	// Instance is the id of the child that failed (SubOrchestrationFailed).
	Instance string
	// Attempt is the number of the last attempt, from 1; 0 if there was none.
	Attempt int
	// Retryable says whether another attempt was allowed.
	Retryable bool
	// Stack of a panic; may be truncated.
	Stack string
	// RetryAfterMS is the delay, in milliseconds, before the code schedules the next
	// attempt of an inline activity; 0 if there is no next attempt.
	RetryAfterMS int64
	// Details is a JSON value that the author attached; may be nil.
	Details []byte
}

// Kinds of failure.
const (
	// FailureApplication is an error returned by user code.
	FailureApplication = "application"
	// FailurePanic is a panic in user code.
	FailurePanic = "panic"
	// FailureTimeout is an attempt that exceeded its timeout.
	FailureTimeout = "timeout"
	// FailureTotalTimeout is an activity that exceeded the timeout for all of its
	// attempts together.
	FailureTotalTimeout = "total_timeout"
	// FailureHeartbeatTimeout is an attempt that sent no heartbeat in time.
	FailureHeartbeatTimeout = "heartbeat_timeout"
	// FailureInterrupted is an attempt of an at-most-once activity that started and never
	// reported a result.
	FailureInterrupted = "interrupted"
	// FailureCancelled is an end by a cancel.
	FailureCancelled = "cancelled"
	// FailureTerminated is an end by a terminate.
	FailureTerminated = "terminated"
	// FailureLost is an activity whose process died on every delivery.
	FailureLost = "lost"
	// FailureNotRegistered is a name that no available build has registered.
	FailureNotRegistered = "not_registered"
	// FailureAlreadyExists is a child whose instance id is in use.
	FailureAlreadyExists = "already_exists"
	// FailurePurged is a child whose instance id belongs to a purged instance and cannot
	// be reused yet.
	FailurePurged = "purged"
	// FailureTooLarge is a value over its limit.
	FailureTooLarge = "too_large"
	// FailureInvalidInput is an input that does not decode into the code's type.
	FailureInvalidInput = "invalid_input"
	// FailureLimit is a forced termination because a limit was exceeded.
	FailureLimit = "limit"
	// FailureStuck is a forced termination by the policy "fail" of an instance that would
	// have become stuck.
	FailureStuck = "stuck"
)

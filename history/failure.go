package history

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

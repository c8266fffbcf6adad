package history

// Failure describes why an activity or an orchestration failed.
type Failure struct {
	// Kind is one of the Failure constants.
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
	// Retryable is set if another attempt was allowed.
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
	// FailureApplication means that user code returned an error.
	FailureApplication = "application"
	// FailurePanic means that user code panicked.
	FailurePanic = "panic"
	// FailureTimeout means that an attempt exceeded its timeout.
	FailureTimeout = "timeout"
	// FailureTotalTimeout means that an activity exceeded the timeout for all of its attempts
	// together.
	FailureTotalTimeout = "total_timeout"
	// FailureHeartbeatTimeout means that an attempt sent no heartbeat in time.
	FailureHeartbeatTimeout = "heartbeat_timeout"
	// FailureInterrupted means that an attempt of an at-most-once activity started and never
	// reported a result.
	FailureInterrupted = "interrupted"
	// FailureCancelled means that the operation or instance was cancelled.
	FailureCancelled = "cancelled"
	// FailureTerminated means that the instance was terminated.
	FailureTerminated = "terminated"
	// FailureLost means that the process died on every delivery of the activity.
	FailureLost = "lost"
	// FailureNotRegistered means that no available build has registered the name.
	FailureNotRegistered = "not_registered"
	// FailureAlreadyExists means that the instance id of a child is in use.
	FailureAlreadyExists = "already_exists"
	// FailurePurged means that the instance id of a child belongs to a purged instance and cannot
	// be reused yet.
	FailurePurged = "purged"
	// FailureTooLarge means that a value exceeds its limit.
	FailureTooLarge = "too_large"
	// FailureInvalidInput means that the input cannot be decoded into the code's type.
	FailureInvalidInput = "invalid_input"
	// FailureLimit means that the instance was terminated because it exceeded a limit.
	FailureLimit = "limit"
	// FailureStuck means that the policy "fail" terminated an instance that would have become
	// stuck.
	FailureStuck = "stuck"
)

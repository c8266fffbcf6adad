package history

// Retry is the retry policy of an activity and its time limits.
type Retry struct {
	// MaxAttempts is the total number of attempts; 0 and 1 mean one attempt.
	MaxAttempts int `json:"max_attempts,omitempty"`
	// InitialMS is the delay before the second attempt, in milliseconds.
	InitialMS int64 `json:"initial_ms,omitempty"`
	// MaxMS is the longest delay, in milliseconds; 0 means no limit.
	MaxMS int64 `json:"max_ms,omitempty"`
	// Coefficient multiplies the delay after each attempt; 0 means 2.
	Coefficient float64 `json:"coefficient,omitempty"`
	// Jitter is the random share of the delay, from 0 to 1.
	Jitter float64 `json:"jitter,omitempty"`
	// TimeoutMS limits one attempt, in milliseconds; 0 means the worker's default.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// TotalTimeoutMS limits all attempts together, including the delays between them, in
	// milliseconds from the time the activity was scheduled; 0 means no limit.
	TotalTimeoutMS int64 `json:"total_timeout_ms,omitempty"`
	// HeartbeatTimeoutMS is how long an attempt may go without a heartbeat, in
	// milliseconds; 0 means no limit.
	HeartbeatTimeoutMS int64 `json:"heartbeat_timeout_ms,omitempty"`
	// AtMostOnce is set if no attempt may start twice.
	AtMostOnce bool `json:"at_most_once,omitempty"`
	// FinalCodes are failure codes that are not retried.
	FinalCodes []string `json:"final_codes,omitempty"`
	// Batch is the number of results of inline activities that may share a commit; 0 and 1 mean
	// that each result has its own commit.
	Batch int `json:"batch,omitempty"`
	// AttemptsMade counts the attempts of earlier scheduling events; FirstEventID is the id of the
	// first of those events. Both are set if a timer separates the retries of an inline activity.
	AttemptsMade int   `json:"attempts_made,omitempty"`
	FirstEventID int64 `json:"first_event_id,omitempty"`
	// LimitKey and Limit allow at most Limit attempts with this key to run at a time,
	// over all instances; 0 means no limit.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// RateKey, Rate and RateMS allow at most Rate attempts with this key to start within
	// any RateMS milliseconds, over all instances; 0 means no limit.
	RateKey string `json:"rate_key,omitempty"`
	Rate    int    `json:"rate,omitempty"`
	RateMS  int64  `json:"rate_ms,omitempty"`
	// Queue is the activity queue for its attempts; empty means the default queue.
	// FairKey is the key by which the queue is shared fairly.
	Queue   string `json:"queue,omitempty"`
	FairKey string `json:"fair_key,omitempty"`
}

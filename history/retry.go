package history

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

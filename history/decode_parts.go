package history

import "math"

// Fields of a Retry.
const (
	retryMaxAttempts uint64 = 1 << iota
	retryInitialMS
	retryMaxMS
	retryCoefficient
	retryJitter
	retryTimeoutMS
	retryTotalTimeoutMS
	retryHeartbeatTimeoutMS
	retryAtMostOnce
	retryFinalCodes
	retryBatch
	retryAttemptsMade
	retryFirstEventID
	retryLimitKey
	retryLimit
	retryRateKey
	retryRate
	retryRateMS
	retryQueue
	retryFairKey
)

func (d *decoder) retryField(r *Retry, key []byte, b64 bool) bool {
	if string(key) == "final_codes" {
		return d.texts(&r.FinalCodes, retryFinalCodes, b64)
	}
	switch string(key) {
	case "limit_key":
		return d.text(&r.LimitKey, retryLimitKey, b64)
	case "rate_key":
		return d.text(&r.RateKey, retryRateKey, b64)
	case "queue":
		return d.text(&r.Queue, retryQueue, b64)
	case "fair_key":
		return d.text(&r.FairKey, retryFairKey, b64)
	}
	if b64 {
		return d.skip()
	}
	switch string(key) {
	case "max_attempts":
		return d.count(&r.MaxAttempts, retryMaxAttempts)
	case "initial_ms":
		return d.integer(&r.InitialMS, math.MinInt64, retryInitialMS)
	case "max_ms":
		return d.integer(&r.MaxMS, math.MinInt64, retryMaxMS)
	case "coefficient":
		return d.float(&r.Coefficient, retryCoefficient)
	case "jitter":
		return d.float(&r.Jitter, retryJitter)
	case "timeout_ms":
		return d.integer(&r.TimeoutMS, math.MinInt64, retryTimeoutMS)
	case "batch":
		return d.count(&r.Batch, retryBatch)
	case "attempts_made":
		return d.count(&r.AttemptsMade, retryAttemptsMade)
	case "first_event_id":
		return d.integer(&r.FirstEventID, math.MinInt64, retryFirstEventID)
	case "total_timeout_ms":
		return d.integer(&r.TotalTimeoutMS, math.MinInt64, retryTotalTimeoutMS)
	case "heartbeat_timeout_ms":
		return d.integer(&r.HeartbeatTimeoutMS, math.MinInt64, retryHeartbeatTimeoutMS)
	case "at_most_once":
		return d.flag(&r.AtMostOnce, retryAtMostOnce)
	case "limit":
		return d.count(&r.Limit, retryLimit)
	case "rate":
		return d.count(&r.Rate, retryRate)
	case "rate_ms":
		return d.integer(&r.RateMS, math.MinInt64, retryRateMS)
	}
	return d.skip()
}

// Fields of a Failure.
const (
	failureKind uint64 = 1 << iota
	failureMessage
	failureCode
	failureSource
	failureInstance
	failureAttempt
	failureRetryable
	failureStack
	failureDetails
	failureRetryAfterMS
)

func (d *decoder) failureField(f *Failure, key []byte, b64 bool) bool {
	switch string(key) {
	case "kind":
		return d.text(&f.Kind, failureKind, b64)
	case "message":
		return d.text(&f.Message, failureMessage, b64)
	case "code":
		return d.text(&f.Code, failureCode, b64)
	case "source":
		return d.text(&f.Source, failureSource, b64)
	case "instance":
		return d.text(&f.Instance, failureInstance, b64)
	case "stack":
		return d.text(&f.Stack, failureStack, b64)
	case "details":
		return d.payload(&f.Details, failureDetails, b64)
	}
	if b64 {
		return d.skip()
	}
	switch string(key) {
	case "attempt":
		return d.count(&f.Attempt, failureAttempt)
	case "retryable":
		return d.flag(&f.Retryable, failureRetryable)
	case "retry_after_ms":
		return d.integer(&f.RetryAfterMS, math.MinInt64, failureRetryAfterMS)
	}
	return d.skip()
}

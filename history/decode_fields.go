package history

import "math"

// Fields of an event.
const (
	hasEventID uint64 = 1 << iota
	hasKind
	hasAtMS
	hasSourceEventID
	hasName
	hasVersion
	hasInstance
	hasPayload
	hasCodec
	hasFireAtMS
	hasDurationMS
	hasOp
	hasInline
	hasExplicitID
	hasOnParentEnd
	hasRetry
	hasSenderID
	hasReason
	hasImposed
	hasDetails
	hasUseExisting
	hasStartedAtMS
	hasAttempt
	hasRequestID
	hasActor
	hasForkOf
	hasLimitKey
	hasLimit
	hasLabel
	// Of OrchestrationStarted and ParentAttached alone.
	hasExecutionID
	hasStartID
	hasSecret
	hasParentInstance
	hasParentExecutionID
	hasParentID
	hasParentToken
	hasSenderIDs
	hasCustomStatus
	hasSearchAttributes
	hasHeaders
	hasOrigin
	hasFairnessGroup

	hasParent = hasParentInstance | hasParentExecutionID | hasParentID | hasParentToken
)

// eventField reads the value of one field of e. b64 says that the key had the
// suffix of base64, which key no longer has; only texts and payloads can have
// it.
func (d *decoder) eventField(e *Event, key []byte, b64 bool) bool {
	switch string(key) {
	case "name":
		return d.text(&e.Name, hasName, b64)
	case "label":
		return d.text(&e.Label, hasLabel, b64)
	case "version":
		return d.text(&e.Version, hasVersion, b64)
	case "instance":
		return d.text(&e.Instance, hasInstance, b64)
	case "fork_of":
		return d.text(&e.ForkOf, hasForkOf, b64)
	case "codec":
		return d.text(&e.Codec, hasCodec, b64)
	case "op":
		return d.text(&e.Op, hasOp, b64)
	case "sender_id":
		return d.text(&e.SenderID, hasSenderID, b64)
	case "request_id":
		return d.text(&e.RequestID, hasRequestID, b64)
	case "actor":
		return d.text(&e.Actor, hasActor, b64)
	case "reason":
		return d.text(&e.Reason, hasReason, b64)
	case "imposed":
		return d.text(&e.Imposed, hasImposed, b64)
	case "limit_key":
		if e.Kind.hasStart() {
			return d.text(&e.Start.LimitKey, hasLimitKey, b64)
		}
		return d.text(&e.LimitKey, hasLimitKey, b64)
	case "on_parent_end":
		return d.text(&e.OnParentEnd, hasOnParentEnd, b64)
	case "input", "output", "result", "data", "value":
		if string(key) == e.Kind.PayloadName() {
			return d.payload(&e.Payload, hasPayload, b64)
		}
		return d.skip()
	}
	if b64 {
		if e.Kind.hasStart() {
			return d.startField(e.Start, key, b64)
		}
		return d.skip()
	}
	switch string(key) {
	case "at_ms":
		return d.integer(&e.AtMS, math.MinInt64, hasAtMS)
	case "source_event_id":
		return d.integer(&e.SourceEventID, 1, hasSourceEventID)
	case "fire_at_ms":
		return d.integer(&e.FireAtMS, math.MinInt64, hasFireAtMS)
	case "duration_ms":
		return d.integer(&e.DurationMS, math.MinInt64, hasDurationMS)
	case "started_at_ms":
		return d.integer(&e.StartedAtMS, math.MinInt64, hasStartedAtMS)
	case "attempt":
		return d.count(&e.Attempt, hasAttempt)
	case "limit":
		if e.Kind.hasStart() {
			return d.count(&e.Start.Limit, hasLimit)
		}
		return d.count(&e.Limit, hasLimit)
	case "inline":
		return d.flag(&e.Inline, hasInline)
	case "explicit_id":
		return d.flag(&e.ExplicitID, hasExplicitID)
	case "use_existing":
		return d.flag(&e.UseExisting, hasUseExisting)
	case "retry":
		e.Retry = &Retry{}
		return d.nested(hasRetry, func(key []byte, b64 bool) bool { return d.retryField(e.Retry, key, b64) })
	case "details":
		e.Failure = &Failure{}
		return d.nested(hasDetails, func(key []byte, b64 bool) bool { return d.failureField(e.Failure, key, b64) })
	case "event_id":
		ok := d.integer(&e.EventID, 1, hasEventID)
		d.eventID = e.EventID
		return ok
	case "kind":
		// Its value was looked up ahead.
		return d.once(hasKind) && d.skip()
	}
	if e.Kind.hasStart() {
		return d.startField(e.Start, key, b64)
	}
	if string(key) == "headers" {
		return d.headers(&e.Headers)
	}
	return d.skip()
}

func (d *decoder) startField(s *Start, key []byte, b64 bool) bool {
	if s.Parent == nil {
		// Taken away again if no field of it comes.
		s.Parent = &Parent{}
	}
	switch string(key) {
	case "start_id":
		return d.text(&s.StartID, hasStartID, b64)
	case "secret":
		return d.text(&s.Secret, hasSecret, b64)
	case "parent_instance":
		return d.text(&s.Parent.Instance, hasParentInstance, b64)
	case "parent_token":
		return d.text(&s.Parent.Token, hasParentToken, b64)
	case "sender_ids":
		return d.texts(&s.SenderIDs, hasSenderIDs, b64)
	case "custom_status":
		return d.payload(&s.CustomStatus, hasCustomStatus, b64)
	case "fairness_group":
		return d.text(&s.FairnessGroup, hasFairnessGroup, b64)
	}
	if b64 {
		return d.skip()
	}
	switch string(key) {
	case "execution_id":
		return d.integer(&s.ExecutionID, 1, hasExecutionID)
	case "parent_execution_id":
		return d.integer(&s.Parent.ExecutionID, 1, hasParentExecutionID)
	case "search_attributes":
		return d.searchAttributes(&s.SearchAttributes)
	case "parent_id":
		return d.integer(&s.Parent.EventID, 1, hasParentID)
	case "headers":
		return d.headers(&s.Headers)
	case "origin":
		s.Origin = &Origin{}
		return d.origin(s.Origin)
	}
	return d.skip()
}

// Fields of an Origin.
const (
	originInstance uint64 = 1 << iota
	originExecutionID
	originEventID
	originFirstExecutionID
	originFirstInstance
	originForkedExecutionID
	originCarried
	originCarriedInstances
)

func (d *decoder) origin(o *Origin) bool {
	var instances []string // of what is carried, which may stand behind them
	start := d.pos
	ok := d.nested(hasOrigin, func(key []byte, b64 bool) bool {
		if string(key) == "carried_instances" {
			return d.texts(&instances, originCarriedInstances, b64)
		}
		return d.originField(o, key, b64)
	})
	switch {
	case !ok || len(instances) == 0:
		return ok
	case len(instances) != len(o.Carried):
		return d.fail(start, "expected as many carried_instances as are carried, %d", len(o.Carried))
	}
	for i := range instances {
		o.Carried[i].Instance = instances[i]
	}
	return true
}

func (d *decoder) originField(o *Origin, key []byte, b64 bool) bool {
	switch {
	case string(key) == "instance":
		return d.text(&o.Instance, originInstance, b64)
	case string(key) == "first_instance":
		return d.text(&o.FirstInstance, originFirstInstance, b64)
	case string(key) == "forked_execution_id" && !b64:
		return d.integer(&o.ForkedExecutionID, 1, originForkedExecutionID)
	case string(key) == "execution_id" && !b64:
		return d.integer(&o.ExecutionID, 1, originExecutionID)
	case string(key) == "event_id" && !b64:
		return d.integer(&o.EventID, 1, originEventID)
	case string(key) == "first_execution_id" && !b64:
		return d.integer(&o.FirstExecutionID, 1, originFirstExecutionID)
	case string(key) == "carried" && !b64:
		return d.carried(&o.Carried)
	}
	return d.skip()
}

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

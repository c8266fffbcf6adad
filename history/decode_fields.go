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
	hasForced
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
	hasWithPrevious
	// Only in OrchestrationStarted, ParentAttached and OrchestrationRedriven.
	hasExecutionID
	hasStartID
	hasSecret
	hasParentInstance
	hasParentExecutionID
	hasParentID
	hasParentAtMS
	hasParentToken
	hasSenderIDs
	hasStates
	hasSearchAttributes
	hasHeaders
	hasOrigin
	hasFairnessGroup

	hasParent = hasParentInstance | hasParentExecutionID | hasParentID | hasParentAtMS | hasParentToken
)

// eventField reads the value of one field of e. b64 is set if the key had the base64 suffix, which
// has been removed from key. Only strings and payloads can have it.
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
	case "forced":
		return d.text(&e.Forced, hasForced, b64)
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
	case "with_previous":
		return d.flag(&e.WithPrevious, hasWithPrevious)
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
		// lookAhead has read its value.
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

package history

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// formatVersion is the version of the history document that this build writes, and the
// highest version that it reads.
const formatVersion = 1

// base64Suffix marks a key whose value is the base64 (standard alphabet, padded) of bytes
// that JSON cannot hold unchanged.
const base64Suffix = "_base64"

// Encode returns the history document of events:
//
//	{"v":1,"events":[{"event_id":1,"kind":"OrchestrationStarted",…},…]}
//
// Fields that are zero are left out, except event_id, kind and at_ms. Equal events give
// equal bytes, and Decode returns exactly the events that were given, byte for byte, with
// these rules:
//
//   - A payload that is a JSON value (valid UTF-8, nothing around the value, at most 1024
//     levels deep) is copied into the document unchanged. Any other payload is written as
//     base64 under its key with "_base64" appended. Nil and empty payloads are left out.
//   - Strings that are not valid UTF-8 are written the same way; a list of strings as a
//     whole.
//   - A payload is not written if the kind has none (see Event.Payload). Event.Start is
//     written only for OrchestrationStarted, ParentAttached and OrchestrationRedriven; Decode
//     always sets it for these.
//   - Bytes of Headers that are not valid UTF-8 become U+FFFD.
//   - A number of a Retry that JSON does not have (infinity, not a number) is left out.
//
// The document is always valid UTF-8. Encode does not validate the events: it also writes an event
// with EventID 0 or KindUnknown, which Decode rejects.
func Encode(events []Event) []byte {
	return appendEvents(make([]byte, 0, sizeHint(events)), events)
}

// appendEvents appends the history document of events to dst.
func appendEvents(dst []byte, events []Event) []byte {
	dst = append(dst, documentHead...)
	for i := range events {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendEvent(dst, &events[i])
	}
	return append(dst, "]}"...)
}

// documentHead is the start of every document that this build writes.
const documentHead = `{"v":1,"events":[`

func sizeHint(events []Event) int {
	n := len(documentHead) + 2
	for i := range events {
		n += 160 + len(events[i].Payload)
	}
	return n
}

// appendEvent appends one event of a document to dst.
func appendEvent(dst []byte, e *Event) []byte {
	dst = append(dst, `{"event_id":`...)
	dst = strconv.AppendInt(dst, e.EventID, 10)
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, e.Kind.String()...)
	dst = append(dst, `","at_ms":`...)
	dst = strconv.AppendInt(dst, e.AtMS, 10)

	dst = appendFlag(dst, "with_previous", e.WithPrevious)
	dst = appendInt(dst, "source_event_id", e.SourceEventID)
	dst = appendText(dst, "name", e.Name)
	dst = appendText(dst, "label", e.Label)
	dst = appendText(dst, "version", e.Version)
	dst = appendText(dst, "instance", e.Instance)
	dst = appendText(dst, "fork_of", e.ForkOf)
	if e.Kind.hasStart() && e.Start != nil {
		dst = appendStart(dst, e.Start)
	}
	dst = appendInt(dst, "fire_at_ms", e.FireAtMS)
	dst = appendInt(dst, "duration_ms", e.DurationMS)
	dst = appendText(dst, "op", e.Op)
	dst = appendFlag(dst, "inline", e.Inline)
	dst = appendFlag(dst, "explicit_id", e.ExplicitID)
	dst = appendText(dst, "on_parent_end", e.OnParentEnd)
	dst = appendFlag(dst, "use_existing", e.UseExisting)
	if e.Retry != nil {
		dst = appendRetry(append(dst, `,"retry":`...), e.Retry)
	}
	if !e.Kind.hasStart() {
		dst = appendHeaders(dst, e.Headers)
	}
	dst = appendInt(dst, "started_at_ms", e.StartedAtMS)
	dst = appendInt(dst, "attempt", int64(e.Attempt))
	dst = appendText(dst, "request_id", e.RequestID)
	dst = appendText(dst, "actor", e.Actor)
	dst = appendText(dst, "sender_id", e.SenderID)
	dst = appendText(dst, "reason", e.Reason)
	dst = appendText(dst, "forced", e.Forced)
	if !e.Kind.hasStart() {
		dst = appendText(dst, "limit_key", e.LimitKey)
		dst = appendInt(dst, "limit", int64(e.Limit))
	}
	if e.Failure != nil {
		dst = appendFailure(append(dst, `,"details":`...), e.Failure)
	}
	dst = appendText(dst, "codec", e.Codec)
	if key := e.Kind.PayloadName(); key != "" {
		dst = appendJSON(dst, key, e.Payload)
	}
	return append(dst, '}')
}

// PayloadName returns the JSON key of the payload of a kind: "input", "output", "result",
// "data" or "value". It is empty if the kind has no payload.
func (k Kind) PayloadName() string {
	switch k {
	case OrchestrationStarted, OrchestrationContinuedAsNew, ActivityScheduled,
		SubOrchestrationScheduled, OrchestrationChained:
		return "input"
	case OrchestrationCompleted:
		return "output"
	case ActivityCompleted, SubOrchestrationCompleted:
		return "result"
	case ExternalEvent:
		return "data"
	case SystemCall:
		return "value"
	}
	return ""
}

// payloadHead returns the comma and key before the payload for the kinds that most events
// have, and "" for other kinds.
func (k Kind) payloadHead() string {
	switch k {
	case ActivityScheduled:
		return `,"input":`
	case ActivityCompleted:
		return `,"result":`
	case ExternalEvent:
		return `,"data":`
	}
	return ""
}

func appendStart(dst []byte, s *Start) []byte {
	dst = appendInt(dst, "execution_id", s.ExecutionID)
	dst = appendText(dst, "start_id", s.StartID)
	dst = appendText(dst, "secret", s.Secret)
	if p := s.Parent; p != nil {
		if p.Instance == "" {
			// This key alone says that there is a parent.
			dst = append(dst, `,"parent_instance":""`...)
		}
		dst = appendText(dst, "parent_instance", p.Instance)
		dst = appendInt(dst, "parent_execution_id", p.ExecutionID)
		dst = appendInt(dst, "parent_id", p.EventID)
		dst = appendInt(dst, "parent_at_ms", p.AtMS)
		dst = appendText(dst, "parent_token", p.Token)
	}
	dst = appendTexts(dst, "sender_ids", s.SenderIDs)
	dst = appendJSON(dst, "states", s.States)
	if len(s.SearchAttributes) > 0 {
		dst = appendSearch(appendKey(dst, "search_attributes", ""), s.SearchAttributes)
	}
	dst = appendHeaders(dst, s.Headers)
	if o := s.Origin; o != nil {
		dst = append(dst, `,"origin":`...)
		start := len(dst)
		dst = appendText(dst, "instance", o.Instance)
		dst = appendInt(dst, "execution_id", o.ExecutionID)
		dst = appendInt(dst, "event_id", o.EventID)
		dst = appendInt(dst, "first_execution_id", o.FirstExecutionID)
		dst = appendText(dst, "first_instance", o.FirstInstance)
		dst = appendInt(dst, "forked_execution_id", o.ForkedExecutionID)
		dst = closeObject(appendCarried(dst, o.Carried), start)
	}
	dst = appendText(dst, "fairness_group", s.FairnessGroup)
	dst = appendText(dst, "limit_key", s.LimitKey)
	return appendInt(dst, "limit", int64(s.Limit))
}

// appendCarried appends a flat list: event, execution, event, execution, …
func appendCarried(dst []byte, carried []Carried) []byte {
	if len(carried) == 0 {
		return dst
	}
	dst = append(appendKey(dst, "carried", ""), '[')
	for i, c := range carried {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, c.EventID, 10)
		dst = strconv.AppendInt(append(dst, ','), c.ExecutionID, 10)
	}
	dst = append(dst, ']')
	if !slices.ContainsFunc(carried, func(c Carried) bool { return c.Instance != "" }) {
		return dst
	}
	of := make([]string, len(carried))
	for i, c := range carried {
		of[i] = c.Instance
	}
	return appendTexts(dst, "carried_instances", of)
}

// appendHeaders appends headers sorted by name, so that equal headers give equal bytes.
func appendHeaders(dst []byte, headers map[string]string) []byte {
	if len(headers) == 0 {
		return dst
	}
	dst = append(dst, `,"headers":`...)
	start := len(dst)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		dst = append(dst, ',')
		dst = appendQuoted(dst, strings.ToValidUTF8(name, "\ufffd"))
		dst = append(dst, ':')
		dst = appendQuoted(dst, strings.ToValidUTF8(headers[name], "\ufffd"))
	}
	return closeObject(dst, start)
}

func appendRetry(dst []byte, r *Retry) []byte {
	start := len(dst)
	dst = appendInt(dst, "max_attempts", int64(r.MaxAttempts))
	dst = appendInt(dst, "initial_ms", r.InitialMS)
	dst = appendInt(dst, "max_ms", r.MaxMS)
	dst = appendFloat(dst, "coefficient", r.Coefficient)
	dst = appendFloat(dst, "jitter", r.Jitter)
	dst = appendInt(dst, "timeout_ms", r.TimeoutMS)
	dst = appendInt(dst, "total_timeout_ms", r.TotalTimeoutMS)
	dst = appendInt(dst, "heartbeat_timeout_ms", r.HeartbeatTimeoutMS)
	dst = appendFlag(dst, "at_most_once", r.AtMostOnce)
	dst = appendTexts(dst, "final_codes", r.FinalCodes)
	dst = appendInt(dst, "batch", int64(r.Batch))
	dst = appendInt(dst, "attempts_made", int64(r.AttemptsMade))
	dst = appendInt(dst, "first_event_id", r.FirstEventID)
	dst = appendText(dst, "limit_key", r.LimitKey)
	dst = appendInt(dst, "limit", int64(r.Limit))
	dst = appendText(dst, "rate_key", r.RateKey)
	dst = appendInt(dst, "rate", int64(r.Rate))
	dst = appendInt(dst, "rate_ms", r.RateMS)
	dst = appendText(dst, "queue", r.Queue)
	dst = appendText(dst, "fair_key", r.FairKey)
	return closeObject(dst, start)
}

func appendFailure(dst []byte, f *Failure) []byte {
	start := len(dst)
	dst = appendText(dst, "kind", f.Kind)
	dst = appendText(dst, "message", f.Message)
	dst = appendText(dst, "code", f.Code)
	dst = appendText(dst, "source", f.Source)
	dst = appendText(dst, "instance", f.Instance)
	dst = appendInt(dst, "attempt", int64(f.Attempt))
	dst = appendFlag(dst, "retryable", f.Retryable)
	dst = appendInt(dst, "retry_after_ms", f.RetryAfterMS)
	dst = appendText(dst, "stack", f.Stack)
	dst = appendJSON(dst, "details", f.Details)
	return closeObject(dst, start)
}

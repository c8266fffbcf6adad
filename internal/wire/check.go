package wire

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/near"
)

// Kinds returns all kinds, in the order of their constants.
func Kinds() []Kind { return slices.Clone(kinds[:]) }

var kinds = [...]Kind{
	StartOrchestration, ExternalRaised, CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance, FireTimer, RetryActivity, Wake, PurgeInstance, Sweep, InstanceEvent,
	ActivityExecute, ActivityPending, ActivityHeartbeat,
	ActivityCompleted, ActivityFailed, TimerFired, SubOrchCompleted, SubOrchFailed,
}

func (k Kind) known() bool { return slices.Contains(kinds[:], k) }

func kindNames() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
}

// unknownKind returns an error that lists the known kinds and suggests the one that may
// be meant. A newer build may have sent a kind that this build does not know.
func unknownKind(k Kind) *ParseError {
	return &ParseError{Reason: ReasonUnknownKind, Kind: k, Field: "kind",
		Problem: "this build does not know the kind; it knows " + strings.Join(kindNames(), ", ") + near.Hint(string(k), kindNames())}
}

// CarriesID reports whether items of the kind carry their own id: those that people and
// services send. A completion is identified by the event that it completes.
func (k Kind) CarriesID() bool {
	switch k {
	case StartOrchestration, ExternalRaised, CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance, FireTimer, RetryActivity, Wake, PurgeInstance, Sweep, InstanceEvent:
		return true
	}
	return false
}

// Check returns a *ParseError for an item that Parse would reject: a required field is
// missing, a value is out of range, or a value exceeds its limit. Limits that are 0 use
// their defaults.
func (l Limits) Check(i *Item) error {
	if err := l.check(i); err != nil {
		return err
	}
	return nil
}

func (l Limits) check(i *Item) *ParseError {
	c := checker{limits: l.withDefaults(), kind: i.Kind}
	if i.V > Version {
		return &ParseError{Reason: ReasonUnknownVersion, Kind: i.Kind, Field: "v", Problem: fmt.Sprintf("contract version %d, but this build knows version %d", i.V, Version)}
	}
	if !i.Kind.known() {
		return unknownKind(i.Kind)
	}
	c.needs(i)
	c.ranges(i)
	return c.err
}

// checker keeps the first error.
type checker struct {
	limits Limits
	kind   Kind
	err    *ParseError
}

// needs checks the fields that the kind requires.
func (c *checker) needs(i *Item) {
	switch i.Kind {
	case SubOrchCompleted, SubOrchFailed:
		c.given("parent_instance", i.ParentInstance)
		c.positive("parent_execution_id", i.ParentExecutionID)
	case Sweep:
	default:
		c.given("instance", i.Instance)
	}
	switch i.Kind {
	case StartOrchestration:
		c.given("name", i.Name)
		for n, e := range i.Events {
			c.given(fmt.Sprintf("events[%d].name", n), e.Name)
		}
		if p := i.Parent; p != nil {
			c.given("parent.instance", p.Instance)
			c.positive("parent.execution_id", p.ExecutionID)
			c.positive("parent.event_id", p.EventID)
			c.given("parent.token", p.Token)
		}
	case ExternalRaised:
		c.given("name", i.Name)
	case ActivityExecute:
		c.given("name", i.Name)
		c.positive("execution_id", i.ExecutionID)
		c.positive("scheduling_event_id", i.SchedulingEventID)
		c.given("token", i.Token)
	case ActivityCompleted, ActivityFailed, TimerFired, ActivityPending, ActivityHeartbeat:
		c.positive("execution_id", i.ExecutionID)
		c.completion(i)
	case SubOrchCompleted, SubOrchFailed:
		c.completion(i)
	case InstanceEvent:
		if len(i.Event) == 0 {
			c.fail(ReasonInvalidField, "event", missing+"; expected the event to publish, as an object")
		}
	case FireTimer, RetryActivity:
		c.positive("execution_id", i.ExecutionID)
		c.positive("source_event_id", i.SourceEventID)
	case SuspendInstance, ResumeInstance:
		if i.SchedulingEventID > 0 {
			c.positive("execution_id", i.ExecutionID)
		}
	}
}

func (c *checker) completion(i *Item) {
	c.positive("source_event_id", i.SourceEventID)
	c.given("token", i.Token)
	if (i.Kind == ActivityFailed || i.Kind == SubOrchFailed) && i.Details == nil {
		c.fail(ReasonInvalidField, "details", missing+"; expected the failure, as an object")
	}
	if i.Kind == TimerFired {
		c.positive("fire_at_ms", i.FireAtMS)
	}
}

// ranges checks the fields that are set, whether the kind requires them or not.
func (c *checker) ranges(i *Item) {
	l := c.limits
	c.ident("instance", i.Instance, l.InstanceID)
	c.ident("parent_instance", i.ParentInstance, l.InstanceID)
	c.ident("reply_to", i.ReplyTo, l.InstanceID)
	c.ident("id", i.ID, l.ID)
	c.ident("token", i.Token, l.ID)
	c.ident("name", i.Name, l.Name)
	c.ident("version", i.OrchVersion, l.Name)
	if !i.OnConflict.known() {
		c.fail(ReasonInvalidField, "on_conflict", "%q is not a policy; expected one of %q, or no field", i.OnConflict, conflicts[1:])
	}
	c.ident("codec", i.Codec, l.Name)
	c.ident("request_id", i.RequestID, l.ID)
	c.ident("actor", i.Actor, l.Name)
	c.ident("fairness_group", i.FairnessGroup, l.Name)
	c.ident("limit_key", i.LimitKey, l.Name)
	if i.Limit < 0 || i.Limit > maxPermits || i.Limit == 0 && i.LimitKey != "" {
		c.fail(ReasonInvalidField, "limit", "%d is out of range; a limit of instances is from 1 to %d", i.Limit, maxPermits)
	}
	if o := i.Origin; o != nil {
		c.ident("origin.instance", o.Instance, l.InstanceID)
		if o.ExecutionID < 0 || o.EventID < 0 {
			c.fail(ReasonInvalidField, "origin", "a number is negative")
		}
		switch forks := o.Instance != "" && o.Instance != i.Instance; {
		case i.Kind != StartOrchestration:
		case forks && i.OnConflict != ConflictRefuse && (i.OnConflict != ConflictUseOrRedrive || i.Parent == nil):
			c.fail(ReasonInvalidField, "on_conflict", "not allowed: a start with an origin in another instance starts a new instance")
		case !forks && !i.OnConflict.Redrives():
			c.fail(ReasonInvalidField, "origin", "an origin in the instance itself requires on_conflict %q", ConflictRedrive)
		}
	}
	if len(i.Headers) > 0 {
		if err := CheckHeaders(i.Headers); err != nil {
			c.fail(ReasonInvalidField, "headers", "%v", err)
		}
	}
	if i.Codec != "" {
		l.Payload = l.encodedPayload()
	}
	c.size("input", len(i.Input), l.Payload)
	c.size("data", len(i.Data), l.Payload)
	c.size("result", len(i.Result), l.Payload)
	c.size("event", len(i.Event), l.Payload)
	c.size("reason", len(i.Reason), l.Text)
	c.ident("ended", i.Ended, l.Text)
	c.ident("page_token", i.PageToken, l.Text)
	for n, e := range i.Events {
		path := fmt.Sprintf("events[%d].", n)
		c.ident(path+"id", e.ID, l.ID)
		c.ident(path+"name", e.Name, l.Name)
		c.size(path+"data", len(e.Data), l.Payload)
	}
	if err := i.SearchAttributes.Check(); err != nil {
		c.fail(ReasonInvalidField, "search_attributes", "%v", err)
	}
	if p := i.Parent; p != nil {
		c.ident("parent.instance", p.Instance, l.InstanceID)
		c.ident("parent.token", p.Token, l.ID)
	}
	if f := i.Details; f != nil {
		c.ident("details.kind", f.Kind, l.Name)
		c.ident("details.instance", f.Instance, l.InstanceID)
		c.size("details.message", len(f.Message), l.Text)
		c.size("details.code", len(f.Code), l.Text)
		c.size("details.source", len(f.Source), l.Text)
		c.size("details.stack", len(f.Stack), l.Text)
		c.size("details.details", len(f.Details), l.Payload)
	}
	if r := i.Retry; r != nil {
		for _, n := range []int64{int64(r.MaxAttempts), r.InitialMS, r.MaxMS, r.TimeoutMS, r.TotalTimeoutMS, r.HeartbeatTimeoutMS,
			int64(r.Limit), int64(r.Rate), r.RateMS} {
			if n < 0 || n > maxWaitMS {
				c.fail(ReasonInvalidField, "retry", "a number is negative or exceeds %d (292 years in milliseconds)", maxWaitMS)
			}
		}
		if r.Limit > maxPermits || r.Rate > maxPermits {
			c.fail(ReasonInvalidField, "retry", "the limit is %d and the rate is %d; each may be at most %d", r.Limit, r.Rate, maxPermits)
		}
		c.ident("retry.queue", r.Queue, l.Name)
		c.size("retry.fair_key", len(r.FairKey), l.Name)
		if !(r.Coefficient >= 0) || !(r.Jitter >= 0 && r.Jitter <= 1) {
			c.fail(ReasonInvalidField, "retry", "expected a coefficient of 0 or more and a jitter from 0 to 1")
		}
	}
	for _, n := range []int64{i.ExecutionID, i.SchedulingEventID, i.SourceEventID, i.ParentExecutionID,
		int64(i.Attempt), i.Number, i.UpToExecution, int64(i.Hops)} {
		if n < 0 {
			c.fail(ReasonInvalidField, "", "a number is negative: %d", n)
		}
	}
	c.time("scheduled_at_ms", i.ScheduledAtMS)
	c.time("not_before_ms", i.NotBeforeMS)
	c.time("waits_ms", i.WaitsMS)
	c.time("turn_ms", i.TurnMS)
	c.time("before_ms", i.BeforeMS)
	c.time("expires_at_ms", i.ExpiresAtMS)
	c.time("fire_at_ms", i.FireAtMS)
	c.time("first_seen_ms", i.FirstSeenMS)
	c.time("sent_ms", i.SentMS)
	c.time("started_at_ms", i.StartedAtMS)
}

const (
	// maxTimeMS is the end of the year 9999. A time sent in microseconds or nanoseconds
	// exceeds it.
	maxTimeMS = 253_402_300_799_999
	// maxWaitMS is the longest time.Duration, in milliseconds.
	maxWaitMS = math.MaxInt64 / int64(time.Millisecond)
	// maxPermits is turnstile.MaxLimit, the highest limit over instances.
	maxPermits = 100
)

func (c *checker) time(field string, ms int64) {
	if ms < 0 || ms > maxTimeMS {
		c.fail(ReasonInvalidField, field, "%d is not a valid time; expected milliseconds since 1970, up to the year 9999 (not microseconds or nanoseconds)", ms)
	}
}

func (c *checker) fail(reason Reason, field, format string, args ...any) {
	if c.err == nil {
		c.err = &ParseError{Reason: reason, Kind: c.kind, Field: field, Problem: fmt.Sprintf(format, args...)}
	}
}

func (c *checker) given(field, s string) {
	if s == "" {
		c.fail(ReasonInvalidField, field, missing+" or empty; expected a string")
	}
}

func (c *checker) positive(field string, n int64) {
	if n < 1 {
		c.fail(ReasonInvalidField, field, missing+" or 0; expected a whole number from 1")
	}
}

func (c *checker) ident(field, s string, limit int) {
	c.size(field, len(s), limit)
	if what, at := BadCharacter(s); what != "" {
		c.fail(ReasonInvalidField, field, "%s at byte %d; expected text without any", what, at)
	}
}

// isPlain reports whether a text has only printable ASCII characters, as most texts do.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func (c *checker) size(field string, n, limit int) {
	if limit >= 0 && n > limit {
		c.fail(ReasonTooLarge, field, "%d bytes exceed the limit of %d; store large values elsewhere and send a reference", n, limit)
	}
}

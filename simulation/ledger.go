package simulation

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

type executionKey struct {
	instance  string
	execution int64
}

// ledger is what the world itself knows to be stored: everything that landed,
// in the order in which it did. Nothing in it ever changes.
type ledger struct {
	executions map[executionKey]*recorded
	last       map[string]int64     // execution
	born       map[string]int       // step at which its first execution landed
	hidden     map[string]int64     // execution that was the last when it was purged
	purged     map[string]time.Time // when its id was held last
	// forsaken are instances that a purge may have left waiting.
	forsaken map[string]bool
	outside  outside
}

// recorded is one execution as it landed.
type recorded struct {
	events []history.Event
	// stored are the events as the store got them, if payloads are sealed in
	// this run.
	sealed bool
	stored []history.Event
	// completed: the completion of each scheduling event; senders of external events.
	completed map[int64]int64
	senders   map[string]bool
	cancelled bool
	// inline activities that are open.
	inline int
	// stopped are operations that were cancelled or closed; never those of the
	// turn that scheduled them, which must not be sent.
	stopped, never map[int64]bool
	// parked are the first events of turns that ended with arrivals which were
	// recorded without running the code.
	parked []int64
}

func newLedger() ledger {
	return ledger{executions: map[executionKey]*recorded{}, last: map[string]int64{}, born: map[string]int{}, hidden: map[string]int64{}, purged: map[string]time.Time{},
		forsaken: map[string]bool{}, outside: newOutside()}
}

func (s *ledger) instances() []string { return slices.Sorted(maps.Keys(s.last)) }

// ended reports whether the instance has come to its end.
func (s *ledger) ended(instance string) bool {
	x := s.executions[executionKey{instance, s.last[instance]}]
	return x != nil && x.end() != nil && x.end().Kind != history.OrchestrationContinuedAsNew
}

func (x *recorded) end() *history.Event {
	if n := len(x.events); n > 0 && x.events[n-1].Kind.Terminal() {
		return &x.events[n-1]
	}
	return nil
}

// add notes an event that has landed, and as what it is stored.
func (x *recorded) add(e, stored *history.Event) {
	if x.events == nil {
		x.events = make([]history.Event, 0, 8)
	}
	x.events = append(x.events, copied(e))
	if x.sealed {
		x.stored = append(x.stored, copied(stored))
	}
	if e.SourceEventID > 0 {
		x.completed[e.SourceEventID] = e.EventID
		if x.events[e.SourceEventID-1].Inline {
			x.inline--
		}
	}
	if e.Inline && e.Kind == history.ActivityScheduled {
		x.inline++
	}
	switch e.Kind {
	case history.ParentAttached:
		note(&x.senders, "start:"+e.Start.StartID, true)
	case history.ExternalEvent:
		note(&x.senders, e.SenderID, true)
	case history.OrchestrationCancelRequested:
		x.cancelled = true
	}
}

// copied is a copy of an event: who made it may write over what it points to.
func copied(e *history.Event) history.Event {
	c := *e
	c.Payload = bytes.Clone(e.Payload)
	c.Headers = maps.Clone(e.Headers)
	if r := e.Retry; r != nil {
		own := *r
		own.FinalCodes = slices.Clone(r.FinalCodes)
		c.Retry = &own
	}
	if f := e.Failure; f != nil {
		own := *f
		own.Details = bytes.Clone(f.Details)
		c.Failure = &own
	}
	if s := e.Start; s != nil {
		own := *s
		own.SenderIDs, own.CustomStatus, own.SearchAttributes = slices.Clone(s.SenderIDs), bytes.Clone(s.CustomStatus), maps.Clone(s.SearchAttributes)
		own.Headers = maps.Clone(s.Headers)
		if s.Origin != nil {
			origin := *s.Origin
			own.Origin = &origin
		}
		if s.Parent != nil {
			parent := *s.Parent
			own.Parent = &parent
		}
		c.Start = &own
	}
	return c
}

// alike reports whether two events have the same fields.
func alike(a, b *history.Event) bool {
	return a.EventID == b.EventID && a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.AtMS == b.AtMS &&
		a.Name == b.Name && a.Version == b.Version && a.Instance == b.Instance && a.Codec == b.Codec && bytes.Equal(a.Payload, b.Payload) &&
		a.FireAtMS == b.FireAtMS && a.DurationMS == b.DurationMS && a.Op == b.Op && a.Inline == b.Inline && a.ExplicitID == b.ExplicitID &&
		a.OnParentEnd == b.OnParentEnd && a.UseExisting == b.UseExisting && a.SenderID == b.SenderID && a.Reason == b.Reason && a.Imposed == b.Imposed &&
		a.Actor == b.Actor && a.StartedAtMS == b.StartedAtMS && a.Attempt == b.Attempt && a.RequestID == b.RequestID &&
		maps.Equal(a.Headers, b.Headers) && retryAlike(a.Retry, b.Retry) && failureAlike(a.Failure, b.Failure) && startAlike(a.Start, b.Start)
}

func retryAlike(a, b *history.Retry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.MaxAttempts == b.MaxAttempts && a.InitialMS == b.InitialMS && a.MaxMS == b.MaxMS && a.Coefficient == b.Coefficient && a.Jitter == b.Jitter &&
		a.TimeoutMS == b.TimeoutMS && a.TotalTimeoutMS == b.TotalTimeoutMS && a.HeartbeatTimeoutMS == b.HeartbeatTimeoutMS && a.AtMostOnce == b.AtMostOnce &&
		slices.Equal(a.FinalCodes, b.FinalCodes) && a.Batch == b.Batch && a.AttemptsMade == b.AttemptsMade && a.FirstEventID == b.FirstEventID
}

func failureAlike(a, b *history.Failure) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Message == b.Message && a.Code == b.Code && a.Source == b.Source && a.Instance == b.Instance && a.Attempt == b.Attempt &&
		a.Retryable == b.Retryable && a.Stack == b.Stack && a.RetryAfterMS == b.RetryAfterMS && bytes.Equal(a.Details, b.Details)
}

func startAlike(a, b *history.Start) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ExecutionID == b.ExecutionID && a.StartID == b.StartID && a.Secret == b.Secret && parentAlike(a.Parent, b.Parent) &&
		maps.Equal(a.Headers, b.Headers) && originAlike(a.Origin, b.Origin) && a.FairnessGroup == b.FairnessGroup &&
		slices.Equal(a.SenderIDs, b.SenderIDs) && bytes.Equal(a.CustomStatus, b.CustomStatus) &&
		(len(a.SearchAttributes) == 0 && len(b.SearchAttributes) == 0 || reflect.DeepEqual(a.SearchAttributes, b.SearchAttributes))
}

func originAlike(a, b *history.Origin) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func parentAlike(a, b *history.Parent) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// holds reports whether the event that is stored at an index is this one.
func (x *recorded) holds(at int, e *history.Event) bool {
	if at < 0 || at >= len(x.events) {
		return false
	}
	own := &x.events[at]
	if x.sealed {
		own = &x.stored[at]
	}
	return alike(own, e)
}

// cancel notes what a turn that has landed cancelled.
func (x *recorded) cancel(t *store.Turn) {
	for _, id := range t.Cancelled {
		note(&x.stopped, id, true)
		if id >= t.First() {
			note(&x.never, id, true)
		}
	}
}

// recorded reports whether what an item says stands in history.
func (w *ledger) recorded(item *wire.Item) bool {
	target := item.Target()
	switch {
	case item.SourceEventID > 0:
		x := w.executions[executionKey{target, item.TargetExecution()}]
		return x != nil && x.completed[item.SourceEventID] != 0
	case item.Kind == wire.StartOrchestration:
		return w.last[target] > 0
	}
	for n := int64(1); n <= w.last[target]; n++ {
		if x := w.executions[executionKey{target, n}]; item.ID != "" && x != nil && x.senders[item.ID] {
			return true
		}
	}
	return false
}

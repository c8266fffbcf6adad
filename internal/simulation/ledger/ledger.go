package ledger

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

type Execution struct {
	Instance  string
	Execution int64
}

// Ledger is what the world itself knows to be stored: everything that landed,
// in the order in which it did. Nothing in it ever changes.
type Ledger struct {
	Executions map[Execution]*Recorded
	Last       map[string]int64  // execution
	Born       map[string]int    // step at which its first execution landed
	Maker      map[string]string // process by which it did
	Hidden     map[string]int64  // execution that was the last when it was purged
	// Begun is the execution with which the run of an instance began: by a start, after
	// another run has ended, or was purged.
	Begun  map[string]int64
	Purged map[string]time.Time // when its id was held last
	// Unread are instances that a purge has ended without their history, which was
	// damaged: the execution that was the last.
	Unread map[string]int64
	// Forsaken are instances that a purge may have left waiting.
	Forsaken map[string]bool
	Outside  Outside
}

// Recorded is one execution as it landed.
type Recorded struct {
	Events []history.Event
	// stored are the events as the store got them, if payloads are sealed in
	// this run.
	Sealed bool
	stored []history.Event
	// Completed: the completion of each scheduling event; senders of external events.
	Completed map[int64]int64
	Senders   map[string]bool
	Cancelled bool
	// Suspended is the event since which no code runs, nil while it may.
	Suspended *history.Event
	// Until is when it goes on by itself, by the last suspend; 0 where it waits for a resume.
	Until int64
	// Held is the event id of the last suspend, 0 where the execution is not suspended.
	Held int64
	// Said is the last suspend with a reason, or else the last one: it says why the execution is
	// suspended.
	Said *history.Event
	// Inline activities that are open.
	Inline int
	// Stopped are operations that were cancelled or closed in a later turn than
	// the one that scheduled them; those of the same turn must not be sent at
	// all.
	Stopped, Never map[int64]bool
	// Parked are the first events of turns that ended with arrivals which were
	// recorded without running the code.
	Parked []int64
	// Rejected are the external events that a wait has rejected.
	Rejected map[int64]bool
	// Run is the execution with which its run began. Of is the execution of another instance
	// in whose place it goes on, where it was forked from that.
	Run int64
	Of  Execution
}

func New() Ledger {
	return Ledger{Executions: map[Execution]*Recorded{}, Last: map[string]int64{}, Born: map[string]int{}, Maker: map[string]string{}, Hidden: map[string]int64{}, Begun: map[string]int64{}, Purged: map[string]time.Time{},
		Unread: map[string]int64{}, Forsaken: map[string]bool{}, Outside: newOutside()}
}

func (s *Ledger) Instances() []string { return slices.Sorted(maps.Keys(s.Last)) }

// First is the execution with which the current run of an instance began.
func (s *Ledger) First(instance string) int64 {
	return max(s.Hidden[instance]+1, s.Begun[instance])
}

// Executed are the executions of the current run of an instance, the oldest first; of a fork also
// those that the instance had after it from which it was forked.
func (s *Ledger) Executed(instance string) []*Recorded {
	return s.executed(instance, s.First(instance), s.Last[instance])
}

func (s *Ledger) executed(instance string, first, last int64) (all []*Recorded) {
	if begin := s.Executions[Execution{instance, first}]; begin != nil {
		if of := s.Executions[begin.Of]; of != nil {
			all = s.executed(begin.Of.Instance, of.Run, begin.Of.Execution-1)
		}
	}
	for n := first; n <= last; n++ {
		if x := s.Executions[Execution{instance, n}]; x != nil {
			all = append(all, x)
		}
	}
	return all
}

// Ended reports whether the instance has come to its end.
func (s *Ledger) Ended(instance string) bool {
	x := s.Executions[Execution{instance, s.Last[instance]}]
	return x != nil && (x.End() != nil && x.End().Kind != history.OrchestrationContinuedAsNew || s.Unread[instance] == s.Last[instance])
}

func (x *Recorded) End() *history.Event {
	if n := len(x.Events); n > 0 && x.Events[n-1].Kind.Terminal() {
		return &x.Events[n-1]
	}
	return nil
}

// CarriedFrom reports whether an event was taken over while it was open, in an execution of the
// instance as well: an event that was open before a fork is the fork's own from its begin on.
func (x *Recorded) CarriedFrom(eventID, execution int64) bool {
	if s := x.Events[0].Start; s != nil && s.Origin != nil {
		for _, c := range s.Origin.Carried {
			if c.EventID != eventID {
				continue
			}
			if c.Instance != "" || x.Of != (Execution{}) {
				return s.Origin.ForkedExecutionID <= execution
			}
			return c.ExecutionID <= execution
		}
	}
	return false
}

// Add notes an event that has landed, and as what it is stored.
func (x *Recorded) Add(e, stored *history.Event) {
	if x.Events == nil {
		x.Events = make([]history.Event, 0, 8)
	}
	x.Events = append(x.Events, copied(e))
	if x.Sealed {
		x.stored = append(x.stored, copied(stored))
	}
	if e.Kind == history.ExternalRejected {
		noteL(&x.Rejected, e.SourceEventID, true)
		return
	}
	if e.SourceEventID > 0 {
		x.Completed[e.SourceEventID] = e.EventID
		if x.Events[e.SourceEventID-1].Inline {
			x.Inline--
		}
	}
	if e.Inline && e.Kind == history.ActivityScheduled {
		x.Inline++
	}
	switch e.Kind {
	case history.ParentAttached:
		noteL(&x.Senders, "start:"+e.Start.StartID, true)
	case history.ExternalEvent:
		noteL(&x.Senders, e.SenderID, true)
	case history.OrchestrationCancelRequested:
		x.Cancelled = true
	case history.OrchestrationSuspended:
		noteL(&x.Senders, suspends+e.SenderID, true)
		if x.Suspended == nil {
			own := *e
			x.Suspended = &own
		}
		x.Until, x.Held = e.FireAtMS, e.EventID
		if x.Said == nil || x.Said.Reason == "" || e.Reason != "" {
			own := *e
			x.Said = &own
		}
	case history.OrchestrationResumed:
		noteL(&x.Senders, resumes+e.SenderID, true)
		x.Suspended, x.Until, x.Held, x.Said = nil, 0, 0, nil
	}
	if e.Kind.Terminal() {
		x.Suspended, x.Until, x.Held, x.Said = nil, 0, 0, nil
	}
}

// The prefix of the sender's id for suspends and resumes: a sender numbers them apart from
// its events.
const suspends, resumes = "suspend:", "resume:"

// SenderOf is how the sender of an item that is recorded by an id stands among the senders
// of an execution.
func SenderOf(item *wire.Item) string {
	switch item.Kind {
	case wire.SuspendInstance:
		return suspends + item.ID
	case wire.ResumeInstance:
		return resumes + item.ID
	}
	return item.ID
}

// SentBy is the same for an event.
func SentBy(e *history.Event) string {
	switch e.Kind {
	case history.OrchestrationSuspended:
		return suspends + e.SenderID
	case history.OrchestrationResumed:
		return resumes + e.SenderID
	}
	return e.SenderID
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
			origin.Carried = slices.Clone(s.Origin.Carried)
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

// Alike reports whether two events have the same fields.
func Alike(a, b *history.Event) bool {
	return a.EventID == b.EventID && a.Kind == b.Kind && a.SourceEventID == b.SourceEventID && a.AtMS == b.AtMS && a.WithPrevious == b.WithPrevious &&
		a.Name == b.Name && a.Version == b.Version && a.Instance == b.Instance && a.Codec == b.Codec && bytes.Equal(a.Payload, b.Payload) &&
		a.FireAtMS == b.FireAtMS && a.DurationMS == b.DurationMS && a.Op == b.Op && a.Inline == b.Inline && a.ExplicitID == b.ExplicitID &&
		a.OnParentEnd == b.OnParentEnd && a.UseExisting == b.UseExisting && a.SenderID == b.SenderID && a.Reason == b.Reason && a.Imposed == b.Imposed &&
		a.LimitKey == b.LimitKey && a.Limit == b.Limit && a.Actor == b.Actor && a.StartedAtMS == b.StartedAtMS && a.Attempt == b.Attempt && a.RequestID == b.RequestID && a.ForkOf == b.ForkOf && a.Label == b.Label &&
		maps.Equal(a.Headers, b.Headers) && retryAlike(a.Retry, b.Retry) && failureAlike(a.Failure, b.Failure) && startAlike(a.Start, b.Start)
}

func retryAlike(a, b *history.Retry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.MaxAttempts == b.MaxAttempts && a.InitialMS == b.InitialMS && a.MaxMS == b.MaxMS && a.Coefficient == b.Coefficient && a.Jitter == b.Jitter &&
		a.TimeoutMS == b.TimeoutMS && a.TotalTimeoutMS == b.TotalTimeoutMS && a.HeartbeatTimeoutMS == b.HeartbeatTimeoutMS && a.AtMostOnce == b.AtMostOnce &&
		slices.Equal(a.FinalCodes, b.FinalCodes) && a.Batch == b.Batch && a.AttemptsMade == b.AttemptsMade && a.FirstEventID == b.FirstEventID &&
		a.LimitKey == b.LimitKey && a.Limit == b.Limit && a.RateKey == b.RateKey && a.Rate == b.Rate && a.RateMS == b.RateMS && a.Queue == b.Queue && a.FairKey == b.FairKey
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
		maps.Equal(a.Headers, b.Headers) && originAlike(a.Origin, b.Origin) && a.FairnessGroup == b.FairnessGroup && a.LimitKey == b.LimitKey && a.Limit == b.Limit &&
		slices.Equal(a.SenderIDs, b.SenderIDs) && bytes.Equal(a.CustomStatus, b.CustomStatus) &&
		(len(a.SearchAttributes) == 0 && len(b.SearchAttributes) == 0 || reflect.DeepEqual(a.SearchAttributes, b.SearchAttributes))
}

func originAlike(a, b *history.Origin) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Instance == b.Instance && a.ExecutionID == b.ExecutionID && a.EventID == b.EventID && a.FirstExecutionID == b.FirstExecutionID &&
		a.FirstInstance == b.FirstInstance && a.ForkedExecutionID == b.ForkedExecutionID && slices.Equal(a.Carried, b.Carried)
}

func parentAlike(a, b *history.Parent) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Holds reports whether the event that is stored at an index is this one.
func (x *Recorded) Holds(at int, e *history.Event) bool {
	if at < 0 || at >= len(x.Events) {
		return false
	}
	own := &x.Events[at]
	if x.Sealed {
		own = &x.stored[at]
	}
	return Alike(own, e)
}

// Cancel notes what a turn that has landed cancelled.
func (x *Recorded) Cancel(t *store.Turn) {
	for _, id := range t.Cancelled {
		noteL(&x.Stopped, id, true)
		if id >= t.First() {
			noteL(&x.Never, id, true)
		}
	}
}

// Recorded reports whether what an item says stands in history.
func (w *Ledger) Recorded(item *wire.Item) bool {
	target := item.Target()
	switch {
	case item.SourceEventID > 0:
		x := w.Executions[Execution{target, item.TargetExecution()}]
		return x != nil && x.Completed[item.SourceEventID] != 0
	case item.Kind == wire.StartOrchestration:
		return w.Last[target] > 0
	}
	for n := int64(1); n <= w.Last[target]; n++ {
		if x := w.Executions[Execution{target, n}]; item.ID != "" && x != nil && x.Senders[SenderOf(item)] {
			return true
		}
	}
	return false
}

// noteL writes into a map that is made when it is needed: most invocations need
// few of theirs.
func noteL[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// At names an execution of an instance.
func At(instance string, execution int64) Execution { return Execution{instance, execution} }

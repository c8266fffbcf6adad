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

// Ledger records everything that landed, in order. Recorded events never change.
type Ledger struct {
	Executions map[Execution]*Recorded
	Last       map[string]int64  // execution
	Born       map[string]int    // step at which its first execution landed
	Maker      map[string]string // process that created it
	Hidden     map[string]int64  // its last execution when it was purged
	// Started is the first execution of the current run of an instance: started after another run
	// ended, or was purged.
	Started map[string]int64
	Purged  map[string]time.Time // when its id was last blocked
	// Unread are instances that a purge has ended without reading their damaged history: the last
	// execution.
	Unread map[string]int64
	// Forsaken are instances that a purge may have left waiting.
	Forsaken map[string]bool
	Outside  Outside
}

// Recorded is one execution as it landed.
type Recorded struct {
	Events []history.Event
	// stored are the events as the store received them, if payloads are encoded in this run.
	Encoded bool
	stored  []history.Event
	// Completed maps each scheduling event to its completion; Senders has the senders of external
	// events.
	Completed map[int64]int64
	Senders   map[string]bool
	Cancelled bool
	// Suspended is the event since which no code runs; nil if code may run.
	Suspended *history.Event
	// Until is when the execution continues on its own, according to the last suspend; 0 if it
	// waits for a resume.
	Until int64
	// Held is the event id of the last suspend, 0 if the execution is not suspended.
	Held int64
	// Said is the suspend that gives the reason for which the execution is suspended: the last one
	// with a reason, otherwise the last one.
	Said *history.Event
	// Inline counts open inline activities.
	Inline int
	// Stopped are operations that were cancelled or closed in a later turn than the one that
	// scheduled them; those in Never were cancelled in the same turn and must not be sent at all.
	Stopped, Never map[int64]bool
	// Parked are the first events of turns that ended with incoming events that were recorded
	// without running the code.
	Parked []int64
	// Rejected are the external events that a wait has rejected.
	Rejected map[int64]bool
	// Run is the first execution of the run to which it belongs. Of is the execution of another
	// instance from which it was forked.
	Run int64
	Of  Execution
}

func New() Ledger {
	return Ledger{Executions: map[Execution]*Recorded{}, Last: map[string]int64{}, Born: map[string]int{}, Maker: map[string]string{}, Hidden: map[string]int64{}, Started: map[string]int64{}, Purged: map[string]time.Time{},
		Unread: map[string]int64{}, Forsaken: map[string]bool{}, Outside: newOutside()}
}

func (s *Ledger) Instances() []string { return slices.Sorted(maps.Keys(s.Last)) }

// First returns the first execution of the current run of an instance.
func (s *Ledger) First(instance string) int64 {
	return max(s.Hidden[instance]+1, s.Started[instance])
}

// Before returns the execution before one; 0 for none. A number that never became current is none.
func (s *Ledger) Before(instance string, n int64) int64 {
	for n--; n > 0 && s.Executions[Execution{instance, n}] == nil; n-- {
	}
	return max(n, 0)
}

// Executed returns the executions of the current run of an instance, the oldest first; for a fork
// also those that the original had before the fork.
func (s *Ledger) Executed(instance string) []*Recorded {
	return s.executed(instance, s.First(instance), s.Last[instance])
}

func (s *Ledger) executed(instance string, first, last int64) (all []*Recorded) {
	if start := s.Executions[Execution{instance, first}]; start != nil {
		if of := s.Executions[start.Of]; of != nil {
			all = s.executed(start.Of.Instance, of.Run, start.Of.Execution-1)
		}
	}
	for n := first; n <= last; n++ {
		if x := s.Executions[Execution{instance, n}]; x != nil {
			all = append(all, x)
		}
	}
	return all
}

// Ended reports whether the instance has ended.
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

// CarriedFrom reports whether an event was copied while it was open, from an execution of the
// instance itself: an event that was open before a fork belongs to the fork from its start on.
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

// Agrees reports whether an event says that the code has agreed with what its execution has copied.
func Agrees(e *history.Event) bool {
	return e.Kind == history.OrchestrationResumed && e.SourceEventID > 0
}

// Copied reports whether an event was copied by a redrive or a fork.
func (x *Recorded) Copied(eventID int64) bool {
	s := x.Events[0].Start
	return s != nil && s.Origin != nil && eventID <= s.Origin.EventID
}

// HeldBack reports whether an event was copied, and its operation was not sent before another
// event: until then the code has not replayed the whole copy.
func (x *Recorded) HeldBack(eventID, before int64) bool {
	s := x.Events[0].Start
	if s == nil || s.Origin == nil || eventID > s.Origin.EventID {
		return false
	}
	for i := range x.Events[s.Origin.EventID:] {
		if e := &x.Events[s.Origin.EventID+int64(i)]; Agrees(e) {
			return e.EventID >= before
		}
	}
	return true
}

// Add records an event that has landed, and its stored form.
func (x *Recorded) Add(e, stored *history.Event) {
	if x.Events == nil {
		x.Events = make([]history.Event, 0, 8)
	}
	x.Events = append(x.Events, copied(e))
	if x.Encoded {
		x.stored = append(x.stored, copied(stored))
	}
	if e.Kind == history.ExternalRejected {
		noteL(&x.Rejected, e.SourceEventID, true)
		return
	}
	if _, update := e.Update(); e.SourceEventID > 0 && !update && !Agrees(e) {
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
		if Agrees(e) {
			return
		}
		noteL(&x.Senders, resumes+e.SenderID, true)
		x.Suspended, x.Until, x.Held, x.Said = nil, 0, 0, nil
	}
	if e.Kind.Terminal() {
		x.Suspended, x.Until, x.Held, x.Said = nil, 0, 0, nil
	}
}

// suspends and resumes are prefixes of the sender's id for suspends and resumes: a sender numbers
// them separately from its events.
const suspends, resumes = "suspend:", "resume:"

// SenderOf returns the key of an item's sender among the senders of an execution.
func SenderOf(item *wire.Item) string {
	switch item.Kind {
	case wire.SuspendInstance:
		return suspends + item.ID
	case wire.ResumeInstance:
		return resumes + item.ID
	}
	return item.ID
}

// SentBy returns the same for an event.
func SentBy(e *history.Event) string {
	switch e.Kind {
	case history.OrchestrationSuspended:
		return suspends + e.SenderID
	case history.OrchestrationResumed:
		return resumes + e.SenderID
	}
	return e.SenderID
}

// copied returns a deep copy of an event, because its creator may overwrite the data that it points
// to.
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
		own.SenderIDs, own.States, own.SearchAttributes = slices.Clone(s.SenderIDs), bytes.Clone(s.States), maps.Clone(s.SearchAttributes)
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
		a.OnParentEnd == b.OnParentEnd && a.UseExisting == b.UseExisting && a.SenderID == b.SenderID && a.Reason == b.Reason && a.Forced == b.Forced &&
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
		slices.Equal(a.SenderIDs, b.SenderIDs) && bytes.Equal(a.States, b.States) &&
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

// Holds reports whether the event stored at an index equals e.
func (x *Recorded) Holds(at int, e *history.Event) bool {
	if at < 0 || at >= len(x.Events) {
		return false
	}
	own := &x.Events[at]
	if x.Encoded {
		own = &x.stored[at]
	}
	return Alike(own, e)
}

// Cancel records the cancellations of a turn that has landed.
func (x *Recorded) Cancel(t *store.Turn) {
	for _, id := range t.Cancelled {
		noteL(&x.Stopped, id, true)
		if id >= t.First() || x.HeldBack(id, t.First()) {
			noteL(&x.Never, id, true)
		}
	}
}

// Recorded reports whether the fact of an item is in a history.
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

// noteL writes into a map that is created on first use, because most invocations need few of
// theirs.
func noteL[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// At identifies an execution of an instance.
func At(instance string, execution int64) Execution { return Execution{instance, execution} }

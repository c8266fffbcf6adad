package timeline

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

// Source is the history of one execution.
type Source struct {
	ExecutionID int64
	// Turns are the committed turns, with payloads as given.
	Turns []store.Turn
	// Known reports whether Turns are the committed turns. FromEvents does not know them.
	Known bool
}

// FromTurns returns the source of an execution that was read from a store.
func FromTurns(executionID int64, turns []store.Turn) Source {
	return Source{ExecutionID: executionID, Turns: turns, Known: true}
}

// Until returns the source up to and including an event.
func (s Source) Until(event int64) Source {
	out := Source{ExecutionID: s.ExecutionID, Known: s.Known}
	for _, turn := range s.Turns {
		n := 0
		for n < len(turn.Events) && turn.Events[n].EventID <= event {
			n++
		}
		if n == 0 {
			break
		}
		if n < len(turn.Events) {
			// What the turn cancelled is known only from its last event on.
			turn.Events, turn.Cancelled = turn.Events[:n:n], nil
		}
		out.Turns = append(out.Turns, turn)
	}
	return out
}

// End returns the time of its last event; zero if it has none.
func (s Source) End() time.Time {
	if len(s.Turns) == 0 {
		return time.Time{}
	}
	events := s.Turns[len(s.Turns)-1].Events
	return at(events[len(events)-1].AtMS)
}

// FromEvents returns the source of an execution whose turns are not known: each replay step counts as a turn, and cancellations are not
// known.
func FromEvents(instance string, executionID int64, events []history.Event) Source {
	s := Source{ExecutionID: executionID}
	first := 0
	for i := range events {
		// A replay step is one incoming event and the scheduled operations after it.
		if i > first && events[i].Kind.Arrival() {
			s.Turns = append(s.Turns, store.Turn{Instance: instance, ExecutionID: executionID, Events: events[first:i]})
			first = i
		}
	}
	if first < len(events) {
		s.Turns = append(s.Turns, store.Turn{Instance: instance, ExecutionID: executionID, Events: events[first:]})
	}
	return s
}

// FromExport returns the source of an exported execution, with its turns if the export has them.
func FromExport(x history.Export) Source {
	if turns, known := exports.Turns(x); known {
		return FromTurns(x.ExecutionID, turns)
	}
	return FromEvents(x.Instance, x.ExecutionID, x.Events)
}

// New makes the timeline of an instance from its executions, in order. It accepts any history: a truncated or damaged one yields the rows
// that its events allow.
func New(instance string, executions ...Source) *Timeline {
	t := &Timeline{Instance: instance}
	for i := range executions {
		b := builder{t: t, source: &executions[i], rowOf: map[int64]int{}, sent: map[string]*history.Event{}}
		b.build()
	}
	t.bound()
	return t
}

// builder builds what one execution adds to a timeline.
type builder struct {
	t      *Timeline
	source *Source
	x      Execution
	// rowOf maps a scheduling event to the index of its row.
	rowOf map[int64]int
	waits waits
	// sent has the updates that the code sent to other instances, by id.
	sent map[string]*history.Event
}

func (b *builder) build() {
	b.x = Execution{ExecutionID: b.source.ExecutionID, TurnsKnown: b.source.Known, FirstRow: len(b.t.Rows)}
	b.waits = newWaits(b.source)
	for i := range b.source.Turns {
		if turn := &b.source.Turns[i]; len(turn.Events) > 0 {
			b.turn(turn)
		}
	}
	b.x.Rows = len(b.t.Rows) - b.x.FirstRow
	b.close()
	b.t.Executions = append(b.t.Executions, b.x)
}

func (b *builder) turn(turn *store.Turn) {
	last := &turn.Events[len(turn.Events)-1]
	tick := Tick{ExecutionID: b.x.ExecutionID, At: at(last.AtMS), First: turn.First(), Last: last.EventID, Parked: turn.Parked}
	if first := &turn.Events[0]; first.Kind.Arrival() {
		tick.Arrival = first.Kind
	}
	b.t.Ticks = append(b.t.Ticks, tick)
	b.x.Turns++
	b.x.Parked = turn.Parked
	for i := range turn.Events {
		b.x.Events++
		b.event(&turn.Events[i])
	}
	if last.Kind.Terminal() {
		return // The end of the execution has closed what this turn cancelled.
	}
	for _, id := range turn.Cancelled {
		if n, ok := b.rowOf[id]; ok && b.t.Rows[n].State == StateOpen {
			b.t.Rows[n].cancel(turn)
			b.t.Rows[n].CancelText = b.cancelText(turn)
		}
	}
}

func (b *builder) event(e *history.Event) {
	if name, is := e.Update(); is && b.update(name, e) {
		return
	}
	switch {
	case e.Kind == history.ExternalRejected:
		b.reject(e)
	case e.Kind.Scheduling():
		b.rowOf[e.EventID] = len(b.t.Rows)
		b.t.Rows = append(b.t.Rows, b.row(e))
		if e.Kind == history.ExternalSubscribed {
			b.waits.subscribe(e)
			b.match(e.Name)
		}
		return
	case e.Kind == history.ExternalEvent:
		b.waits.arrive(e)
		if b.match(e.Name) {
			return
		}
	case e.Kind.Completes() != history.KindUnknown:
		if n, ok := b.rowOf[e.SourceEventID]; ok {
			b.complete(&b.t.Rows[n], e)
			return
		}
	case e.Kind == history.OrchestrationStarted:
		b.x.From, b.x.Name, b.x.Version = at(e.AtMS), e.Name, e.Version
		if e.Start != nil {
			b.x.Parent = e.Start.Parent
			b.x.Origin = e.Start.Origin
		}
	case e.Kind == history.OrchestrationRedriven:
		b.x.From = at(e.AtMS) // What it copied happened before it started.
	case e.Kind.Terminal():
		b.x.To, b.x.End, b.x.Forced, b.x.Failure = at(e.AtMS), e.Kind, e.Forced, e.Failure
	}
	b.t.Marks = append(b.t.Marks, Mark{ExecutionID: b.x.ExecutionID, EventID: e.EventID, Kind: e.Kind, At: at(e.AtMS), Name: e.Name})
}

// reject records on the mark of an event that a wait rejected it. The event completes no wait.
func (b *builder) reject(e *history.Event) {
	for i := len(b.t.Marks) - 1; i >= 0 && b.t.Marks[i].ExecutionID == b.x.ExecutionID; i-- {
		if m := &b.t.Marks[i]; m.EventID == e.SourceEventID {
			m.RejectedBy, m.Reason = e.EventID, e.Reason
			return
		}
	}
}

// match assigns the kept events of a name to the waits that take them. It reports whether the event that arrived last was taken.
func (b *builder) match(name string) bool {
	taken := false
	for {
		wait, event, assumed := b.waits.take(name)
		if event == nil {
			return taken
		}
		taken = true
		r := &b.t.Rows[b.rowOf[wait]]
		r.CompletedBy, r.Assumed, r.Actor = event.EventID, assumed, event.Actor
		b.t.unmark(b.x.ExecutionID, event.EventID)
		state := StateDone
		if r.Kind == KindUpdate {
			if r.Failure = failureIn(event); r.Failure != nil {
				state = StateFailed
			}
		}
		r.end(state, at(event.AtMS))
	}
}

// unmark removes the mark of an event that no wait had taken when it arrived.
func (t *Timeline) unmark(executionID, eventID int64) {
	for i := len(t.Marks) - 1; i >= 0 && t.Marks[i].ExecutionID == executionID; i-- {
		if t.Marks[i].EventID == eventID {
			t.Marks = slices.Delete(t.Marks, i, i+1)
			return
		}
	}
}

// close ends the open rows of an execution that has ended.
func (b *builder) close() {
	if b.x.From.IsZero() && len(b.t.Ticks) > 0 {
		// A truncated history does not say when it started.
		for i := range b.t.Ticks {
			if b.t.Ticks[i].ExecutionID == b.x.ExecutionID {
				b.x.From = b.t.Ticks[i].At
				break
			}
		}
	}
	if b.x.End == history.KindUnknown {
		return
	}
	for i := b.x.FirstRow; i < len(b.t.Rows); i++ {
		switch r := &b.t.Rows[i]; {
		case r.State == StateOpen:
			r.end(StateClosed, b.x.To)
		case r.EndedAt.IsZero():
			r.end(r.State, b.x.To)
		}
	}
}

// bound sets the start and the end of the timeline.
func (t *Timeline) bound() {
	seen := func(at time.Time) {
		if at.IsZero() {
			return
		}
		if t.From.IsZero() || at.Before(t.From) {
			t.From = at
		}
		if at.After(t.To) {
			t.To = at
		}
	}
	for i := range t.Executions {
		seen(t.Executions[i].From)
		seen(t.Executions[i].To)
	}
	for i := range t.Ticks {
		seen(t.Ticks[i].At)
	}
	for i := range t.Rows {
		seen(t.Rows[i].ScheduledAt)
		seen(t.Rows[i].EndedAt)
	}
}

// at converts the time of an event.
func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// said converts a time that may be missing (0).
func said(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return at(ms)
}

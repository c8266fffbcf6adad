package engine

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// ledger is the structure of a history: everything known about it without running code.
// It detects corruption (rule 5) and judges arrivals.
type ledger struct {
	instance    string
	executionID int64

	entries  pieces[entry] // index is event id - 1
	start    *history.Start
	senders  map[string]int64 // sender id → event id; 0 if in an earlier execution
	cancelID int64            // event id of the first OrchestrationCancelRequested
	// suspendedID is the event id of the first OrchestrationSuspended since the last
	// OrchestrationResumed; 0 while the code may run.
	suspendedID int64
	// heldID is the last OrchestrationSuspended since then; its time applies.
	heldID int64
	// saidID is the last OrchestrationSuspended since then that gives a reason, or heldID if none
	// does. Its reason and actor apply.
	saidID   int64
	reasoned bool
	redriven int64 // event id of the last OrchestrationRedriven
	// released is the event id of the OrchestrationResumed that released the
	// operations which the last OrchestrationRedriven copied; 0 while they are held
	// back.
	released int64
	carried  map[int64]int64 // event id → execution, for copied events that were open
	ended    bool
	// rejected is the number of updates that the execution has rejected.
	rejected int
}

// entry is the ledger's record of an event.
type entry struct {
	kind      history.Kind
	inline    bool
	atMS      int64
	completed int64 // for a scheduling event: event id of its completion
}

// check returns an error if e cannot follow the recorded events. Rule 5 defines as corruption: a
// source_event_id that does not name an earlier scheduling event of the right kind, or that names
// an event that is already completed; a gap; a repeated event_id; an event after the end.
func (l *ledger) check(e *history.Event) *CorruptionError {
	next := int64(l.entries.len()) + 1
	bad := func(format string, args ...any) *CorruptionError {
		return &CorruptionError{Instance: l.instance, ExecutionID: l.executionID, EventID: e.EventID, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case e.EventID > next:
		return bad("gap: event_id %d comes after %d", e.EventID, next-1)
	case e.EventID < next:
		return bad("repeated event_id: %d comes after %d", e.EventID, next-1)
	case l.ended:
		return bad("%s comes after the terminal event %d", e.Kind, next-1)
	case e.Kind == history.KindUnknown || e.Kind.String() == history.KindUnknown.String():
		return bad("the kind is unknown")
	case next == 1 && e.Kind != history.OrchestrationStarted:
		return bad("a history starts with OrchestrationStarted, but this one starts with %s", e.Kind)
	case next > 1 && e.Kind == history.OrchestrationStarted:
		return bad("a second OrchestrationStarted")
	case e.Kind == history.OrchestrationStarted && e.Start != nil && e.Start.ExecutionID != 0 && e.Start.ExecutionID != l.executionID:
		return bad("the OrchestrationStarted belongs to execution %d", e.Start.ExecutionID)
	}
	if e.Kind == history.OrchestrationStarted && e.Start != nil {
		if _, err := history.DecodeStates(e.Start.States); err != nil {
			return bad("%v", err)
		}
	}
	want, source := e.Kind.Completes(), e.SourceEventID
	switch {
	case e.Kind == history.ExternalRejected:
		if source < 1 || source >= next || l.entries.at(int(source-1)).kind != history.ExternalEvent {
			return bad("%s has source_event_id %d, which is not an earlier %s", e.Kind, source, history.ExternalEvent)
		}
		return nil
	case want == history.KindUnknown:
		return nil
	}
	switch {
	case source < 1 || source >= next:
		return bad("%s has source_event_id %d, which is not an earlier event", e.Kind, source)
	case l.entries.at(int(source-1)).kind != want:
		return bad("%s has source_event_id %d, which is %s, not %s", e.Kind, source, l.entries.at(int(source-1)).kind, want)
	case l.entries.at(int(source-1)).completed != 0:
		return bad("%s has source_event_id %d, which event %d already completed", e.Kind, source, l.entries.at(int(source-1)).completed)
	}
	return nil
}

// reserve makes room for the first n events and a few more that a turn appends.
func (l *ledger) reserve(n int) {
	l.entries.reserve(n + turnRoom)
}

// record adds a checked event.
func (l *ledger) record(e *history.Event) {
	l.entries.append(entry{kind: e.Kind, inline: e.Inline, atMS: e.AtMS})
	switch {
	case e.Kind == history.OrchestrationStarted:
		l.start = e.Start
		if e.Start != nil {
			for _, id := range e.Start.SenderIDs {
				l.sent(id, 0)
			}
			if o := e.Start.Origin; o != nil && len(o.Carried) > 0 {
				l.carried = make(map[int64]int64, len(o.Carried))
				for _, c := range o.Carried {
					l.carried[c.EventID] = redriving.CarriedSince(o, l.instance, c)
				}
			}
		}
	case e.Kind == history.OrchestrationRedriven:
		l.redriven, l.released = e.EventID, 0
	case e.Kind == history.OrchestrationCancelRequested:
		if l.cancelID == 0 {
			l.cancelID = e.EventID
		}
	case e.Kind == history.OrchestrationSuspended:
		if l.suspendedID == 0 {
			l.suspendedID = e.EventID
		}
		l.heldID = e.EventID
		if e.Reason != "" || !l.reasoned {
			l.saidID, l.reasoned = e.EventID, e.Reason != ""
		}
	case e.Kind == history.OrchestrationResumed:
		l.suspendedID, l.heldID, l.saidID, l.reasoned = 0, 0, 0, false
		if redriving.Releases(e) {
			l.released = e.EventID
		}
	case e.Kind.Terminal():
		l.ended, l.suspendedID, l.heldID, l.saidID, l.reasoned = true, 0, 0, 0, false
	}
	if _, update := e.Update(); update && e.Kind == history.ExternalRejected {
		l.rejected++
	}
	if id := rememberedAs(e); id != "" {
		l.sent(id, e.EventID)
	}
	if e.Kind.Completes() != history.KindUnknown {
		l.entries.at(int(e.SourceEventID - 1)).completed = e.EventID
	}
}

// rememberedAs returns the key by which a repeat of the event is recognized, in this
// execution and later ones: the sender's id of an external event, an update, a cancel, a suspend or
// a resume, or the start id of an attached parent. It is empty for other events. All keys
// except those of external events have a prefix, because a sender may number each kind
// separately.
func rememberedAs(e *history.Event) string {
	switch {
	case e.Kind == history.ParentAttached && e.Start != nil:
		return "start:" + e.Start.StartID
	case e.SenderID == "":
		return ""
	case e.Kind == history.ExternalEvent:
		if _, update := e.Update(); update {
			return "update:" + e.SenderID
		}
		return e.SenderID
	case e.Kind == history.OrchestrationCancelRequested:
		return "cancel:" + e.SenderID
	case e.Kind == history.OrchestrationSuspended:
		return "suspend:" + e.SenderID
	case e.Kind == history.OrchestrationResumed:
		return "resume:" + e.SenderID
	}
	return ""
}

func (l *ledger) sent(senderID string, eventID int64) {
	if l.senders == nil {
		l.senders = make(map[string]int64)
	}
	if _, ok := l.senders[senderID]; !ok {
		l.senders[senderID] = eventID
	}
}

// truncate drops the events after the first n: the scheduling events of a round that did
// not come to rest.
func (l *ledger) truncate(n int) { l.entries.truncate(n) }

// open calls f for each scheduling event without a completion, in order.
func (l *ledger) open(f func(eventID int64, kind history.Kind, inline bool)) {
	for i := range l.entries.len() {
		if e := l.entries.at(i); e.completed == 0 && e.kind.Scheduling() {
			f(int64(i)+1, e.kind, e.inline)
		}
	}
}

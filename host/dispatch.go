package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// sending is a commit of one execution whose actions are to be sent, for the
// first time or again.
type sending struct {
	*store.Turn
	// start and name of the execution.
	start *history.Start
	name  string
	// open reports whether a scheduling event still waits for its completion;
	// nil where the commit has just been made and all do.
	open func(eventID int64) bool
	// attached returns the parents that wait besides the one that started it.
	attached func() []*history.Parent
	// find returns what a scheduling event of an earlier turn asked for.
	find func(eventID int64) openWork
}

// add turns a commit into what has to be sent because of it. It looks at
// events alone: the code is not needed, so that it can be repeated at any time.
// Every id derives from instance, execution and event, so that repeating it is
// harmless.
func (out *outbox) add(s sending) {
	cancelled := make(map[int64]bool, len(s.Cancelled))
	for _, id := range s.Cancelled {
		cancelled[id] = true
	}
	out.commit(s.Turn)
	for i := range s.Events {
		e := &s.Events[i]
		out.at = position{s.ExecutionID, e.EventID, 0}
		switch e.Kind {
		case history.OrchestrationChained:
			// It has no completion: whether it was sent is not known.
			out.detached(&s, e)
			continue
		case history.SystemCall:
			out.message(&s, e)
			continue
		case history.ActivityScheduled, history.TimerCreated, history.SubOrchestrationScheduled:
		default:
			continue
		}
		// What the same turn scheduled and cancelled is never sent.
		if e.Inline || cancelled[e.EventID] || s.open != nil && !s.open(e.EventID) {
			continue
		}
		switch e.Kind {
		case history.ActivityScheduled:
			out.activity(&s, e)
		case history.TimerCreated:
			out.timer(&s, e)
		case history.SubOrchestrationScheduled:
			out.child(&s, e)
		}
	}
	for i, id := range s.Cancelled {
		if id < s.First() {
			out.at = position{s.ExecutionID, s.Last(), 1 + i}
			out.cancel(&s, id, s.find(id))
		}
	}
	out.at = position{s.ExecutionID, s.Last(), 1 + len(s.Cancelled)}
	if end := &s.Events[len(s.Events)-1]; end.Kind.Terminal() && end.Kind != history.OrchestrationContinuedAsNew {
		headers := out.propagator.sent(s.Turn, nil)
		if s.start.Parent != nil {
			out.parent(s.start.Parent, s.Instance, s.name, end, headers)
		}
		for _, p := range s.attached() {
			out.parent(p, s.Instance, s.name, end, headers)
		}
	}
}

// token returns the token of a scheduling event. One that is sent again after
// another key has become the current one differs; both hold. An execution that
// was started before there were keys keeps its own rule to its end.
func (out *outbox) token(s *sending, eventID int64) string {
	if s.start.Secret != "" {
		return history.Token(s.start.Secret, s.Instance, s.ExecutionID, eventID)
	}
	return out.keys.Token(s.Instance, s.ExecutionID, eventID)
}

// headersOf are those of what an event starts.
func (out *outbox) headersOf(s *sending, e *history.Event) map[string]string {
	return out.propagator.sent(s.Turn, history.MergeHeaders(s.start.Headers, e.Headers))
}

func (out *outbox) activity(s *sending, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.ActivityExecute, Instance: s.Instance, ExecutionID: s.ExecutionID,
		Name: e.Name, Input: e.Payload, Codec: e.Codec, SchedulingEventID: e.EventID, Token: out.token(s, e.EventID),
		Attempt: 1, ScheduledAtMS: e.AtMS, Retry: e.Retry, Headers: out.headersOf(s, e)}
	item.Stamp(out.now)
	body, err := out.edge.Encode(&item)
	if err != nil {
		out.unsendable(s, e, wire.ActivityFailed, err)
		return
	}
	out.queue(toActivity, queue.Outgoing{Body: body})
	out.note("activity", e.EventID, e.Name)
}

// timer sends a timer through the delay queue up to the border, where a
// minute's error would matter, and else through the timer service, which
// refuses what is due too soon. A timer of which its events say that it goes
// by the queue always does, also where it is sent again by another clock: no
// schedule of it would be removed.
func (out *outbox) timer(s *sending, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.TimerFired, Instance: s.Instance, ExecutionID: s.ExecutionID,
		SourceEventID: e.EventID, Token: out.token(s, e.EventID), FireAtMS: e.FireAtMS, Headers: out.propagator.sent(s.Turn, nil)}
	item.Stamp(out.now)
	body, err := out.edge.Encode(&item)
	if err != nil {
		out.failed(fmt.Errorf("timer %d of instance %q execution %d: %w", e.EventID, s.Instance, s.ExecutionID, err))
		return
	}
	due := time.UnixMilli(e.FireAtMS)
	rest := due.Sub(out.now)
	switch {
	case rest <= 0:
		out.queue(toOrchestrator, queue.Outgoing{Body: body, Group: wire.Group(s.Instance), DedupID: wire.DedupID(&item)})
	case out.timedByQueue(rest), out.timedByQueue(opened(e).wait):
		out.queue(toDelay, queue.Outgoing{Body: body, Delay: edge.QueueDelay(rest)})
	default:
		out.put(parcel{route: toSchedule, schedule: timer.Schedule{
			Name: timer.Name(s.Instance, s.ExecutionID, e.EventID), Due: due, Body: body, Group: wire.Group(s.Instance)}})
	}
	out.actions = append(out.actions, Action{Kind: "timer", EventID: e.EventID, Due: due})
}

// timedByQueue reports whether a timer with that long to go goes through the
// delay queue and has no schedule.
func (c *composer) timedByQueue(rest time.Duration) bool {
	return rest <= c.border || rest < c.least || !c.service
}

func (out *outbox) child(s *sending, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: derivedID("child", s, e.EventID),
		Parent: parentOf(out, s, e.EventID), UseExisting: e.UseExisting, Headers: out.headersOf(s, e), FairnessGroup: s.start.FairnessGroup}
	if err := out.send(&item); err != nil {
		out.unsendable(s, e, wire.SubOrchFailed, err)
		return
	}
	out.note("child", e.EventID, e.Instance)
}

func (out *outbox) detached(s *sending, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: derivedID("detached", s, e.EventID),
		Headers: out.headersOf(s, e), FairnessGroup: s.start.FairnessGroup}
	if err := out.send(&item); err != nil {
		// Nobody waits for it: what is owed is a dead letter with the reason.
		out.refuse(s, e.EventID, "detached orchestration "+strconv.Quote(e.Instance)+" not started", err)
		return
	}
	out.note("detached", e.EventID, e.Instance)
}

// cancel stops or removes what an earlier turn sent out.
func (out *outbox) cancel(s *sending, eventID int64, w openWork) {
	reason, terminated := cancelReason(s.Events)
	switch w.kind {
	case history.ActivityScheduled:
		out.put(parcel{route: toStop, stop: stop{store.ActivityKey{Instance: s.Instance, ExecutionID: s.ExecutionID, EventID: eventID}, reason}})
		out.note("stop", eventID, "")
	case history.TimerCreated:
		if out.timedByQueue(w.wait) {
			// Its message comes all the same, and goes to nobody.
			return
		}
		if out.service {
			out.put(parcel{route: toRemoval, schedule: timer.Schedule{Name: timer.Name(s.Instance, s.ExecutionID, eventID)}})
		}
		out.note("remove timer", eventID, "")
	case history.SubOrchestrationScheduled:
		// The parent goes with it: an instance that only has the id which the
		// child should have had is not its child, and is left alone.
		item := wire.Item{V: wire.Version, Kind: wire.CancelInstance, Instance: w.child, Reason: reason,
			ID: derivedID("cancel", s, eventID), Parent: parentOf(out, s, eventID)}
		kind := "cancel child"
		if end := s.Events[len(s.Events)-1].Kind; end.Terminal() && !terminated {
			terminated = w.onParentEnd == history.ParentEndTerminate
			if item.Reason == "" {
				item.Reason = fmt.Sprintf("its parent %q has ended", s.Instance)
			}
		}
		if terminated {
			item.Kind, kind = wire.TerminateInstance, "terminate child"
		}
		if err := out.send(&item); err != nil {
			out.refuse(s, eventID, "child "+strconv.Quote(w.child)+" not stopped", err)
			return
		}
		out.note(kind, eventID, w.child)
	}
}

// tokenOf returns the token that a parent waits for: made anew, for it does not
// stand in the child's history, unless the parent made it from its own secret.
func (out *outbox) tokenOf(p *history.Parent) string {
	if p.Token != "" {
		return p.Token
	}
	return out.keys.Token(p.Instance, p.ExecutionID, p.EventID)
}

// parent tells a parent of the end of an instance.
func (out *outbox) parent(p *history.Parent, instance, name string, end *history.Event, headers map[string]string) {
	item := wire.Item{V: wire.Version, Kind: wire.SubOrchCompleted, ParentInstance: p.Instance, ParentExecutionID: p.ExecutionID,
		SourceEventID: p.EventID, Token: out.tokenOf(p), Headers: headers}
	if end.Kind == history.OrchestrationCompleted {
		item.Result, item.Codec = end.Payload, end.Codec
		err := out.send(&item)
		if err == nil {
			out.note("parent", p.EventID, p.Instance)
			return
		}
		if edge.NotSealed(err) {
			out.failed(err)
			return
		}
		item.Result, item.Codec = nil, ""
		end = &history.Event{Failure: edge.Unsendable(err, "output of orchestration "+strconv.Quote(name))}
	}
	f := history.Failure{}
	if end.Failure != nil {
		f = *end.Failure
	}
	if f.Instance == "" {
		f.Instance = instance
	}
	if f.Source == "" {
		f.Source = name
	}
	item.Kind, item.Details = wire.SubOrchFailed, wire.FailureOf(&f)
	if err := out.send(&item); err != nil {
		out.failed(fmt.Errorf("parent %q of instance %q: %w", p.Instance, instance, err))
		return
	}
	out.note("parent", p.EventID, p.Instance)
}

// unsendable answers, in place of the one that would have had to, a scheduling
// event that no message can hold.
func (out *outbox) unsendable(s *sending, e *history.Event, kind wire.Kind, err error) {
	if edge.NotSealed(err) {
		out.failed(err)
		return
	}
	item := wire.Item{V: wire.Version, Kind: kind, SourceEventID: e.EventID, Token: out.token(s, e.EventID)}
	f := edge.Unsendable(err, "input of "+strconv.Quote(e.Name))
	f.Source = e.Name
	if kind == wire.SubOrchFailed {
		item.ParentInstance, item.ParentExecutionID = s.Instance, s.ExecutionID
		f.Instance = e.Instance
	} else {
		item.Instance, item.ExecutionID = s.Instance, s.ExecutionID
	}
	item.Details = wire.FailureOf(f)
	if err := out.send(&item); err != nil {
		out.failed(fmt.Errorf("event %d of instance %q execution %d: %w", e.EventID, s.Instance, s.ExecutionID, err))
		return
	}
	out.note("failure", e.EventID, e.Name)
}

func (out *outbox) note(kind string, eventID int64, name string) {
	out.actions = append(out.actions, Action{Kind: kind, EventID: eventID, Name: name})
}

func parentOf(out *outbox, s *sending, eventID int64) *wire.Parent {
	return &wire.Parent{Instance: s.Instance, ExecutionID: s.ExecutionID, EventID: eventID, Token: out.token(s, eventID)}
}

// cancelReason returns why a turn cancelled what it did, and whether it
// terminated the instance.
func cancelReason(events []history.Event) (reason string, terminated bool) {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == history.OrchestrationCancelRequested:
			reason = e.Reason
		case e.Kind == history.OrchestrationFailed && e.Imposed == history.ImposedTerminated:
			return e.Failure.Message, true
		}
	}
	return reason, false
}

// derivedID is the id of what an event sends, the same each time.
func derivedID(what string, s *sending, eventID int64) string {
	return placedID(what, s.Instance, s.ExecutionID, eventID)
}

func placedID(what, instance string, executionID, eventID int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d %s", what, executionID, eventID, instance)
	return what + "-" + hex.EncodeToString(h.Sum(nil)[:16])
}

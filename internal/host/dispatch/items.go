package dispatch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func (out *Outbox) activity(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.ActivityExecute, Instance: c.Instance, ExecutionID: c.ExecutionID,
		Name: e.Name, Input: e.Payload, Codec: e.Codec, SchedulingEventID: e.EventID, Token: out.token(c, e.EventID),
		Attempt: 1, ScheduledAtMS: e.AtMS, Retry: e.Retry, Headers: out.startHeaders(c, e), Origin: KeyOf(c.Start, e.EventID)}
	body, err := out.encode(&item)
	if err != nil {
		out.unsendable(c, e, wire.ActivityFailed, err)
		return
	}
	out.put(parcel{route: toActivity, queue: edge.QueueOf(e.Retry), msg: queue.Outgoing{Body: body, Group: edge.FairGroup(e.Retry)}})
	out.ifRejected(func(out *Outbox, err error) { out.unsendable(c, e, wire.ActivityFailed, err) })
	out.note("activity", e.EventID, e.Name)
}

// timer sends a timer. One of which its events say that it goes by the queue always
// does, also where it is sent again by another clock: no schedule of it would be
// removed.
func (out *Outbox) timer(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.TimerFired, Instance: c.Instance, ExecutionID: c.ExecutionID,
		SourceEventID: e.EventID, Token: out.token(c, e.EventID), FireAtMS: e.FireAtMS, Headers: out.headers(c, nil)}
	due := time.UnixMilli(e.FireAtMS)
	if !due.After(out.Now) {
		// It does not count as a pause, and fires like a message that the instance
		// sends to itself.
		if err := out.Send(&item); err != nil {
			out.failed(fmt.Errorf("timer %d of instance %q execution %d: %w", e.EventID, c.Instance, c.ExecutionID, err))
		}
		out.told.actions = append(out.told.actions, host.Action{Kind: "timer", EventID: e.EventID, Due: due})
		return
	}
	body, err := out.encode(&item)
	if err != nil {
		out.failed(fmt.Errorf("timer %d of instance %q execution %d: %w", e.EventID, c.Instance, c.ExecutionID, err))
		return
	}
	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID), Due: due, Body: body, Group: wire.Group(c.Instance)}, c.waitOf(opened(e).Wait))
	out.told.actions = append(out.told.actions, host.Action{Kind: "timer", EventID: e.EventID, Due: due})
}

// timers says which timer is sent in the place of which, by event.
type timers map[int64]*history.Event

// inTime has the timers of some events sent in the order in which they are due, so that timers
// that are overdue fire in that order: after a redrive, say. It goes by the events alone, because a
// dispatch that was cut short continues after the last place that it has reached.
func inTime(events []history.Event) timers {
	var created []*history.Event
	inOrder := true
	for i := range events {
		if e := &events[i]; e.Kind == history.TimerCreated {
			inOrder = inOrder && (len(created) == 0 || created[len(created)-1].FireAtMS <= e.FireAtMS)
			created = append(created, e)
		}
	}
	if inOrder {
		return nil
	}
	sorted := slices.Clone(created)
	slices.SortStableFunc(sorted, func(a, b *history.Event) int { return cmp.Compare(a.FireAtMS, b.FireAtMS) })
	in := make(timers, len(created))
	for i, e := range created {
		in[e.EventID] = sorted[i]
	}
	return in
}

// instead returns the event that is sent in the place of e: another timer, or e itself.
func (t timers) instead(e *history.Event) *history.Event {
	if other := t[e.EventID]; other != nil {
		return other
	}
	return e
}

// waitOf is for how long a timer counts as having waited: that of a gate for no time. So it goes through
// the delay queue, and a limit goes on while the timer service takes and removes no schedules.
func (c *Commit) waitOf(wait time.Duration) time.Duration {
	if gating.IsGate(c.Instance) {
		return 0
	}
	return wait
}

// fired removes the schedule of a timer that somebody has fired early: it could be due in
// years. What waits in the delay queue comes all the same, and is a duplicate.
func (out *Outbox) fired(c *Commit, e *history.Event) {
	if e.SenderID == "" || out.timedByQueue(c.waitOf(time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond)) {
		return
	}
	out.put(parcel{route: toRemoval, schedule: timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.SourceEventID)}})
	out.note("remove timer", e.SourceEventID, "")
}

// Limit sends the message about a pending activity to the orchestrator queue again,
// when a time limit of it may be over. The name of its schedule derives from the
// attempt and from that time too, so that a message which is handled twice is still
// one message then.
func (out *Outbox) Limit(item wire.Item, due time.Time) {
	item.NotBeforeMS = due.UnixMilli()
	body, err := out.Edge.Again(&item)
	if err != nil {
		out.failed(fmt.Errorf("time limit of activity %d of instance %q execution %d: %w", item.SourceEventID, item.Instance, item.ExecutionID, err))
		return
	}
	name := timer.Name(item.Instance, item.ExecutionID, item.SourceEventID, int64(item.Attempt), item.NotBeforeMS)
	out.timed(timer.Schedule{Name: name, Due: due, Body: body, Group: wire.Group(item.Instance)}, due.Sub(out.Now))
}

// timed sends what is due later, and was so long ahead when it was asked for: through
// the delay queue up to the border, where a minute's error would matter, and otherwise
// through the timer service, which refuses what is due too soon.
func (out *Outbox) timed(s timer.Schedule, wait time.Duration) {
	if rest := s.Due.Sub(out.Now); out.timedByQueue(rest) || out.timedByQueue(wait) {
		out.queue(toDelay, queue.Outgoing{Body: s.Body, Delay: edge.QueueDelay(rest)})
		return
	}
	out.put(parcel{route: toSchedule, schedule: s})
}

// timedByQueue reports whether a timer with that long to go goes through the
// delay queue and has no schedule.
func (out *Outbox) timedByQueue(rest time.Duration) bool {
	return rest <= out.Settings.TimerBorder || rest < out.Settings.TimerLeast || !out.with.timer
}

// child starts one, as a fork of its origin, if it has any.
func (out *Outbox) child(c *Commit, e *history.Event, conflict wire.Conflict, origin *history.Origin) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: c.id("child", e.EventID),
		Parent: out.parentOf(c, e.EventID), OnConflict: conflict, Headers: out.startHeaders(c, e), FairnessGroup: c.Start.FairnessGroup, Origin: origin,
		LimitKey: e.LimitKey, Limit: e.Limit}
	if err := out.Send(&item); err != nil {
		out.unsendable(c, e, wire.SubOrchFailed, err)
		return
	}
	out.ifRejected(func(out *Outbox, err error) { out.unsendable(c, e, wire.SubOrchFailed, err) })
	out.note("child", e.EventID, e.Instance)
}

// detached starts an orchestration without a parent. If no message can hold the
// start, it becomes a dead letter with the reason.
func (out *Outbox) detached(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: c.id("detached", e.EventID),
		Headers: out.startHeaders(c, e), FairnessGroup: c.Start.FairnessGroup, LimitKey: e.LimitKey, Limit: e.Limit}
	out.sendOrRefuse(c, e.EventID, &item, "detached", fmt.Sprintf("detached orchestration %q not started", e.Instance))
}

// message sends what an orchestration has for another instance. Like a detached
// start it has no completion: it is sent each time that its commit is dispatched,
// with the id that its event gives it.
func (out *Outbox) message(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Instance: e.Instance, Headers: out.headers(c, nil)}
	switch e.Op {
	case history.OpRaiseEvent:
		item.Kind, item.Name, item.Data, item.Codec, item.ID = wire.ExternalRaised, e.Name, e.Payload, e.Codec, c.id("event", e.EventID)
	case history.OpCancelInstance:
		item.Kind, item.Reason, item.ID = wire.CancelInstance, e.Reason, c.id("cancel-instance", e.EventID)
		if e.Imposed == history.ImposedTerminated {
			item.Kind = wire.TerminateInstance
		}
	case history.OpResumeInstance:
		item.Kind, item.Reason, item.ID = wire.ResumeInstance, e.Reason, c.id("admit", e.EventID)
		var place gating.Place
		if json.Unmarshal(e.Payload, &place) != nil {
			return // Nobody but the gate writes it.
		}
		if item.ExecutionID = place.ExecutionID; e.Imposed == history.ImposedTerminated {
			item.Kind = wire.TerminateInstance
		} else {
			item.SchedulingEventID = place.EventID
		}
	default:
		return
	}
	out.sendOrRefuse(c, e.EventID, &item, string(item.Kind), fmt.Sprintf("%s for instance %q not sent", item.Kind, e.Instance))
}

// cancel stops or removes what an earlier turn sent out.
func (out *Outbox) cancel(c *Commit, eventID int64, w Open) {
	reason, terminated := cancelReason(c.Events)
	if own := c.Reasons[eventID]; own != "" && !terminated {
		reason = own // which the code gave for this one, or for its scope
	}
	switch w.Kind {
	case history.ActivityScheduled:
		out.put(parcel{route: toStop, stop: stop{store.ActivityKey{Instance: c.Instance, ExecutionID: c.ExecutionID, EventID: eventID}, reason}})
		out.note("stop", eventID, "")
	case history.TimerCreated:
		if out.timedByQueue(c.waitOf(w.Wait)) {
			// Its message comes all the same, and is then without effect.
			return
		}
		out.put(parcel{route: toRemoval, schedule: timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, eventID)}})
		out.note("remove timer", eventID, "")
	case history.SubOrchestrationScheduled:
		// The parent goes with it: an instance that only has the id which the
		// child should have had is not its child, and is left alone.
		item := wire.Item{V: wire.Version, Kind: wire.CancelInstance, Instance: w.Child, Reason: reason,
			ID: c.id("cancel", eventID), Parent: out.parentOf(c, eventID), Origin: since(c, eventID)}
		kind := "cancel child"
		if end := c.Events[len(c.Events)-1].Kind; end.Terminal() && !terminated {
			terminated = w.OnParentEnd == history.ParentEndTerminate
			if item.Reason == "" {
				item.Reason = fmt.Sprintf("its parent %q has ended", c.Instance)
			}
		}
		if terminated {
			item.Kind, kind = wire.TerminateInstance, "terminate child"
		}
		out.sendOrRefuse(c, eventID, &item, kind, fmt.Sprintf("child %q not stopped", w.Child))
	}
}

// since is the first execution that had the start of a child in its history, where a redrive took it
// over from there; nil where this one has started it. What ends the child says so, because
// the child may have been started by that one. A fork's begin with the fork. It names the event
// as well if no start attaches this execution to the child, which need not wait for that then.
func since(c *Commit, eventID int64) *history.Origin {
	o := c.Start.Origin
	if o == nil || eventID > o.EventID {
		return nil
	}
	first := o.FirstExecutionID
	if o.FirstInstance != "" {
		first = o.ForkedExecutionID
	}
	if c.First() == 1 || c.Held != nil {
		return &history.Origin{ExecutionID: first, EventID: eventID}
	}
	return &history.Origin{ExecutionID: first}
}

// Parent tells a parent of the end of an instance. Its token is made anew, because
// it does not stand in the child's history, unless the parent made it from its own
// secret.
func (out *Outbox) Parent(p *history.Parent, instance, name string, end *history.Event, headers map[string]string) {
	item := wire.Item{V: wire.Version, Kind: wire.SubOrchCompleted, ParentInstance: p.Instance, ParentExecutionID: p.ExecutionID,
		SourceEventID: p.EventID, Token: p.Token, Headers: headers}
	if item.Token == "" {
		item.Token = out.Keys.Token(p.Instance, p.ExecutionID, p.EventID)
	}
	f := end.Failure
	if end.Kind == history.OrchestrationCompleted {
		fails := func(out *Outbox, err error) {
			item.Result, item.Codec = nil, ""
			out.fail(&item, wire.SubOrchFailed, edge.Unsendable(err, "output of orchestration "+strconv.Quote(name)), instance, name)
		}
		item.Result, item.Codec = end.Payload, end.Codec
		switch err := out.Send(&item); {
		case err == nil:
			out.ifRejected(fails)
		case edge.NotSealed(err):
			out.failed(err)
			return
		default:
			fails(out, err)
		}
		out.note("parent", p.EventID, p.Instance)
		return
	}
	out.fail(&item, wire.SubOrchFailed, f, instance, name)
	out.note("parent", p.EventID, p.Instance)
}

// unsendable fails an operation whose message is too large to be sent, in
// place of its receiver.
func (out *Outbox) unsendable(c *Commit, e *history.Event, kind wire.Kind, err error) {
	if edge.NotSealed(err) {
		out.failed(err)
		return
	}
	item := wire.Item{V: wire.Version, SourceEventID: e.EventID, Token: out.token(c, e.EventID)}
	if kind == wire.SubOrchFailed {
		item.ParentInstance, item.ParentExecutionID = c.Instance, c.ExecutionID
	} else {
		item.Instance, item.ExecutionID = c.Instance, c.ExecutionID
	}
	out.fail(&item, kind, edge.Unsendable(err, "input of "+strconv.Quote(e.Name)), e.Instance, e.Name)
	out.note("failure", e.EventID, e.Name)
}

// fail makes of an item a failure, and sends it. It says instance and source where
// the failure does not.
func (out *Outbox) fail(item *wire.Item, kind wire.Kind, failure *history.Failure, instance, source string) {
	f := history.Failure{}
	if failure != nil {
		f = *failure
	}
	if f.Instance == "" {
		f.Instance = instance
	}
	if f.Source == "" {
		f.Source = source
	}
	item.Kind, item.Details = kind, out.Edge.Failure(&f)
	if err := out.Send(item); err != nil {
		out.failed(fmt.Errorf("failure of event %d for instance %q: %w", item.SourceEventID, item.Target(), err))
		return
	}
	if f.Details != nil || f.Stack != "" || len(f.Message) > maxReason {
		out.ifRejected(func(out *Outbox, err error) { out.fail(item, kind, edge.Shortened(err, &f), instance, source) })
	}
}

// onConflict is the policy of a child's start.
func onConflict(e *history.Event) wire.Conflict {
	if e.UseExisting {
		return wire.ConflictUseExisting
	}
	return wire.ConflictRefuse
}

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
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// activity sends the first attempt of an activity, whose time limits count from sinceMS.
func (out *Outbox) activity(c *Commit, e *history.Event, sinceMS int64) {
	item := wire.Item{V: wire.Version, Kind: wire.ActivityExecute, Instance: c.Instance, ExecutionID: c.ExecutionID,
		Name: e.Name, Input: e.Payload, Codec: e.Codec, SchedulingEventID: e.EventID, Token: out.token(c, e.EventID, e.AtMS),
		Attempt: 1, ScheduledAtMS: sinceMS, Retry: e.Retry, Headers: c.startHeaders(out.Propagate, e), Origin: KeyOf(c.Start, e.EventID), Depth: out.Chain.Deepest()}
	body, err := out.encode(&item)
	if err != nil {
		out.unsendable(c, e, wire.ActivityFailed, err)
		return
	}
	out.put(outgoing{route: toActivity, queue: edge.QueueOf(e.Retry), msg: queue.Outgoing{Body: body, Group: edge.FairGroup(e.Retry)}})
	out.ifRejected(func(out *Outbox, err error) { out.unsendable(c, e, wire.ActivityFailed, err) })
	out.note("activity", e.EventID, e.Name)
}

// timer sends a timer. A timer whose recorded wait is short enough for the delay queue always uses
// that queue, even if another process with a different clock resends it, because a schedule for the
// timer would never be removed.
func (out *Outbox) timer(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.TimerFired, Instance: c.Instance, ExecutionID: c.ExecutionID,
		SourceEventID: e.EventID, Token: out.token(c, e.EventID, e.AtMS), FireAtMS: e.FireAtMS, Headers: c.headers(out.Propagate, nil)}
	due := time.UnixMilli(e.FireAtMS)
	if !due.After(out.Now) {
		// Such a timer does not count as a pause, because its firing is like a message that the
		// instance sends to itself.
		if err := out.Send(&item); err != nil {
			out.failed(fmt.Errorf("sending timer %d of instance %q execution %d: %w", e.EventID, c.Instance, c.ExecutionID, err))
		}
		out.reported.actions = append(out.reported.actions, host.Action{Kind: "timer", EventID: e.EventID, Due: due})
		return
	}
	body, err := out.encode(&item)
	if err != nil {
		out.failed(fmt.Errorf("sending timer %d of instance %q execution %d: %w", e.EventID, c.Instance, c.ExecutionID, err))
		return
	}
	out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID, e.AtMS), Due: due, Body: body, Group: wire.Group(c.Instance)}, c.waitOf(opened(e).Wait))
	out.reported.actions = append(out.reported.actions, host.Action{Kind: "timer", EventID: e.EventID, Due: due})
}

// timers maps a timer's event id to the timer that is sent at its position.
type timers map[int64]*history.Event

// inTime orders the timers among some events by due time, so that overdue timers fire in that
// order, for example after a redrive. The order depends only on the events, because a dispatch that
// was cut short continues after the last position that it reached.
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

// instead returns the event that is sent at the position of e: another timer, or e itself.
func (t timers) instead(e *history.Event) *history.Event {
	if other := t[e.EventID]; other != nil {
		return other
	}
	return e
}

// waitOf returns how long a timer counts as having waited. For a timer of a limit's coordinator it
// is zero, so that the timer uses the delay queue and the limit keeps working while the timer
// service is unavailable.
func (c *Commit) waitOf(wait time.Duration) time.Duration {
	if coordination.IsCoordinator(c.Instance) {
		return 0
	}
	return wait
}

// fired removes the schedule of a timer that was fired early, because the timer could be due years
// later. A timer in the delay queue still arrives, and is a duplicate.
func (out *Outbox) fired(c *Commit, e *history.Event) {
	if !firedEarly(e) || out.timedByQueue(c.waitOf(time.Duration(e.FireAtMS-e.AtMS)*time.Millisecond)) {
		return
	}
	created, ok := c.Opened[e.SourceEventID]
	if !ok {
		return // A redrive has copied the firing; this execution has created no schedule.
	}
	out.put(outgoing{route: toRemoval, schedule: timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.SourceEventID, created.AtMS)}})
	out.note("remove timer", e.SourceEventID, "")
}

// Limit sends the message about a pending activity to the orchestrator queue again, to arrive when
// one of the activity's time limits may be over. The name of its schedule also derives from the
// attempt and from that time, so that a message that is handled twice still creates one schedule.
func (out *Outbox) Limit(item wire.Item, due time.Time) {
	item.NotBeforeMS = due.UnixMilli()
	body, err := out.Edge.Again(&item)
	if err != nil {
		out.failed(fmt.Errorf("sending the time limit of activity %d of instance %q execution %d: %w", item.SourceEventID, item.Instance, item.ExecutionID, err))
		return
	}
	atMS, _ := keyring.EventTime(item.Token)
	name := timer.Name(item.Instance, item.ExecutionID, item.SourceEventID, atMS, int64(item.Attempt), item.NotBeforeMS)
	out.timed(timer.Schedule{Name: name, Due: due, Body: body, Group: wire.Group(item.Instance)}, due.Sub(out.Now))
}

// timed sends a message that is due later. wait is the time between the request and the due time.
// For waits up to Settings.TimerBorder it uses the delay queue, because for these an error of a
// minute would matter; for longer waits it uses the timer service, which refuses schedules that are
// due too soon.
func (out *Outbox) timed(s timer.Schedule, wait time.Duration) {
	if rest := s.Due.Sub(out.Now); out.timedByQueue(rest) || out.timedByQueue(wait) {
		out.queue(toDelay, queue.Outgoing{Body: s.Body, Delay: edge.QueueDelay(rest)})
		return
	}
	out.put(outgoing{route: toSchedule, schedule: s})
}

// timedByQueue reports whether a timer with this much time left uses the delay queue and has no
// schedule.
func (out *Outbox) timedByQueue(rest time.Duration) bool {
	return rest <= out.Settings.TimerBorder || rest < out.Settings.TimerLeast || !out.with.timer
}

// child starts a child, as a fork of origin if that is set.
func (out *Outbox) child(c *Commit, e *history.Event, conflict wire.Conflict, origin *history.Origin) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: c.id("child", e.EventID),
		Parent: parentOf(out.Keys, c.Instance, c.ExecutionID, e.EventID, e.AtMS), OnConflict: conflict, Headers: c.startHeaders(out.Propagate, e), FairnessGroup: c.Start.FairnessGroup, Origin: origin,
		LimitKey: e.LimitKey, Limit: e.Limit}
	if err := out.Send(&item); err != nil {
		out.unsendable(c, e, wire.SubOrchFailed, err)
		return
	}
	out.ifRejected(func(out *Outbox, err error) { out.unsendable(c, e, wire.SubOrchFailed, err) })
	out.note("child", e.EventID, e.Instance)
}

// detached starts an orchestration without a parent. If the start does not fit into a message, a
// dead letter with the reason is sent instead.
func (out *Outbox) detached(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: e.Instance, Name: e.Name, OrchVersion: e.Version,
		Input: e.Payload, Codec: e.Codec, ID: c.id("detached", e.EventID),
		Headers: c.startHeaders(out.Propagate, e), FairnessGroup: c.Start.FairnessGroup, LimitKey: e.LimitKey, Limit: e.Limit}
	out.sendOrRefuse(c, e.EventID, &item, "detached", fmt.Sprintf("could not start detached orchestration %q", e.Instance))
}

// message sends an orchestration's message to another instance. Like a detached start it has no
// completion, so it is sent each time that its commit is dispatched, with the id that derives from
// its event.
func (out *Outbox) message(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Instance: e.Instance, Headers: c.headers(out.Propagate, nil)}
	switch e.Op {
	case history.OpRaiseEvent:
		item.Kind, item.Name, item.Data, item.Codec, item.ID = wire.ExternalRaised, e.Name, e.Payload, e.Codec, c.id("event", e.EventID)
		if e.SenderID != "" {
			item.ID, item.ReplyTo = e.SenderID, c.Instance // It is an update.
		}
	case history.OpCancelInstance:
		item.Kind, item.Reason, item.ID = wire.CancelInstance, e.Reason, c.id("cancel-instance", e.EventID)
		if e.Forced == history.ForcedByOperator {
			item.Kind = wire.TerminateInstance
		}
	case history.OpResumeInstance:
		item.Kind, item.Reason, item.ID = wire.ResumeInstance, e.Reason, c.id("admit", e.EventID)
		var place coordination.Request
		if json.Unmarshal(e.Payload, &place) != nil {
			return // Only the limit's coordinator writes it.
		}
		if item.ExecutionID = place.ExecutionID; e.Forced == history.ForcedByOperator {
			item.Kind = wire.TerminateInstance
		} else {
			item.SchedulingEventID = place.EventID
		}
	default:
		return
	}
	out.sendOrRefuse(c, e.EventID, &item, string(item.Kind), fmt.Sprintf("could not send %s for instance %q", item.Kind, e.Instance))
}

// cancel stops or removes an operation that an earlier turn sent. by is the execution that sent it.
func (out *Outbox) cancel(c *Commit, eventID int64, w Open, by int64) {
	reason, terminated := cancelReason(c.Events)
	if own := c.Reasons[eventID]; own != "" && !terminated {
		reason = own // the reason that the code gave for this operation, or for its scope
	}
	switch w.Kind {
	case history.ActivityScheduled:
		out.put(outgoing{route: toStop, stop: stop{store.ActivityKey{Instance: c.Instance, ExecutionID: c.ExecutionID, EventID: eventID}, reason}})
		out.note("stop", eventID, "")
	case history.TimerCreated:
		if out.timedByQueue(c.waitOf(w.Wait)) {
			// The timer's message still arrives, and then has no effect.
			return
		}
		out.put(outgoing{route: toRemoval, schedule: timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, eventID, w.AtMS)}})
		out.note("remove timer", eventID, "")
	case history.SubOrchestrationScheduled:
		// The message names the parent, so that an instance with the same id that is not this
		// parent's child is not affected.
		item := wire.Item{V: wire.Version, Kind: wire.CancelInstance, Instance: w.Child, Reason: reason,
			ID: c.id("cancel", eventID), Parent: parentOf(out.Keys, c.Instance, by, eventID, w.AtMS), Origin: since(c, eventID)}
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
		out.sendOrRefuse(c, eventID, &item, kind, fmt.Sprintf("could not stop child %q", w.Child))
	}
}

// since returns the first execution whose history has the start of a child, if a redrive copied it
// from there, and nil if this execution has started the child. A message that ends the child names
// that execution, because that execution may have started it. For a fork it is the first execution
// of the fork.
func since(c *Commit, eventID int64) *history.Origin {
	o := c.Start.Origin
	if o == nil || eventID > o.EventID {
		return nil
	}
	first := o.FirstExecutionID
	if o.FirstInstance != "" {
		first = o.ForkedExecutionID
	}
	return &history.Origin{ExecutionID: first}
}

// Parent notifies a parent of the end of an instance. It computes the parent's token again, unless
// the child's history has a token that the parent made from its own secret.
func (out *Outbox) Parent(p *history.Parent, instance, name string, end *history.Event, headers map[string]string) {
	item := wire.Item{V: wire.Version, Kind: wire.SubOrchCompleted, ParentInstance: p.Instance, ParentExecutionID: p.ExecutionID,
		SourceEventID: p.EventID, Token: p.Token, Headers: headers}
	if item.Token == "" {
		item.Token = out.Keys.Token(p.Instance, p.ExecutionID, p.EventID, p.AtMS)
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
		case edge.NotEncoded(err):
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

// unsendable sends the failure of an operation whose message cannot be sent, on behalf of the
// receiver.
func (out *Outbox) unsendable(c *Commit, e *history.Event, kind wire.Kind, err error) {
	if edge.NotEncoded(err) {
		out.failed(err)
		return
	}
	item := wire.Item{V: wire.Version, SourceEventID: e.EventID, Token: out.token(c, e.EventID, e.AtMS)}
	if kind == wire.SubOrchFailed {
		item.ParentInstance, item.ParentExecutionID = c.Instance, c.ExecutionID
	} else {
		item.Instance, item.ExecutionID = c.Instance, c.ExecutionID
	}
	out.fail(&item, kind, edge.Unsendable(err, "input of "+strconv.Quote(e.Name)), e.Instance, e.Name)
	out.note("failure", e.EventID, e.Name)
}

// fail turns an item into a failure and sends it. It sets the instance and the source if the
// failure does not have them.
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
		out.failed(fmt.Errorf("sending the failure of event %d to instance %q: %w", item.SourceEventID, item.Target(), err))
		return
	}
	if f.Details != nil || f.Stack != "" || len(f.Message) > maxReason {
		out.ifRejected(func(out *Outbox, err error) { out.fail(item, kind, edge.Shortened(err, &f), instance, source) })
	}
}

// onConflict returns the conflict policy of a child's start.
func onConflict(e *history.Event) wire.Conflict {
	if e.UseExisting {
		return wire.ConflictUseExisting
	}
	return wire.ConflictRefuse
}

package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// absent settles messages for an instance that does not exist, was purged, or has ended and has
// nothing to send again, and other messages that have no effect on the execution.
type absent struct{ *Known }

func (a absent) decide() (Plan, error) {
	if a.Running.X != nil {
		return Plan{}, nil
	}
	return a.settle()
}

// settle settles the next message.
func (a absent) settle() (Plan, error) {
	open := a.Group.Open()
	if len(open) == 0 {
		return Plan{Over: true}, nil
	}
	m, r := open[0], a.View.Record
	switch {
	case m.Item.Kind == wire.PurgeInstance:
		return purging{a.Known}.purge(m)
	case m.Item.Kind == wire.StartOrchestration:
		if forking(r) && m.Item.OnConflict.UsesExisting() {
			if p := a.requeue(m); !p.empty() {
				return p, nil
			}
		}
		if p, err := (starting{a.Known}).restart(m); err != nil || !p.empty() {
			return p, err
		}
		return starting{a.Known}.exists(m)
	case forking(r):
		return a.whileForking(m), nil
	case r != nil && !r.Purged:
		return a.afterEnd(m), nil
	case a.held():
		return a.afterPurge(m), nil
	}
	return a.early(m), nil
}

// afterEnd settles a message for an ended instance. It acknowledges the message unless the message
// names an execution that never existed, or ends a child whose parent may redrive it.
func (a absent) afterEnd(m *inbox.Message) Plan {
	if p := a.redriveMayFollow(m, a.View.Record.Parent); !p.empty() {
		return p
	}
	// A valid token of an execution that never existed belongs to a history that a restore has lost.
	if m.Completion() && m.Item.TargetExecution() > a.View.Record.ExecutionID && !m.Proven {
		return deadLetter(m, wire.ReasonMisaddressed, fmt.Sprintf(
			"it is for execution %d of instance %q, which ended with execution %d", m.Item.TargetExecution(), a.View.Instance, a.View.Record.ExecutionID))
	}
	return unrecorded(m, settle(m, "late"), "the instance has ended")
}

// redriveMayFollow handles a message that ends the child of a redriven parent. Because the
// message can overtake the start that redrives the child, it is requeued for as long as that
// start may take. Until the start arrives, the recorded parent of the ended child is an earlier
// execution. The plan is empty for any other message.
func (a absent) redriveMayFollow(m *inbox.Message, own *history.Parent) Plan {
	if !m.EndsChild() || own == nil || own.Instance != m.Item.Parent.Instance || own.ExecutionID >= m.Item.Parent.ExecutionID {
		return Plan{}
	}
	return a.requeue(m)
}

// requeue requeues a message that is early. The plan is empty if its window has expired.
func (a absent) requeue(m *inbox.Message) Plan {
	window := a.By.Settings.Messages.EarlyWindow
	if since, _ := m.RequeuedSince(a.Now.At); a.Now.At.Sub(since) >= window {
		return Plan{}
	}
	return settlement(Settlement{Message: m, Outcome: "early", Requeue: &Requeue{Within: window}})
}

// ofAnotherParent settles a request to end a child that comes from a parent other than the
// instance's own. If the child runs and was started by an execution that the other parent has
// redriven, the request waits for the start that attaches the redriven execution to the child.
func (a absent) ofAnotherParent(m *inbox.Message) (p Plan) {
	if x := a.Running.X; x != nil && x.Ended() {
		p = a.redriveMayFollow(m, a.Running.Started().Start.Parent)
	}
	if own := a.ownParent(); p.empty() && own != nil && tookOver(own, m) {
		p = a.requeue(m)
	}
	if p.empty() {
		return settle(m, "misaddressed")
	}
	return p
}

// whileForking settles a message for a fork that has not started, other than a start or a purge.
func (a absent) whileForking(m *inbox.Message) Plan {
	if m.Item.Kind == wire.TerminateInstance && !m.EndsChild() {
		p := purging{a.Known}.frees(a.Now.At.Add(IDHeld))
		p.add(settleReporting(m, "terminated", info("terminated a fork that had not started", "instance", a.View.Instance, "actor", m.Item.Actor)))
		return p
	}
	return a.early(m)
}

// afterPurge settles a message for a purged instance. No instance can start under the id before the
// id can be reused, and by then messages to the purged instance are too old to be applied.
func (a absent) afterPurge(m *inbox.Message) Plan {
	switch {
	case m.EndsChild():
		return a.forbidStart(m)
	case m.Item.Kind == wire.ExternalRaised:
		p := settleReporting(m, "purged_instance", info("event without effect: the instance was purged", "instance", a.View.Instance, "event", m.Item.Name, "id", m.Item.ID))
		return unrecorded(m, p, "the instance was purged")
	}
	return settle(m, "purged_instance")
}

// early handles a message for an instance that has not started. An event is requeued through the
// delay queue with a growing delay, so that it blocks neither other groups nor its own group, in
// which the start may be next. If no start arrives within the window, the event becomes a dead
// letter; a redrive opens a new window.
//
// A parent's request to end its child is requeued too, because the request can overtake the child's
// start, which may be sent again after the parent has continued. After the window the start is
// forbidden. Every other message is acknowledged, with a log line: a client's cancel that overtakes
// its start is lost.
func (a absent) early(m *inbox.Message) Plan {
	endsChild := m.EndsChild()
	if m.Item.Kind != wire.ExternalRaised && !endsChild {
		return settleReporting(m, "unknown_instance", warning("message without effect: the instance does not exist", "kind", m.Item.Kind, "instance", a.View.Instance, "id", m.Item.ID))
	}
	switch p := a.requeue(m); {
	case !p.empty():
		return p
	case endsChild:
		return a.forbidStart(m)
	case updates(m) && m.Item.ReplyTo != "":
		return unrecorded(m, settle(m, "unknown_instance"), fmt.Sprintf("the instance was not started within %s", a.By.Settings.Messages.EarlyWindow))
	}
	return deadLetter(m, wire.ReasonUnknownInstance, fmt.Sprintf(
		"event %q for instance %q, which was not started within %s; redrive it after the start", m.Item.Name, a.View.Instance, a.By.Settings.Messages.EarlyWindow))
}

// forbidStart ensures that a child's start is refused if it arrives late, for example when it is
// redriven from a dead-letter queue days later. The parent has closed the child, so no other
// message would end it. A tombstone without FreeAt refuses only this start; others may use the id.
// If a purged instance already reserves the id, the id is reserved for longer: until the start,
// which was sent earlier, is too old to be applied.
func (a absent) forbidStart(m *inbox.Message) Plan {
	if a.held() {
		p := settle(m, "purged_instance")
		p.Record = purging{a.Known}.hide()
		return p
	}
	if forking(a.View.Record) {
		p := purging{a.Known}.frees(a.Now.At.Add(IDHeld))
		p.add(settle(m, "unknown_instance"))
		return p
	}
	of, now := m.Item.Parent, a.Now.At
	tombstone := &store.Record{Instance: a.View.Instance, ExecutionID: 1, Purged: true, StartID: dispatch.ChildID(of.Instance, of.ExecutionID, of.EventID)}
	change := &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: tombstone, UpdatedAt: now}
	if r := a.View.Record; r != nil {
		tombstone.ExecutionID, tombstone.Reserved = r.ExecutionID, r.Reserved
		change.If.ExecutionID, change.If.At = r.ExecutionID, now
	}
	p := settle(m, "unknown_instance")
	p.Record = &Write{Change: change, Failed: "could not forbid the start of instance %q"}
	return p
}

// refuse turns a misaddressed or forged message into a dead letter.
func (a absent) refuse(m *inbox.Message, v engine.Verdict) Plan {
	reason := wire.ReasonMisaddressed
	if v.Kind == engine.Forged {
		reason = wire.ReasonForged
	}
	return deadLetter(m, reason, fmt.Sprintf("%s for instance %q execution %d: %s", m.Item.Kind, a.View.Instance, m.Item.TargetExecution(), v.Reason))
}

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

// withoutExecution settles messages for an instance that does not exist, was purged, or has ended
// and has nothing to send again.
func (t *Turn) withoutExecution(p *Plan) error {
	if t.Running.X != nil {
		return nil
	}
	return t.settleWithout(p)
}

func (t *Turn) settleWithout(p *Plan) error {
	open := t.open()
	if len(open) == 0 {
		p.Over = true
		return nil
	}
	switch m, r := open[0], t.View.Record; {
	case m.Item.Kind == wire.PurgeInstance:
		return t.purge(p, m)
	case m.Item.Kind == wire.StartOrchestration && forking(r) && m.Item.OnConflict.UsesExisting() && t.requeues(p, m):
	case m.Item.Kind == wire.StartOrchestration:
		if starts, err := t.restart(p, m); starts || err != nil {
			return err
		}
		return t.exists(p, m)
	case forking(r):
		t.whileForking(p, m)
	case r != nil && !r.Purged:
		t.afterEnd(p, m)
	case t.held():
		t.afterPurge(p, m)
	default:
		t.early(p, m)
	}
	return nil
}

// afterEnd settles a message for an ended instance. It acknowledges the message unless the message
// names an execution that never existed, or ends a child that its parent redrives.
func (t *Turn) afterEnd(p *Plan, m *inbox.Message) {
	if t.redriveMayFollow(p, m, t.View.Record.Parent) {
		return
	}
	// A valid token of an execution that never existed belongs to a history that a restore has lost.
	if m.Completion() && m.Item.TargetExecution() > t.View.Record.ExecutionID && !m.Proven {
		p.deadLetter(m, wire.ReasonMisaddressed, fmt.Sprintf(
			"it is for execution %d of instance %q, which ended with execution %d", m.Item.TargetExecution(), t.View.Instance, t.View.Record.ExecutionID))
		return
	}
	p.settle(m, "late")
}

// redriveMayFollow handles a message that ends the child of a redriven parent. Because the
// message can overtake the start that redrives the child, it is requeued for as long as that
// start may take. Until the start arrives, the recorded parent of the ended child is an earlier
// execution.
func (t *Turn) redriveMayFollow(p *Plan, m *inbox.Message, own *history.Parent) bool {
	if !m.EndsChild() || own == nil || own.Instance != m.Item.Parent.Instance || own.ExecutionID >= m.Item.Parent.ExecutionID {
		return false
	}
	return t.requeues(p, m)
}

// requeues requeues a message that is early, unless its window has expired.
func (t *Turn) requeues(p *Plan, m *inbox.Message) bool {
	window := t.By.Settings.Messages.EarlyWindow
	if since, _ := m.RequeuedSince(t.Now.At); t.Now.At.Sub(since) >= window {
		return false
	}
	p.Settled = append(p.Settled, Settlement{Message: m, Outcome: "early", Requeue: &Requeue{Within: window}})
	return true
}

// ofAnotherParent settles another parent's request to end its child. If the child runs and was
// started by an execution that the other parent has redriven, the request waits for the start that
// attaches the redriven execution to the child.
func (t *Turn) ofAnotherParent(p *Plan, m *inbox.Message) {
	own := t.ownParent()
	if x := t.Running.X; x != nil && x.Ended() && t.redriveMayFollow(p, m, t.Running.Started().Start.Parent) {
		return
	}
	if own == nil || !tookOver(own, m) || !t.requeues(p, m) {
		p.settle(m, "misaddressed")
	}
}

// afterPurge settles a message for a purged instance. No instance can start under the id before it
// is free, and by then the messages that were sent to it are too old to be applied.
func (t *Turn) afterPurge(p *Plan, m *inbox.Message) {
	switch {
	case m.EndsChild():
		t.forbidStart(p, m)
	case m.Item.Kind == wire.ExternalRaised:
		p.settleReporting(m, "purged_instance", info("event without effect: the instance was purged", "instance", t.View.Instance, "event", m.Item.Name, "id", m.Item.ID))
	default:
		p.settle(m, "purged_instance")
	}
}

// early handles a message for an instance that has not started. An event is requeued through the
// delay queue with a growing delay, so that it does not block other groups or its own, in which the
// start may be next. If no start arrives within the window, the event becomes a dead letter; a
// redrive opens a new window.
//
// A parent's request to end its child is requeued too, because it can overtake the child's start,
// which may be sent again after the parent has continued. After the window the start is forbidden.
// Every other message is acknowledged, with a log line: a client's cancel that overtakes its start
// is lost.
func (t *Turn) early(p *Plan, m *inbox.Message) {
	endsChild := m.EndsChild()
	if m.Item.Kind != wire.ExternalRaised && !endsChild {
		p.settleReporting(m, "unknown_instance", warning("message without effect: the instance does not exist", "kind", m.Item.Kind, "instance", t.View.Instance, "id", m.Item.ID))
		return
	}
	window := t.By.Settings.Messages.EarlyWindow
	switch since, _ := m.RequeuedSince(t.Now.At); {
	case t.Now.At.Sub(since) < window:
		p.Settled = append(p.Settled, Settlement{Message: m, Outcome: "early", Requeue: &Requeue{Within: window}})
	case endsChild:
		t.forbidStart(p, m)
	default:
		p.deadLetter(m, wire.ReasonUnknownInstance, fmt.Sprintf(
			"event %q for instance %q, which was not started within %s; redrive it after the start", m.Item.Name, t.View.Instance, window))
	}
}

// forbidStart ensures that a child's start is refused if it arrives late, for example when it is
// redriven from a dead-letter queue days later. The parent has closed the child, so no other
// message would end it. A tombstone without FreeAt refuses only this start; others may use the id.
// If a purged instance already reserves the id, it is reserved for longer: until the start, which
// was sent before, is too old to be applied.
func (t *Turn) forbidStart(p *Plan, m *inbox.Message) {
	if t.held() {
		p.Record = t.hide()
		p.settle(m, "purged_instance")
		return
	}
	of, now := m.Item.Parent, t.Now.At
	tombstone := &store.Record{Instance: t.View.Instance, ExecutionID: 1, Purged: true, StartID: dispatch.ChildID(of.Instance, of.ExecutionID, of.EventID)}
	change := &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: tombstone, UpdatedAt: now}
	if r := t.View.Record; forking(r) {
		p.Send.Deletion, p.Record = t.frees(t.Now.At.Add(IDHeld))
		p.settle(m, "unknown_instance")
		return
	} else if r != nil {
		tombstone.ExecutionID, tombstone.Reserved = r.ExecutionID, r.Reserved
		change.If.ExecutionID, change.If.At = r.ExecutionID, now
	}
	p.Record = &Write{Change: change, Failed: "start of instance %q not forbidden"}
	p.settle(m, "unknown_instance")
}

// refuse makes a dead letter of a message that is misaddressed or forged.
func (t *Turn) refuse(p *Plan, m *inbox.Message, v engine.Verdict) {
	reason, missing := wire.ReasonMisaddressed, ""
	if v.Kind == engine.Forged {
		reason, missing = wire.ReasonForged, inbox.MissingKey(t.By.Keys, m.Item.Token)
	}
	p.deadLetter(m, reason, fmt.Sprintf("%s for instance %q execution %d: %s%s",
		m.Item.Kind, t.View.Instance, m.Item.TargetExecution(), v.Reason, missing))
}

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

// withoutExecution settles messages for an instance that is not there, was
// purged, or has ended and has nothing to be sent again.
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
	case m.Item.Kind == wire.StartOrchestration:
		if begins, err := t.beginAgain(p, m); begins || err != nil {
			return err
		}
		return t.exists(p, m)
	case r != nil && !r.Purged:
		t.afterEnd(p, m)
	case t.held():
		t.afterPurge(p, m)
	default:
		t.early(p, m)
	}
	return nil
}

// afterEnd: anything for a finished instance is acknowledged, unless it names
// an execution that never was, or ends a child that its parent redrives.
func (t *Turn) afterEnd(p *Plan, m *inbox.Message) {
	if t.redriveMayFollow(p, m, t.View.Record.Parent) {
		return
	}
	if m.Completion() && m.Item.TargetExecution() > t.View.Record.ExecutionID {
		p.deadLetter(m, wire.ReasonMisaddressed, fmt.Sprintf(
			"it is for execution %d of instance %q, which ended with execution %d", m.Item.TargetExecution(), t.View.Instance, t.View.Record.ExecutionID))
		return
	}
	p.settle(m, "late")
}

// redriveMayFollow lets what ends the child of a redriven parent go round for as long as
// the start that redrives the child may take, because it can overtake that start. Until that
// has come, the parent of the child that has ended is an earlier execution.
func (t *Turn) redriveMayFollow(p *Plan, m *inbox.Message, own *history.Parent) bool {
	if !m.EndsChild() || waitsForNothing(m) || own == nil || own.Instance != m.Item.Parent.Instance || own.ExecutionID >= m.Item.Parent.ExecutionID {
		return false
	}
	return t.goesRound(p, m)
}

// goesRound has a message that is early wait, unless the window for that is over.
func (t *Turn) goesRound(p *Plan, m *inbox.Message) bool {
	window := t.By.Settings.Messages.EarlyWindow
	if since, _ := m.RoundSince(t.Now.At); t.Now.At.Sub(since) >= window {
		return false
	}
	p.Settled = append(p.Settled, Settlement{Message: m, Outcome: "early", Round: &Round{Within: window}})
	return true
}

// ofAnotherParent settles what another parent sends to end its child. A child that runs, and was
// started by an execution that this one goes on from, waits for the start by which this one
// attaches itself to it.
func (t *Turn) ofAnotherParent(p *Plan, m *inbox.Message) {
	own := t.ownParent()
	if x := t.Running.X; x != nil && x.Ended() && t.redriveMayFollow(p, m, t.Running.Started().Start.Parent) {
		return
	}
	if own == nil || !tookOver(own, m) || !t.goesRound(p, m) {
		p.settle(m, "misaddressed")
	}
}

// afterPurge settles what comes for a purged instance. Nothing begins under its id
// before it is free, and by then what was sent to it is too old to be applied.
func (t *Turn) afterPurge(p *Plan, m *inbox.Message) {
	switch {
	case m.EndsChild():
		t.forbidStart(p, m)
	case m.Item.Kind == wire.ExternalRaised:
		p.settleSaying(m, "purged_instance", info("event without effect: the instance was purged", "instance", t.View.Instance, "event", m.Item.Name, "id", m.Item.ID))
	default:
		p.settle(m, "purged_instance")
	}
}

// early deals with what comes for an instance that has not started. An event goes
// round the delay queue with growing delay, so that it holds up neither its
// group, in which the start may be next, nor others. If no start comes within
// the window it is a dead letter; a redrive begins a new window.
//
// What a parent sends to end its child goes the same way, because it can overtake the child's
// start, which may come back to be sent when the parent has gone on. After the window the start
// is forbidden. Every other message is acknowledged, with a line in the log: a client's cancel
// that overtakes its start is lost.
func (t *Turn) early(p *Plan, m *inbox.Message) {
	endsChild := m.EndsChild()
	if m.Item.Kind != wire.ExternalRaised && !endsChild {
		p.settleSaying(m, "unknown_instance", warning("message without effect: there is no such instance", "kind", m.Item.Kind, "instance", t.View.Instance, "id", m.Item.ID))
		return
	}
	window := t.By.Settings.Messages.EarlyWindow
	switch since, _ := m.RoundSince(t.Now.At); {
	case t.Now.At.Sub(since) < window:
		p.Settled = append(p.Settled, Settlement{Message: m, Outcome: "early", Round: &Round{Within: window}})
	case endsChild:
		t.forbidStart(p, m)
	default:
		p.deadLetter(m, wire.ReasonUnknownInstance, fmt.Sprintf(
			"event %q for instance %q, which was not started within %s; redrive it after the start", m.Item.Name, t.View.Instance, window))
	}
}

// forbidStart has a child's start refused if it comes after all: because nothing
// was received for as long as the window, or because it is redriven from the dead
// letters days later. The parent has closed the child, and no other message would
// end it. A tombstone without FreeAt refuses this start alone; others may use the
// id. Where a purged instance holds the id already, it is held for longer: until
// the start, which was sent before, is too old to be applied.
func (t *Turn) forbidStart(p *Plan, m *inbox.Message) {
	if t.held() {
		p.Record = t.hide()
		p.settle(m, "purged_instance")
		return
	}
	of, now := m.Item.Parent, t.Now.At
	tombstone := &store.Record{Instance: t.View.Instance, ExecutionID: 1, Purged: true, StartID: dispatch.ChildID(of.Instance, of.ExecutionID, of.EventID)}
	change := &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: tombstone, UpdatedAt: now}
	if r := t.View.Record; r != nil {
		tombstone.ExecutionID = r.ExecutionID
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

package deciding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A redrive is a start with a conflict policy of its own: the next execution of an instance
// that has ended goes on where that one failed (engine/redrive.go). What it takes over is
// committed together with what the code does next, in one write, so that a process which
// dies leaves the instance as it was. In all other things it is like a start that begins an
// instance again.

// Redriven is how the execution that the redrive By begins goes on.
type Redriven struct {
	*redriving.Plan
	By *inbox.Message
	// Of is the record of the instance that it forks; nil for a redrive, and for the child of a
	// fork that begins from the beginning.
	Of *store.Record
}

// redrive has the instance go on by a start, or refuses that.
func (t *Turn) redrive(p *Plan, m *inbox.Message, r *store.Record) (bool, error) {
	if t.Running.X == nil {
		return false, ErrStale // The history is needed, and was not read.
	}
	var from int64
	if o := m.Item.Origin; o != nil {
		if o.ExecutionID != 0 && o.ExecutionID != r.ExecutionID {
			return false, nil // It has been begun again since.
		}
		from = o.EventID
	}
	if r.Status == store.StatusCompleted && from == 0 && m.Item.OnConflict.UsesExisting() {
		return false, nil // Its output is what the parent waits for.
	}
	if t.Group.TooLarge != nil {
		return true, t.refuseRedrive(p, m, wire.ReasonTooLarge, t.Group.TooLarge)
	}
	turns, err := t.View.Turns(t.Running.Execution)
	if err != nil {
		return false, err
	}
	request := redriving.Request{From: from, ExecutionID: r.ExecutionID + 1, StartID: m.Item.ID,
		Parent: recordedParent(m.Item.Parent), Actor: m.Item.Actor, Reason: m.Item.Reason, Cancelled: cancelledBy(turns)}
	request.LimitKey, request.Limit = t.limit(t.Running.Started())
	d, err := t.Running.X.Redrive(request)
	if refused, is := errors.AsType[*redriving.Error](err); is {
		return true, t.refuseRedrive(p, m, wire.ReasonRedriveRefused, refused)
	}
	p.Next = &Next{Again: r.ExecutionID + 1, By: m, Redriven: &Redriven{Plan: d, By: m}}
	return true, err
}

// landed is how long after it was sent a write may take effect, with a margin for clocks.
const landed = 6 * time.Minute

// refuseRedrive makes a dead letter of a start that would redrive or fork an instance. A parent
// is told that its child has failed, as it had before.
//
// An earlier delivery, or a twin, may have committed what this one refuses: another build ran
// it, and its process died. Nobody would send what that commit asks for. So it is looked, isolated
// from transactions, that there is no such commit; and as the write of an earlier delivery may land
// late, also where its queue has given it up since, its start first goes round for as long as a write
// may take.
func (t *Turn) refuseRedrive(p *Plan, m *inbox.Message, reason wire.Reason, why error) error {
	begins := t.Running.Execution
	if !t.Running.Creating {
		begins = t.View.Record.ExecutionID + 1
	}
	if err := t.ask(&Read{What: Behind, Execution: begins, Event: 1}); err != nil {
		return err
	}
	if m.ReceiveCount > 1 || m.FromDeadLetters() {
		p.Settled = append(p.Settled, Settlement{Message: m, Outcome: "redrive_refused", Round: &Round{Item: m.Item, Due: t.Now.At.Add(landed)}})
	} else if m.Item.Parent != nil {
		t.tellRefused(p, m, "redrive_refused", taken(history.FailureStuck, "instance %q failed before, and is not redriven: %v", t.View.Instance, why))
	} else if forks(m) {
		p.deadLetter(m, reason, fmt.Sprintf("fork of instance %q as %q refused, nothing was changed: %v", m.Item.Origin.Instance, t.View.Instance, why))
	} else {
		p.deadLetter(m, reason, fmt.Sprintf("redrive of instance %q refused, nothing was changed: %v", t.View.Instance, why))
	}
	if rest := t.passed.rest; len(rest) > 0 && rest[0] == m {
		t.passed.rest = rest[1:]
	}
	return nil
}

// disagrees refuses a redrive where the code could not be run through what was to be taken
// over. All that follows the redrive in its batch goes back. So it is where the instance fails
// in place of being stuck: it has failed already, and what that failure would close was not
// sent by this execution.
func (t *Turn) disagrees(p *Plan) (bool, error) {
	d := t.Running.Redriven
	if d == nil || len(d.Prefix) == 0 {
		return false, nil
	}
	out, err := t.outcome()
	why := cmp.Or(out.Stuck, out.Instead)
	if err != nil || why == nil || why.EventID > int64(len(d.Prefix)) {
		return false, err
	}
	if d.By.Item.Parent != nil && out.Stuck != nil {
		return false, nil // For its parent it goes on all the same, and is stuck until the code is fixed.
	}
	if err := t.refuseRedrive(p, d.By, wire.ReasonRedriveRefused, why); err != nil {
		return false, err
	}
	t.round, t.passed.rest = nil, nil
	return true, nil
}

// takesOver reports whether the next commit holds what a redrive takes over.
func (r *Running) takesOver() bool { return r.Redriven != nil && r.Creating }

// whole is the turn of a commit that holds what a redrive takes over, before the draft's.
func (r *Running) whole(d *draft) engine.Turn {
	all := d.Turn
	for _, id := range r.Redriven.Closed {
		if !slices.Contains(all.Cancelled, id) {
			all.Cancelled = append(all.Cancelled[:len(all.Cancelled):len(all.Cancelled)], id)
		}
	}
	all.Events = append(r.Redriven.Prefix[:len(r.Redriven.Prefix):len(r.Redriven.Prefix)], d.Events...)
	return all
}

// scheduled returns a scheduling event of the execution. One that a redrive took over was
// scheduled anew when that was.
func (t *Turn) scheduled(eventID int64) (*history.Event, error) {
	e, err := t.View.Event(t.Running.Execution, eventID)
	if o := t.Running.Started().Start.Origin; err == nil && o != nil && eventID <= o.EventID {
		anew := *e
		anew.AtMS = t.Running.X.RecordedAt(o.EventID + 1)
		if _, released := t.Running.X.Held(); released > 0 {
			anew.AtMS = t.Running.X.RecordedAt(released)
		}
		e = &anew
	}
	return e, err
}

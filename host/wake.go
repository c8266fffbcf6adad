package host

import (
	"context"
	"fmt"
	"math"

	"crypto/sha256"
	"encoding/hex"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// goOnNumber is the number of a wake that goes on with a turn that was cut
// short for want of time. It is no number of a chain.
const goOnNumber = math.MaxInt32

// wakes is what the wakes among the messages ask for.
type wakes struct {
	// run the code, though there may be no arrival.
	run bool
	// try even an instance whose turn killed its process.
	try bool
	// arm the next wake-up if it is still stuck.
	arm bool
}

// takeWakes looks at wake items. One of a chain counts only while the record
// has its number, so that duplicates don't multiply. Where an execution has
// something open, a wake sends it again: that of the last turn, or all of it
// for an operator's and for one that comes back.
func (t *turn) takeWakes(ctx context.Context, messages []*message) (wakes, error) {
	var w wakes
	if len(messages) == 0 {
		return w, nil
	}
	out := t.newResending()
	for _, m := range messages {
		if n := m.item.ExecutionID; n != 0 && n != t.execution {
			if w.run = w.run || m.returning(); !m.returning() {
				t.settle(m, "late")
			}
			continue // What it began may stand in the next execution.
		}
		var err error
		switch number := m.item.Number; {
		case number == 0:
			w = wakes{true, true, true}
			err = out.current(ctx)
		case number == goOnNumber:
			w.run = true
		case t.record != nil && number == t.record.WakeNumber:
			w = wakes{true, true, true}
			err = out.lastTurn(ctx)
		case t.record != nil && t.record.Problem != nil && number < t.record.WakeNumber &&
			m.returning():
			// It re-armed, or was found to kill its process and marked the
			// instance, and may not have sent the next.
			err = t.sendWakeAgain(out)
		case t.record != nil && number > 0 && number < t.record.WakeNumber && t.record.Problem == nil:
			// It cleared the mark, and perhaps saw too late, or died before it
			// could see, that something had been parked meanwhile. Nor may it
			// have sent all that it had to.
			w.run = true
		case number > 0 && number != goOnNumber && t.x.Ended():
			// The instance was stuck when it was armed. Who ended it since may be
			// a process that had died by then, whose commit landed late.
			err = out.lastTurn(ctx)
		default:
			if w.run = w.run || m.returning(); !m.returning() {
				t.settle(m, "obsolete_wake")
			}
			// Else a turn that it caused may have been committed: what follows
			// from that is still to be done, and the wake comes back until it is.
		}
		if err != nil {
			return w, err
		}
	}
	return w, out.flush(ctx)
}

func (t *turn) sendWakeAgain(r *resending) error {
	wake := t.nextWake(t.record.Problem.Tries)
	wake.Number = t.record.WakeNumber
	return r.out.wake(wake)
}

// goOnLater sends the wake by which a turn that was cut short goes on in
// another invocation. All that the turn committed is dispatched by then. Its id is new for each invocation: the queue must not
// take it for a wake of the same turn that was handled a minute ago.
func (t *turn) goOnLater(ctx context.Context) error {
	m := t.group.messages[0]
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", m.ID, m.ReceiveCount, t.execution, t.x.LastEventID(), t.group.instance))
	item := wire.Item{V: wire.Version, Kind: wire.Wake, Instance: t.group.instance, ExecutionID: t.execution,
		ID: "go-on-" + hex.EncodeToString(sum[:16]), Number: goOnNumber}
	stamp(&item, t.Clock.Now())
	body, err := t.edge.encode(&item)
	if err == nil {
		err = t.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(t.group.instance), DedupID: wire.DedupID(&item)})
	}
	if err != nil {
		return fmt.Errorf("%w: wake of instance %q: %w", errDispatch, t.group.instance, err)
	}
	return nil
}

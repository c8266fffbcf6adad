package deciding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/resending"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// ContinueNumber is the number of a wake that continues a turn which ran out of time. No problem has it
// as its stamp.
const ContinueNumber = math.MaxInt32

// wakes collects the requests of the wakes of a round.
type wakes struct {
	// messages are all wakes of the round; at counts those that were handled.
	messages []*inbox.Message
	at       int
	// run: the code is run even without an arrival.
	run bool
	// try is the id of a wake that runs even an instance whose turn ended its process, and whose
	// problem is moved or cleared whatever the result; empty if there is none.
	try string
	// again has the commits that the wakes send again. tried is the last wake whose try was already
	// made; -1 if there is none.
	again *resending.Resending
	tried int
}

// wake handles wakes. A sweeper's wake names the stamp of a problem, and is dropped if the record has
// another stamp: an earlier delivery may have sent a change of the problem, but that change requires the
// stamp that the wake names, so it can no longer succeed. The commits of that delivery were sent again
// before this.
//
// One wake is one try. It is dropped, together with the wakes before it, if the problem says that
// this try was made. A duplicate invocation has made the try and acknowledges the wake for both;
// nothing would redeliver it if this process, whose code may work, died after its commit.
//
// Before the code is run, a wake sends again the messages that may not have been sent: those of the
// open operations of the last turn or, for an operator's wake, of the current execution. If this
// turn starts the instance, there is nothing to resend.
func (t *Turn) wake(p *Plan) error {
	r, w := t.round, &t.round.wakes
	if len(w.messages) == 0 || t.Running.Creating {
		r.then = (*Turn).begin
		return nil
	}
	problem := t.View.Problem()
	if w.again == nil {
		w.again, w.tried = t.resending(t.Now.At), -1
		if problem != nil {
			w.tried = slices.IndexFunc(w.messages, func(m *inbox.Message) bool { return m.Item.ID == problem.Wake })
		}
	}
	for w.at < len(w.messages) && p.empty() {
		if err := t.wakeBy(p, w.messages[w.at], problem); err != nil {
			return err
		}
		t.View.Forget()
		w.at++
	}
	if p.empty() {
		p.Again, r.then = &Again{w.again.Commits, w.again.Since}, (*Turn).begin
	}
	return nil
}

// wakeBy handles one wake.
func (t *Turn) wakeBy(p *Plan, m *inbox.Message, problem *store.Problem) error {
	w := &t.round.wakes
	switch stamp := m.Item.Number; {
	case stamp > 0 && problem != nil && stamp == t.View.Record.Stamp:
		// Each try moves the problem, so this one was not made, whatever was requeued before it.
		w.run, w.try = true, m.Item.ID
		return w.again.LastTurn()
	case w.at <= w.tried && stamp != ContinueNumber:
		p.settle(m, "obsolete_wake")
	case stamp == ContinueNumber:
		w.run = w.run || !t.swept()
		if m.Item.Hops > 0 || m.Redriven() {
			// Later messages may have overtaken it, so its commits need not be the last turn.
			return w.again.Everything(m.Item.ExecutionID)
		}
		if m.Item.ExecutionID != t.Running.Execution || m.Item.SchedulingEventID != t.Running.X.LastEventID() {
			// Another message has continued the turn from there, and what it committed since may not have
			// been sent.
			return w.again.LastTurn()
		}
	case stamp == 0:
		w.run, w.try = true, m.Item.ID
		return w.again.Current()
	case problem == nil:
		// The problem was cleared, but the actions that follow may not have been
		// carried out.
		w.run = true
	default:
		p.settle(m, "obsolete_wake")
	}
	return nil
}

// swept reports whether the instance has a problem that the sweeper handles. Only a new event, or a
// wake by the sweeper or an operator, clears it. Otherwise the following could happen: process A
// clears it for a duplicate and dies while its commit is in progress; process B, whose build is
// broken, acknowledges that duplicate; then A's commit lands. No message remains that would
// dispatch A's commit.
func (t *Turn) swept() bool {
	p := t.View.Problem()
	return p != nil && p.Kind != store.ProblemCorrupt
}

// continueLater returns the wake with which another invocation continues a turn that ran out of time.
// All commits of the turn are dispatched by then, and the wake names their last event. Its id is
// new for each invocation, because SQS would otherwise drop it as a repeat of a wake that was
// handled a minute ago.
func (t *Turn) continueLater() *wire.Item {
	m, last := t.Group.Messages[0], t.Running.X.LastEventID()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %s", m.ID, m.ReceiveCount, t.Running.Execution, last, t.View.Instance))
	return &wire.Item{V: wire.Version, Kind: wire.Wake, Instance: t.View.Instance, ExecutionID: t.Running.Execution, SchedulingEventID: last,
		ID: "go-on-" + hex.EncodeToString(sum[:16]), Number: ContinueNumber, Depth: t.Chain.Deepest()}
}
